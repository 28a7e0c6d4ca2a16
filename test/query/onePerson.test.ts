import { afterAll, beforeAll, expect, test } from "bun:test";
import { runQuery } from "../../src/query/mod.ts";
import { type JsonObject, personIdOf } from "../../src/types/mod.ts";
import { StoredLake } from "./storedLake.ts";
import { contextOf } from "./support.ts";

const NOW = Date.parse("2020-01-12T12:00:00Z");
const TEAM = 1;
const [ANN, BOB] = [personIdOf(TEAM, "ann"), personIdOf(TEAM, "bob")];
const uuid = (i: number) => `0190d6e2-0000-7000-8000-${String(i).padStart(12, "0")}`;

/** Event i is i minutes old. `anon` has become Ann. */
const EVENTS = Array.from({ length: 600 }, (_, i) => ({
  event: i % 5 === 0 ? "buy" : "view",
  distinctId: ["ann", "bob", "anon", "cid"][i % 4]!,
  properties: { n: i },
  timestampMs: NOW - i * 60_000,
  uuid: uuid(i),
}));
const numbersOf = (...ids: string[]) => EVENTS.flatMap(({ distinctId }, i) => (ids.includes(distinctId) ? [i] : []));

let lake: StoredLake;
beforeAll(async () => {
  lake = await StoredLake.open();
  const persons = [{ distinctIds: ["ann", "anon"] }, { distinctIds: ["bob"] }];
  await lake.store(TEAM, { events: EVENTS.slice(100), persons, groups: [] });
  await lake.compact(TEAM);
  // Fresh ones lie beside the compacted file.
  await lake.store(TEAM, { events: EVENTS.slice(0, 100), persons: [{ distinctIds: ["cid"] }], groups: [] });
});
afterAll(() => lake.close());

async function ask(node: JsonObject): Promise<{ rows: unknown[][]; isByPerson: boolean }> {
  lake.sqls.length = 0;
  const { results } = await runQuery(node, contextOf(lake, { nowMs: NOW }));
  return { rows: results as unknown[][], isByPerson: lake.sqls.some((sql) => sql.includes(".persons.parquet")) };
}

const hogql = (query: string) => ask({ kind: "HogQLQuery", query });
const listed = (where: string) =>
  hogql(`SELECT properties.n FROM events WHERE ${where} ORDER BY timestamp DESC LIMIT 1000`);

test("a list of a person's newest events is read in order of person, page by page", async () => {
  const node = { kind: "EventsQuery", select: ["uuid", "properties.n"], personId: ANN, after: "all", limit: 70 };
  const seen: unknown[] = [];
  for (let offset = 0; offset < 350; offset += 70) {
    const { rows, isByPerson } = await ask({ ...node, orderBy: ["timestamp DESC"], offset });
    expect(isByPerson).toBe(true);
    seen.push(...rows.map(([id]) => id));
  }
  expect(seen).toEqual(numbersOf("ann", "anon").map(uuid));
  const { rows } = await ask({ ...node, orderBy: ["timestamp"], limit: 3 });
  expect(rows.map(([id]) => id)).toEqual(numbersOf("ann", "anon").slice(-3).reverse().map(uuid));
  const filtered = await ask({ ...node, event: "buy", limit: 1000 });
  expect([filtered.rows.length, filtered.isByPerson]).toEqual([
    numbersOf("ann", "anon").filter((i) => i % 5 === 0).length,
    true,
  ]);
});

const NARROWED: [string, number[]][] = [
  [`person_id = '${ANN}'`, numbersOf("ann", "anon")],
  [`'${ANN}' = events.person_id AND event = 'buy'`, numbersOf("ann", "anon").filter((i) => i % 5 === 0)],
  [`person.id = '${BOB}'`, numbersOf("bob")],
  [`person_id = '${BOB.toUpperCase()}'`, numbersOf("bob")],
  [`and(properties.n > 200, pdi.person_id = '${BOB}')`, numbersOf("bob").filter((i) => i > 200)],
  [`person_id = '${ANN}' AND person_id = '${BOB}'`, []],
  [`person_id = '${crypto.randomUUID()}'`, []],
  // Of whom there are no events any more.
  [`person_id = '${personIdOf(TEAM, "anon")}'`, []],
];

test.each(NARROWED)("where all must be of one person, %s", async (where, expected) => {
  const { rows, isByPerson } = await listed(where);
  expect(rows.map(([n]) => Number(n))).toEqual(expected);
  expect(isByPerson).toBe(true);
});

const WHOLE: [string, number[]][] = [
  [`person_id = '${BOB}' OR properties.n = 4`, [...numbersOf("bob"), 4].sort((a, b) => a - b)],
  [`NOT person_id = '${BOB}'`, numbersOf("ann", "anon", "cid")],
  [`person_id != '${BOB}'`, numbersOf("ann", "anon", "cid")],
  [`person_id IN ('${ANN}', '${BOB}')`, numbersOf("ann", "anon", "bob")],
];

test.each(WHOLE)("where not, %s", async (where, expected) => {
  const { rows, isByPerson } = await listed(where);
  expect(rows.map(([n]) => Number(n))).toEqual(expected);
  expect(isByPerson).toBe(false);
});

test("each table of events has a person of its own", async () => {
  const both = await hogql(
    `SELECT count(), countIf(b.person_id = '${BOB}') FROM events AS a LEFT JOIN events AS b ON b.timestamp = a.timestamp
     WHERE a.person_id = '${BOB}'`,
  );
  expect(both).toEqual({ rows: [[150, 150]], isByPerson: true });
  const right = await hogql(
    `SELECT count() FROM events AS a LEFT JOIN events AS b ON b.event = a.event AND b.timestamp = a.timestamp
     WHERE b.person_id = '${ANN}'`,
  );
  expect(right).toEqual({ rows: [[300]], isByPerson: true });
  const inside = await hogql(
    `SELECT count() FROM events WHERE uuid IN (SELECT uuid FROM events WHERE person_id = '${ANN}') AND event = 'view'`,
  );
  expect(inside).toEqual({ rows: [[240]], isByPerson: true });
});
