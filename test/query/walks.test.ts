import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import fc from "fast-check";
import { compileTree } from "../../src/query/hogql/mod.ts";
import { alias, call, compare, constant, field, from, orderBy, select } from "../../src/query/hogql/syntax/build.ts";
import { printQuery } from "../../src/query/hogql/syntax/print.ts";
import { walked } from "../../src/query/hogql/syntax/walkFunnel.ts";
import { runStatement } from "../../src/query/source/statement.ts";
import { DAY_MS } from "../../src/types/mod.ts";
import type { FunnelProgram } from "../../src/walk/mod.ts";
import { MemoryLake } from "../support/memoryLake.ts";
import { contextOf, failure, hogql } from "./support.ts";

const START = Date.parse("2024-01-01T00:00:00Z");
const NOW = START + 30 * DAY_MS;

let lake: MemoryLake;
beforeAll(async () => {
  const at = (distinctId: string, event: string, minutes: number) => ({
    distinctId,
    event,
    timestampMs: START + minutes * 60_000,
    properties: { plan: `${event}-${minutes}` },
  });
  lake = await MemoryLake.open([
    at("ann", "see", 0),
    at("ann", "try", 1),
    at("ann", "buy", 2),
    at("bob", "see", 0),
    at("bob", "buy", 5),
    at("bob", "try", 100),
    at("cat", "try", 0),
    at("cat", "buy", 1),
  ]);
});
afterAll(() => lake.close());

const STEPS = "toInt(event = 'see') + 2 * toInt(event = 'try') + 4 * toInt(event = 'buy') AS steps";
const ask = async (query: string) => (await hogql(lake, query, { nowMs: NOW })).results;

describe("walkFunnel", () => {
  test("finds how far each actor came, and when", async () => {
    const rows = `SELECT distinct_id AS actor, timestamp, ${STEPS} FROM events`;
    expect(await ask(`SELECT * FROM walkFunnel((${rows}), 'ordered', 3, 3600) ORDER BY actor`)).toEqual([
      ["ann", 3, "2024-01-01T00:00:00Z", "2024-01-01T00:01:00Z", "2024-01-01T00:02:00Z"],
      ["bob", 1, "2024-01-01T00:00:00Z", null, null],
    ]);
  });

  test("takes persons", async () => {
    const rows = `SELECT person_id AS actor, timestamp, ${STEPS} FROM events`;
    expect(
      await ask(
        `SELECT reached, count() FROM walkFunnel((${rows}), 'ordered', 3, 86400) GROUP BY reached ORDER BY reached`,
      ),
    ).toEqual([
      [2, 1],
      [3, 1],
    ]);
  });

  test("reads names of WITH", async () => {
    const rows = `SELECT distinct_id AS actor, timestamp, ${STEPS} FROM some`;
    const query = `WITH some AS (SELECT * FROM events WHERE distinct_id = 'ann') SELECT actor, reached FROM walkFunnel((${rows}), 'ordered', 3, 3600)`;
    expect(await ask(query)).toEqual([["ann", 3]]);
  });

  test("has values and buckets, and may be joined and walked again", async () => {
    const rows = `SELECT distinct_id AS actor, timestamp, ${STEPS}, properties.plan AS value FROM events`;
    const walk = `walkFunnel((${rows}), 'ordered', 3, 3600, [2], [], 'first', [${START}, ${START + 60_000}])`;
    expect(await ask(`SELECT actor, value, bucket, reached, t1, t2 FROM ${walk} ORDER BY actor`)).toEqual([
      ["ann", "see-0", 0, 3, "2024-01-01T00:01:00Z", "2024-01-01T00:02:00Z"],
      ["bob", "see-0", 0, 3, null, "2024-01-01T00:05:00Z"],
    ]);
    const again = `SELECT substring(actor, 1, 1) AS actor, t0 AS timestamp, 1 AS steps FROM ${walk} AS w`;
    const joined = `SELECT f.actor, count() FROM walkFunnel((${again}), 'strict', 1, 1) AS f JOIN events AS e ON substring(e.distinct_id, 1, 1) = f.actor GROUP BY f.actor ORDER BY f.actor`;
    expect(await ask(joined)).toEqual([
      ["a", 3],
      ["b", 3],
    ]);
  });

  test("takes values of any type", async () => {
    for (const [value, shown] of [
      ["[event, properties.none]", ["see", null]],
      ["tuple(1, event)", [1, "see"]],
      ["toFloat(length(event)) / 2", 1.5],
      ["NULL", null],
    ] as const) {
      const rows = `SELECT distinct_id AS actor, timestamp, ${STEPS}, ${value} AS value FROM events`;
      const query = `SELECT value, count() FROM walkFunnel((${rows}), 'ordered', 3, 3600, [], [], 'first') GROUP BY value`;
      expect(await ask(query)).toEqual([[shown, 2]]);
    }
  });

  test("excludes", async () => {
    const rows = `SELECT distinct_id AS actor, timestamp, ${STEPS.replace("4 * toInt(event = 'buy')", "0")}, toInt(event = 'buy') AS excluded FROM events`;
    expect(await ask(`SELECT actor, reached FROM walkFunnel((${rows}), 'ordered', 2, 36000, [], [[1, 2]])`)).toEqual([
      ["ann", 2],
    ]);
  });

  test("is told of where that was asked for", async () => {
    const query = `SELECT count() FROM walkFunnel((SELECT distinct_id AS actor, timestamp, ${STEPS} FROM events), 'ordered', 3, 3600)`;
    const { explain = [] } = await hogql(lake, query, { nowMs: NOW }, { explain: true });
    expect(explain.filter((line) => line.startsWith("walk0 is a walk"))).toHaveLength(1);
    expect(explain.at(-1)).toContain("FROM walk0");
  });

  test.each([
    "walkFunnel((SELECT 1 AS actor), 'ordered', 3, 3600)",
    "walkFunnel(events, 'ordered', 3, 3600)",
    "walkFunnel()",
    "walkFunnel",
    "walkFunnel(ROWS)",
    "walkFunnel(ROWS, 'backwards', 3, 3600)",
    "walkFunnel(ROWS, 'ordered', 31, 3600)",
    "walkFunnel(ROWS, 'ordered', 0, 3600)",
    "walkFunnel(ROWS, 'ordered', 2.5, 3600)",
    "walkFunnel(ROWS, 'ordered', 1 + 1, 3600)",
    "walkFunnel(ROWS, 'ordered', 3, -1)",
    "walkFunnel(ROWS, 'ordered', 3, 1e300)",
    "walkFunnel(ROWS, 'ordered', 3, 99999999999999999999)",
    "walkFunnel(ROWS, 'ordered', 3, '3600')",
    "walkFunnel(ROWS, 'ordered', 3, 3600, [1])",
    "walkFunnel(ROWS, 'ordered', 3, 3600, [4])",
    "walkFunnel(ROWS, 'ordered', 3, 3600, 2)",
    "walkFunnel(ROWS, 'unordered', 3, 3600, [2])",
    "walkFunnel(ROWS, 'ordered', 3, 3600, [], [[1, 2]])",
    "walkFunnel(ROWS, 'ordered', 3, 3600, [], [[2, 1]])",
    "walkFunnel(ROWS, 'ordered', 3, 3600, [], [[1]])",
    "walkFunnel(ROWS, 'unordered', 3, 3600, [], [[1, 2]])",
    "walkFunnel(ROWS, 'ordered', 3, 3600, [], [], 'first')",
    "walkFunnel(ROWS, 'ordered', 3, 3600, [], [], 'most')",
    "walkFunnel(ROWS, 'ordered', 3, 3600, [], [], 4)",
    "walkFunnel(ROWS, 'ordered', 3, 3600, [], [], NULL, [])",
    "walkFunnel(ROWS, 'ordered', 3, 3600, [], [], NULL, [2, 1])",
    "walkFunnel(ROWS, 'ordered', 3, 3600, [], [], NULL, [0], 1)",
    "walkFunnel((SELECT 1 AS actor, 'x' AS timestamp, 1 AS steps), 'ordered', 3, 3600)",
    "walkFunnel((SELECT 1 AS actor, now() AS timestamp, 'x' AS steps), 'ordered', 3, 3600)",
    "walkFunnel((SELECT 1 AS actor, now() AS timestamp, 1 AS steps, 2 AS more), 'ordered', 3, 3600)",
  ])("refuses %s", async (from) => {
    const rows = "(SELECT distinct_id AS actor, timestamp, 1 AS steps FROM events)";
    expect(await failure(ask(`SELECT * FROM ${from.replace("ROWS", rows)}`))).toMatchObject({ code: "invalid_hogql" });
  });
});

