import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { eventValues, listPersons, personValues } from "../../src/query/mod.ts";
import type { Json, JsonObject } from "../../src/types/mod.ts";
import { StoredLake } from "./storedLake.ts";
import { ask, contextOf } from "./support.ts";

const NOW = Date.parse("2020-01-12T12:00:00Z");
/** U+FEFF, which decoders drop at the beginning of a text. */
const MARK = "\ufeff";
const MARKED = `${MARK}tea`;
const LONG = "a text of more than twelve bytes";

const event = (name: string, distinctId: string, minute: number, cat: Json) => ({
  event: name,
  distinctId,
  timestampMs: NOW - 3_600_000 + minute * 60_000,
  properties: { cat, list: [MARKED], [MARKED]: 1 },
});

let lake: StoredLake;
beforeAll(async () => {
  lake = await StoredLake.open();
  await lake.store(1, {
    events: [
      event("buy", "tea", 0, "tea"),
      event("buy", MARKED, 1, MARKED),
      event("buy", MARKED, 2, MARKED),
      event(`${MARK}buy`, `${MARK}${LONG}`, 3, `${MARK}${LONG}`),
      event("buy", LONG, 4, MARK),
    ],
    persons: [
      { distinctIds: ["tea"], properties: { cat: "tea" } },
      { distinctIds: [MARKED], properties: { cat: MARKED } },
    ],
    groups: [],
  });
});
afterAll(() => lake.close());

const context = () => contextOf(lake, { nowMs: NOW });
const results = async (node: JsonObject) => (await ask(node, context())).results as Json[];
const hogql = (query: string) => results({ kind: "HogQLQuery", query });
const insight = {
  dateRange: { date_from: "2020-01-12", date_to: "2020-01-12" },
  breakdownFilter: { breakdown: "cat" },
};
const BUY = { kind: "EventsNode", event: "buy" };

describe.each(["flushed", "compacted"])("a text of %s events keeps the U+FEFF that it begins with", (state) => {
  beforeAll(async () => {
    if (state === "compacted") await lake.compact(1);
  });

  test("HogQL", async () => {
    expect(await hogql("select properties.cat, count() from events group by 1 order by 2 desc, 1")).toEqual([
      [MARKED, 2],
      ["tea", 1],
      [MARK, 1],
      [`${MARK}${LONG}`, 1],
    ]);
    expect(
      await hogql(`select event, distinct_id, [event], (event, 1), map(event, event), properties.list from events
        where event = '${MARK}buy'`),
    ).toEqual([
      [
        `${MARK}buy`,
        `${MARK}${LONG}`,
        [`${MARK}buy`],
        [`${MARK}buy`, 1],
        { [`${MARK}buy`]: `${MARK}buy` },
        JSON.stringify([MARKED]),
      ],
    ]);
    expect(await hogql(`select count() from events where properties.cat = '${MARKED}'`)).toEqual([[2]]);
    expect(await hogql(`select cityHash64('${MARKED}') = cityHash64('tea')`)).toEqual([[false]]);
  });

  test("a breakdown of trends", async () => {
    const series = await results({ kind: "TrendsQuery", series: [BUY], ...insight });
    expect((series as JsonObject[]).map(({ breakdown_value, count }) => [breakdown_value, count]).sort()).toEqual([
      ["tea", 1],
      [MARK, 1],
      [MARKED, 2],
    ]);
  });

  test("a breakdown of funnels", async () => {
    const groups = await results({ kind: "FunnelsQuery", series: [BUY, BUY], ...insight });
    const shown = (groups as unknown as JsonObject[][]).map((steps) =>
      steps.map(({ breakdown_value, count }) => [breakdown_value, count]),
    );
    const of = (value: string) => shown.find(([first]) => JSON.stringify(first?.[0]) === JSON.stringify([value]));
    expect(shown).toHaveLength(3);
    expect([of("tea"), of(MARKED)].map((steps) => steps!.map(([, count]) => count))).toEqual([
      [1, 0],
      [1, 1],
    ]);
  });

  test("the lists of events and persons", async () => {
    const select = ["event", "distinct_id", "properties.cat", "person"];
    const rows = (await results({ kind: "EventsQuery", select, orderBy: ["timestamp"] })) as Json[][];
    expect(rows.map(([name, id, cat]) => [name, id, cat])).toEqual([
      ["buy", "tea", "tea"],
      ["buy", MARKED, MARKED],
      ["buy", MARKED, MARKED],
      [`${MARK}buy`, `${MARK}${LONG}`, `${MARK}${LONG}`],
      ["buy", LONG, MARK],
    ]);
    expect((rows[1]![3] as JsonObject).distinct_id).toBe(MARKED);
    const all = { distinctId: null, email: null, search: null, filters: [], limit: 10, offset: 0 };
    const { persons } = await listPersons(all, context());
    expect(persons.map(({ distinctIds, properties }) => [...distinctIds, properties.cat ?? null]).sort()).toEqual([
      ["tea", "tea"],
      [MARKED, MARKED],
    ]);
    const found = await listPersons({ ...all, distinctId: MARKED }, context());
    expect(found.persons.map(({ distinctIds }) => distinctIds)).toEqual([[MARKED]]);
  });

  test("the values of a property", async () => {
    const query = { part: null, events: [], filters: [] };
    const values = (key: string, isColumn = false) => eventValues({ ...query, key, isColumn }, context());
    expect(await values("cat")).toEqual([MARKED, "tea", MARK, `${MARK}${LONG}`]);
    expect(await values("list")).toEqual([MARKED]);
    expect(await values(MARKED)).toEqual(["1"]);
    expect(await values("event", true)).toEqual(["buy", `${MARK}buy`]);
    expect((await personValues({ key: "cat", part: null }, context())).map(({ value }) => value)).toEqual([
      "tea",
      MARKED,
    ]);
  });
});
