import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { QueryAnswer } from "../../src/web/app/api/node.ts";
import { chartWishOf, withChartWish } from "../../src/web/app/kinds/view/sql/chartWish.ts";
import { columnsOf, linesOf, planOf } from "../../src/web/app/kinds/view/sql/columns.ts";
import { untruthOf } from "../../src/web/app/pages/insight/untruth.ts";
import { NOTES } from "../../src/web/app/pages/sql/functionNotes.ts";
import { FUNCTIONS, functionNamed } from "../../src/web/app/pages/sql/functions.ts";
import { type Known, plain, type SqlTables, written } from "../../src/web/app/pages/sql/known.ts";
import { checkedOf, placeWords } from "../../src/web/app/pages/sql/notices.ts";
import { type Offer, offersAt } from "../../src/web/app/pages/sql/offers.ts";
import { placesOf } from "../../src/web/app/pages/sql/offsets.ts";
import { columnNames, placeAt, tablesOf } from "../../src/web/app/pages/sql/place.ts";
import { nodeOfQuestion, questionOf } from "../../src/web/app/pages/sql/sqlNode.ts";
import { readValue, variablesIn, variablesOf } from "../../src/web/app/pages/sql/variables.ts";

type Field = SqlTables[string]["fields"][string];

function table(name: string, fields: Record<string, string | [table: string, fields: string[]]>): SqlTables[string] {
  const all = Object.entries(fields).map(([key, type]): [string, Field] => {
    const shared = { name: key, hogql_value: key, schema_valid: true, id: key };
    if (typeof type === "string") return [key, { ...shared, type }];
    return [key, { ...shared, type: "lazy_table", table: type[0], fields: type[1] }];
  });
  return { type: "posthog", id: name, name, fields: Object.fromEntries(all) };
}

const KNOWN: Known = {
  tables: {
    events: table("events", {
      event: "string",
      timestamp: "datetime",
      properties: "json",
      person: ["persons", ["id", "properties"]],
      pdi: ["person_distinct_ids", ["person"]],
      group_1: ["groups", ["key", "properties"]],
    }),
    persons: table("persons", { id: "string", properties: "json" }),
    person_distinct_ids: table("person_distinct_ids", { person: ["persons", ["id", "properties"]] }),
    groups: table("groups", { key: "string", properties: "json" }),
  },
  properties: {
    event: [
      { key: "amount", type: "Numeric" },
      { key: "with space", type: null },
    ],
    person: [{ key: "email", type: "String" }],
    group: { 1: [{ key: "seats", type: "Numeric" }] },
  },
  events: ["$pageview", "it's bought"],
};

/** What is offered at the bar. */
function offered(text: string): Offer[] {
  const at = text.indexOf("|");
  const whole = text.replace("|", "");
  const names = { variables: variablesIn(whole), columns: columnNames(whole) };
  return offersAt(placeAt(whole.slice(0, at)), KNOWN, tablesOf(whole), names);
}
const labels = (text: string) => offered(text).map(({ label }) => label);

describe("what is offered in SQL", () => {
  test.each([
    ["SELECT properties.| FROM events", ["amount", "with space"]],
    ["SELECT e.properties.am| FROM events AS e", ["amount", "with space"]],
    ["SELECT person.properties.| FROM events", ["email"]],
    ["SELECT pdi.person.properties.| FROM events", ["email"]],
    ["SELECT group_1.properties.| FROM events", ["seats"]],
    ["SELECT p.properties.| FROM events e JOIN persons p ON e.person_id = p.id", ["email"]],
    ["SELECT properties.|", ["amount", "with space"]],
    ["SELECT p.| FROM persons p WHERE 1", ["id", "properties"]],
    ["SELECT person.|", ["id", "properties"]],
    ["SELECT nothing.| FROM events", []],
    ["SELECT * FROM |", ["events", "persons", "person_distinct_ids", "groups"]],
    ["SELECT * FROM events LEFT JOIN per|", ["events", "persons", "person_distinct_ids", "groups"]],
    ["SELECT 1 WHERE event = '|", ["$pageview", "it's bought"]],
    ["SELECT 1 WHERE e.event IN ('a', '|') FROM events e", ["$pageview", "it's bought"]],
    ["SELECT 1 WHERE other = '|", []],
    ["SELECT 'it\\'s event = |", []],
    ["SELECT 1 -- event.|", []],
    ["SELECT 1 /* person.|", []],
    ["SELECT 1 WHERE {|", ["filters", "filters.dateRange.from", "filters.dateRange.to"]],
    [
      "SELECT {variables.a} WHERE {variables.|}",
      ["filters", "filters.dateRange.from", "filters.dateRange.to", "variables.a"],
    ],
  ])("%s", (text, names) => {
    expect(labels(text)).toEqual(names);
  });

  test("at the beginning of a name: fields, tables and the columns of the text", () => {
    expect(labels("SELECT count() AS many FROM events e ORDER BY m|")).toEqual([
      ...["event", "timestamp", "properties", "person", "pdi", "group_1"],
      ...["events", "e", "many"],
    ]);
  });

  test("what needs quotes is written with them", () => {
    expect(offered("SELECT properties.|").map(({ text }) => text)).toEqual(["amount", "`with space`"]);
    expect(offered("SELECT 1 WHERE event = '|").map(({ text }) => text)).toEqual(["$pageview", "it\\'s bought"]);
  });

  test("any name is read back as it was written", () => {
    fc.assert(fc.property(fc.string({ minLength: 1 }), (name) => plain(written(name)) === name));
  });

  test("any text has a place, and nothing is offered before it", () => {
    const piece = fc.constantFrom("'", '"', "`", "--", "/*", "*/", "\n", ".", "{", "a", " ", "from ", "\\", "event = ");
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const text = pieces.join("");
        const place = placeAt(text);
        return place.kind === "none" || (place.from >= 0 && place.from <= text.length);
      }),
    );
  });
});

