import { afterAll, describe, expect, test } from "bun:test";
import { openScene } from "./hogqlScene.ts";
import { failure, hogql } from "./support.ts";

const { lake, rows } = await openScene();
afterAll(() => lake.close());

describe("errors name the place", () => {
  test.each<[string, string, number]>([
    ["select foo from events", "Unable to resolve field: foo", 7],
    ["select e.foo from events e", "Unable to resolve field: e.foo", 7],
    ["select 1 from nope", "Unknown table `nope`.", 14],
    ["select foo(1)", "Unsupported function call 'foo(...)'", 7],
    ["select conut()", "Unsupported function call 'conut(...)'. Perhaps you meant 'count(...)'?", 7],
    ["select lower()", "Function 'lower' expects 1 argument, found 0", 7],
    ["select lower('a', 'b')", "Function 'lower' expects 1 argument, found 2", 7],
    ["select 1, if(1)", "Function 'if' expects 3 arguments, found 1", 10],
    ["select event, count() from events", "Column `event` is not under an aggregate function and not in GROUP BY", 7],
    ["select count() from events where count() > 1", "Aggregate functions are not allowed in WHERE: use HAVING.", 33],
    ["select sum(count()) from events", "Aggregate functions cannot be nested: `sum` holds another one.", 7],
    ["select 1 as a, 2 as a", "Cannot redefine an alias with the name: a", 15],
    ["select event.x from events", 'Can not access property "x": it is not JSON.', 7],
    ["select properties.a[0] from events", "SQL indexes start from one, not from zero. E.g: array[1]", 7],
    ["select count() from events where timestamp > 'nope'", "Cannot read 'nope' as a time.", 33],
    ["select count() from events where event", "A condition must be a boolean, not a string.", 33],
    ["select e.event from events e join events f on 1", "JOIN needs an equality of two fields in ON.", 46],
    ["select 1 from events e join persons p", "JOIN needs ON with the fields that meet.", 28],
    ["select 1 from events e asof join persons p on p.id = e.person_id", "ASOF INNER JOIN is not supported.", 33],
    [
      "select 1 from events e full join persons p using (uuid)",
      "FULL JOIN with USING is not supported: say ON which fields meet.",
      33,
    ],
    ["select 1 from events join events on 1 = 1", "There are two tables with the name events: give one an alias.", 26],
    [
      "select event from events e join events f on e.uuid = f.uuid",
      "Ambiguous query. Found multiple sources for field: event (e.event, f.event). Use a qualified field name.",
      7,
    ],
    [
      "select * from events e join persons p on p.id = e.person_id",
      "Cannot use '*' without table name when there are multiple tables in the query",
      7,
    ],
    [
      "select 1 from events e join persons p on p.id = any(e.person_id)",
      "Aggregate functions are not allowed in ON.",
      41,
    ],
    ["select 1 from events e join persons p using (id)", "Unable to resolve field: id", 45],
    ["select 1 from evnets", "Unknown table `evnets`. Perhaps you meant `events`?", 14],
    [
      "select 1 from person_distinct_id",
      "Unknown table `person_distinct_id`. Perhaps you meant `person_distinct_ids`?",
      14,
    ],
    ["select evnt from events", "Unable to resolve field: evnt. Perhaps you meant 'event'?", 7],
    ["select p.propertes from persons p", "Unable to resolve field: p.propertes. Perhaps you meant 'properties'?", 7],
    [
      "select person.creatd_at from events",
      "Unable to resolve field: person.creatd_at. Perhaps you meant 'person.created_at'?",
      7,
    ],
    ["select group_0.name from events", "Unable to resolve field: group_0.name", 7],
    ["select poe.properties.x from events", "The field `poe.properties.x` is not supported.", 7],
    ["select $channel_type from sessions", "The field `$channel_type` is not supported.", 7],
    ["select 1 from cohort_people", "Table `cohort_people` is not supported: use `person_id IN COHORT …`.", 14],
    [
      "select person from events",
      "`person` is not a column: name one of its fields (person.id, person.created_at, person.properties, person.is_identified).",
      7,
    ],
    ["select row_number() from events", "`row_number` needs OVER (…).", 7],
    ["select lower(event) over () from events", "`lower` does not read a window.", 7],
    ["select row_number() over w from events", "There is no window `w`.", 7],
    [
      "select 1 from events where rank() over (order by event) = 1",
      "Window functions are not allowed in WHERE: use QUALIFY.",
      27,
    ],
    ["select sum(rank() over ()) from events", "`sum` cannot hold a window function: put that into a subquery.", 7],
    [
      "select leadInFrame(event) over (order by event) from events",
      "`leadInFrame` needs a frame that reaches to the end it looks to: use `lead`.",
      7,
    ],
    ["select arrayMap(x -> sum(x), [1])", "`sum` cannot stand in a lambda.", 21],
    ["select arrayMap(x -> (select 1), [1])", "A subquery cannot stand in a lambda.", 22],
    ["select arrayMap((x, y) -> x, [1])", "The lambda of `arrayMap` takes 1 here, not 2.", 16],
    ["select arrayMap(1, [1])", "Expected a lambda (`x -> …`) as the first argument.", 7],
    ["select lower(x -> 1)", "`lower` does not take a lambda.", 13],
    ["select sumState(1)", "Half made aggregates (`sumState`) are not supported: use the aggregate itself.", 7],
    ["select argMaxArray([1], 2)", "`argMax` does not go with -Array.", 7],
    ["select (1, 2).3", "The tuple has no member 3.", 7],
    ["select {'a': 1}", "A dictionary in braces (use `map(…)`) is not supported.", 7],
    ["select columns('x') from events", "Choosing columns by a pattern (`COLUMNS`, `* EXCLUDE`) is not supported.", 7],
    ["select event from events limit 1 with ties", "LIMIT … WITH TIES is not supported.", 0],
    ["select event from events group by event with rollup", "WITH ROLLUP is not supported.", 40],
    ["select event from events order by event nulls first", "NULLS FIRST is not supported.", 40],
    ["select event from events order by event with fill", "WITH FILL is not supported.", 34],
    ["with recursive x as (select 1) select 1", "A recursive WITH (`x`) is not supported.", 0],
    ["select person_id in cohort 7 from events", "Could not find cohort with ID 7", 27],
    ["select person_id in cohort 'vips' from events", "Could not find cohort with name 'vips'", 27],
    ["select matchesAction('x') from events", "Could not find action with name 'x'", 7],
    ["select formatDateTime(now(), '%q')", "The format has no letter '%q'.", 7],
    ["select JSONExtract('{}', 'a', 'Set')", "Unknown type 'Set' of JSONExtract.", 7],
    ["select toDateTime('2020-01-01', 'Mars/Olympus')", "Unknown time zone 'Mars/Olympus'.", 7],
    ["select 1 union all select 1, 2", "All parts of a UNION must have the same number of columns.", 0],
    ["select timestamp * 2 from events", "Cannot use a time in `*`: use an interval or dateDiff.", 7],
    ["select 1 limit -1", "LIMIT must be a whole number.", 15],
  ])("%s", async (query, message, start) => {
    const error = await failure(hogql(lake, query));
    expect([error.code, error.message, error.start]).toEqual(["invalid_hogql", message, start]);
  });

  test("names have a case, except those of SQL's own functions", async () => {
    expect((await failure(hogql(lake, "select TOFLOAT('1')"))).message).toContain("Perhaps you meant 'toFloat(...)'");
    expect(await rows("select COUNT(), SUM(1), MAX(1) from events")).toEqual([[4, 4, 1]]);
  });
});
