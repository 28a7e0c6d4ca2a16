import { afterAll, describe, expect, test } from "bun:test";
import { closeParser, HogqlError } from "../../src/query/mod.ts";
import { StoredLake } from "./storedLake.ts";
import { failure, hogql, TEXT_LIMITS } from "./support.ts";

// What compiles and would never end, or take all memory: the lake as it runs, with its query processes.

const lake = await StoredLake.open();
await lake.store(1, {
  events: [{ event: "own", distinctId: "d", timestampMs: 0 }],
  persons: [{ distinctIds: ["d"] }],
  groups: [],
});
await lake.store(2, {
  events: [{ event: "other", distinctId: "d", timestampMs: 0 }],
  persons: [{ distinctIds: ["d"] }],
  groups: [],
});
// The first query process stands, so that waiting for it is in no deadline.
await hogql(lake, "select event from events");
afterAll(async () => {
  closeParser();
  await lake.close();
});

const LIMITS = { timeoutMs: 200, maxRows: 50_000, text: TEXT_LIMITS };
/** Words of which none may reach a user: the engine's own SQL and files. */
const INTERNAL = /read_parquet|\.parquet|LINE \d|\$\d|lambda l\d/;

describe("is stopped, and the next query is answered", () => {
  test.each<[string, string]>([
    ["a cross join without end", "select count() from numbers(1000000000) a, numbers(1000000000) b"],
    [
      "a join of all with all",
      "select count() from numbers(10000000) a join numbers(10000000) b on a.number % 2 = b.number % 2",
    ],
    ["a sum without end", "select sum(sin(number) * cos(number)) from numbers(100000000000)"],
    ["distinct values without end", "select uniq(number) from numbers(100000000000)"],
    ["an array of all", "select length(groupArray(number)) from numbers(10000000000)"],
    ["a window over all", "select sum(sum(number) over (order by sin(number))) from numbers(3)"],
    ["a huge range", "select range(1000000000000)"],
    ["a range that steps back", "select range(0, 1000000000000000000, 1)"],
    ["a huge repetition", "select repeat('x', 1000000000)"],
    ["repetitions of repetitions", "select length(repeat(repeat('x', 1000000), 1000000))"],
    ["a huge padding", "select leftPad('x', 2000000000, 'y')"],
    ["a huge array", "select arrayWithConstant(1000000000, 'x')"],
    ["a huge growth", "select arrayResize([1], 1000000000)"],
    ["ranges in a range", "select arraySum(arrayMap(x -> length(range(1000000)), range(1000000)))"],
    [
      "arrays joined with arrays",
      "select count() from (select arrayJoin(range(1000000)) as a, arrayJoin(range(1000001)) as b)",
    ],
    ["replacing by more", "select length(replaceAll(repeat('a', 1000000), 'a', repeat('b', 1000000)))"],
    [
      "a pattern that backtracks elsewhere",
      "select count() from numbers(2000000) where match(repeat('a', 5000) || toString(number), '(a+)+$')",
    ],
    ["a pattern too large", "select match('a', '((a{1000}){1000}){1000}')"],
    ["a bad pattern", "select match('a', '(')"],
    ["a whole number too large", "select toInt('9223372036854775807') + number from numbers(2)"],
    ["a factorial", "select factorial(1000)"],
    ["a time out of any calendar", "select toDateTime(number + 1e18) from numbers(1)"],
    ["an interval out of any calendar", "select now() + toIntervalYear(number + 2000000000) from numbers(1)"],
    ["arrays of different lengths", "select arrayMap((x, y) -> x, range(number), [1, 2]) from numbers(1)"],
    ["a cast of text", "select base64Decode(toString(number)) from numbers(1)"],
    ["two rows where one must be", "select (select number from numbers(2))"],
    ["a result too large", "select repeat('x', 100000) from numbers(100)"],
  ])("%s", async (_, query) => {
    const error = await failure(hogql(lake, query, { limits: LIMITS }));
    expect(error.code).toMatch(
      /^(invalid_hogql|invalid_query|query_failed|query_memory|query_timeout|result_too_large)$/,
    );
    expect(error.message).not.toMatch(INTERNAL);
    expect(error.message.length).toBeLessThan(500);
    expect((await hogql(lake, "select event from events")).results).toEqual([["own"]]);
  });
});

describe("sees nothing of another project", () => {
  test.each<[string, unknown[][]]>([
    ["select event from events where team_id = 2 or 1", [["own"]]],
    ["select count() from events where team_id = 2", [[0]]],
    ["select distinct team_id from events", [[1]]],
    ["select count() from (select * from events) where event = 'other'", [[0]]],
    ["select count() from events e join events f on e.distinct_id = f.distinct_id where f.event = 'other'", [[0]]],
    ["select count() from persons", [[1]]],
    ["select count() from sessions", [[0]]],
    ["with events as (select 'x' as event) select event from events", [["x"]]],
  ])("%s", async (query, expected) => {
    expect((await hogql(lake, query)).results).toEqual(expected);
  });
});

test("an error of what is refused before it runs says where it is", async () => {
  const error = await failure(hogql(lake, "select 1,\n  foo"));
  expect(error).toBeInstanceOf(HogqlError);
  expect(error.start).toBe(12);
});