const program = fc
  .record({
    steps: fc.integer({ min: 2, max: 4 }),
    order: fc.constantFrom<FunnelProgram["order"]>("ordered", "strict", "unordered"),
    windowMs: fc.constantFrom(1, 500, 60_000, 86_400_000),
    optional: fc.constantFrom(0, 2),
    exclusions: fc.constantFrom<FunnelProgram["exclusions"]>([], [{ from: 0, to: 1 }]),
    attribution: fc.constantFrom<FunnelProgram["attribution"]>(null, "first", "last", "all", 0, 1),
    bucketStartsMs: fc.constantFrom<FunnelProgram["bucketStartsMs"]>(null, [START], [START, START + 60_000]),
  })
  .map((given): FunnelProgram => {
    const isUnordered = given.order === "unordered";
    const wide = given.exclusions.map(() => ({ from: 0, to: given.steps - 1 }));
    return {
      kind: "funnel",
      ...given,
      optional: isUnordered ? 0 : given.optional,
      exclusions: isUnordered ? wide : given.exclusions,
      attribution: isUnordered && given.attribution === 1 ? 0 : given.attribution,
    };
  });

test("the printed text of a walk asks the same", async () => {
  const now = { ...contextOf(lake), nowMs: NOW };
  await fc.assert(
    fc.asyncProperty(program, async (given) => {
      const rows = [
        alias("actor", field("distinct_id")),
        field("timestamp"),
        alias(
          "steps",
          call("multiIf", ...["see", "try"].flatMap((name, i) => [isEvent(name), constant(1 << i)]), constant(0)),
        ),
        ...(given.exclusions.length === 0 ? [] : [alias("excluded", call("toInt", isEvent("buy")))]),
        ...(given.attribution === null ? [] : [alias("value", field("properties", "plan"))]),
      ];
      const columns = ["actor", "reached", "t0", "t1"].map((name) => field(name));
      const tree = select(columns, {
        select_from: walked(select(rows, { select_from: from("events") }), given, "w"),
        order_by: ["actor", "t0", "t1"].map((name) => orderBy(field(name))),
      });
      const { sql, span } = compileTree(tree, now);
      const made = JSON.parse((await runStatement(sql, { span, maxRows: 1000 }, now)).rowsJson) as unknown[][];
      const parsed = await ask(printQuery(tree));
      const plain = (time: unknown) => (typeof time === "string" ? Date.parse(`${time.replace("Z", "")}Z`) : time);
      expect(parsed.map(([actor, reached, ...times]) => [actor, reached, ...times.map(plain)])).toEqual(
        made.map(([actor, reached, ...times]) => [actor, reached, ...times.map(plain)]),
      );
    }),
    { numRuns: 60 },
  );
});

const isEvent = (name: string) => compare(field("event"), "==", constant(name));