describe("functions", () => {
  test("are found by name, in any case, and with the endings of aggregates", () => {
    expect(functionNamed("quantile")).toMatchObject({ call: "quantile(parameters)(float)", result: "number" });
    expect(functionNamed("COUNT")?.name).toBe("count");
    expect(functionNamed("sumIf")?.call).toBe("sumIf(number, condition)");
    expect(functionNamed("countIf")?.section).toBe("Aggregates");
    expect([functionNamed("lowerIf"), functionNamed("nothing"), functionNamed("If")?.name]).toEqual([
      undefined,
      undefined,
      "if",
    ]);
  });

  test("that have a note are there", () => {
    const names = new Set(FUNCTIONS.map(({ name }) => name));
    expect(Object.keys(NOTES).filter((name) => !names.has(name))).toEqual([]);
    expect(FUNCTIONS.length).toBeGreaterThan(450);
  });
});

describe("places of errors", () => {
  test("count characters, and become those of the text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.nat(), (text, at) => {
        const characters = Array.from(text);
        const offset = at % (characters.length + 1);
        return placesOf(text, [offset])[0] === characters.slice(0, offset).join("").length;
      }),
    );
    expect(placesOf("a😀b", [3, 0, 9])).toEqual([4, 0, 4]);
  });

  const errorsOf = (text: string, error: { message: string; start?: number; end?: number }) =>
    checkedOf(text, { query: text, isValid: false, errors: [error], warnings: [], notices: [], table_names: [] })
      .errors;

  test("that are nothing wide, or missing, can be seen", () => {
    expect(errorsOf("select 1 +\n", { message: "", start: 10, end: 10 })).toEqual([{ message: "", from: 9, to: 10 }]);
    expect(errorsOf("select", { message: "" })).toEqual([{ message: "", from: 0, to: 6 }]);
    expect(errorsOf("a", { message: "", start: 0, end: 0 })).toEqual([{ message: "", from: 0, to: 1 }]);
    expect(placeWords("select '😀',\n  x", 15)).toBe("Line 2, column 3");
  });
});

describe("variables", () => {
  test("are those of the text, with the values that are known", () => {
    const known = { id: { variableId: "id", code_name: "a", value: 5 } };
    expect(variablesOf("{variables.a} { variables.b } {variables.a} {filters}", known)).toEqual({
      ...known,
      b: { variableId: "b", code_name: "b", value: null },
    });
    expect(variablesOf("SELECT 1", known)).toBeUndefined();
  });

  test("have values of the type that is chosen", () => {
    expect([
      readValue("5", "text"),
      readValue("5", "number"),
      readValue("x", "number"),
      readValue("5", "nothing"),
    ]).toEqual(["5", 5, 0, null]);
  });
});

describe("the node of a question", () => {
  test("keeps what the page does not know, and is PostHog's", () => {
    const node = {
      kind: "DataVisualizationNode",
      source: {
        kind: "HogQLQuery",
        query: "SELECT {variables.a}",
        variables: { id: { variableId: "id", code_name: "a", value: "x" } },
        filters: { dateRange: { date_from: "-7d" } },
      },
      display: "ActionsBar",
      chartSettings: { xAxis: { column: "day" }, yAxis: [{ column: "n" }], seriesBreakdownColumn: null },
    };
    expect(nodeOfQuestion(questionOf(node)!)).toEqual(node);
    expect(questionOf({ kind: "HogQLQuery", query: "SELECT 1" })?.chart).toEqual({});
    expect(questionOf({ kind: "TrendsQuery" })).toBeNull();
  });

  test("what is wished of a chart is read back", () => {
    const wish = { display: "ActionsAreaGraph", x: "a", y: ["b", "c"], by: "" } as const;
    expect(chartWishOf(withChartWish({ kind: "DataVisualizationNode" }, wish))).toEqual({ ...wish, y: [...wish.y] });
  });
});

describe("the chart of rows", () => {
  const answer = (columns: [string, string][], results: unknown[][]) =>
    ({ columns: columns.map(([name]) => name), types: columns, results, timezone: "UTC" }) as unknown as QueryAnswer;
  const DAYS = answer(
    [
      ["day", "DateTime64(6, 'UTC')"],
      ["event", "String"],
      ["n", "Nullable(Int64)"],
    ],
    [
      ["2026-05-02", "a", 2],
      ["2026-05-01", "b", 5],
      ["2026-05-01", "a", 1],
      ["2026-05-01", "a", 10],
      ["2026-05-02", "b", null],
    ],
  );

  test("has times along the axis in their order, a line for each text, sums where rows share a place", () => {
    const plan = planOf(columnsOf(DAYS), 5, {})!;
    expect([plan.display, plan.x?.name, plan.y.map(({ name }) => name), plan.by?.name]).toEqual([
      ...["ActionsLineGraph", "day"],
      ["n"],
      "event",
    ]);
    const { places, lines } = linesOf(DAYS.results as unknown[][], plan);
    expect(places).toEqual(["2026-05-01", "2026-05-02"]);
    expect(lines.map(({ label, values }) => [label, values])).toEqual([
      ["a", [11, 2]],
      ["b", [5, null]],
    ]);
  });

  test("is a single number, a ranking, or nothing, as the columns are", () => {
    const single = answer([["n", "UInt64"]], [[7]]);
    expect(planOf(columnsOf(single), 1, {})).toMatchObject({ display: "BoldNumber", x: null });
    const ranked = answer(
      [
        ["event", "String"],
        ["n", "Float64"],
      ],
      [["a", 1]],
    );
    expect(planOf(columnsOf(ranked), 1, {})).toMatchObject({ display: "ActionsBarValue", by: null });
    expect(planOf(columnsOf(answer([["event", "String"]], [["a"]])), 1, {})).toBeNull();
    expect(planOf(columnsOf(DAYS), 5, { by: "", display: "ActionsBar" })).toMatchObject({
      by: null,
      display: "ActionsBar",
    });
  });

  test("has no axis of a time that all rows share, where there is another", () => {
    const rows = answer(
      [
        ["at", "DateTime64(6, 'UTC')"],
        ["event", "String"],
        ["n", "Int64"],
      ],
      [
        ["2026-05-01", "a", 2],
        ["2026-05-01", "b", 5],
      ],
    );
    expect(planOf(columnsOf(rows), 2, {})).toMatchObject({
      display: "ActionsBarValue",
      x: { name: "event" },
      by: null,
    });
  });

  test("says what it leaves out", () => {
    const rows = Array.from({ length: 3_000 }, (_, at) => [String(at), at]);
    const many = answer(
      [
        ["text", "String"],
        ["n", "Int64"],
      ],
      rows,
    );
    expect(linesOf(rows, planOf(columnsOf(many), rows.length, {})!).leftOut).toEqual({ places: 2_000, lines: 0 });
    const split = rows.map(([text, n]) => ["2026-05-01", text, n]);
    const lines = answer(
      [
        ["day", "Date"],
        ["text", "String"],
        ["n", "Int64"],
      ],
      split,
    );
    const plan = planOf(columnsOf(lines), split.length, { x: "day", by: "text" })!;
    expect(linesOf(split, plan).leftOut).toEqual({ places: 0, lines: 2_980 });
  });
});

test("the SQL of an insight is offered where it gives the numbers of the chart", () => {
  const trend = (more: object) => untruthOf({ kind: "InsightVizNode", source: { kind: "TrendsQuery", ...more } });
  expect([trend({}), trend({ trendsFilter: { display: "ActionsBar" }, samplingFactor: 1 })]).toEqual([null, null]);
  expect(trend({ trendsFilter: { formulaNodes: [{ formula: "A" }] } })).toBe("before the formula");
  expect(trend({ trendsFilter: { smoothingIntervals: 7 } })).toBe("before they are smoothed");
  expect(trend({ trendsFilter: { display: "ActionsLineGraphCumulative" } })).toBe("before they are added up");
  expect(trend({ samplingFactor: 0.1 })).toBe("of the sample alone");
  expect(untruthOf({ kind: "StickinessQuery", stickinessFilter: { computedAs: "cumulative" } })).not.toBeNull();
});
