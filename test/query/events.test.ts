import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type EventsResponse, type QueryContext, runQuery } from "../../src/query/mod.ts";
import { type Json, personIdOf } from "../../src/types/mod.ts";
import { NO_RECORDS } from "../support/noRecords.ts";
import { StoredLake } from "./storedLake.ts";
import { contextOf } from "./support.ts";

const NOW = Date.parse("2020-01-12T12:00:00Z");
const HOUR = 3_600_000;
const ANN = personIdOf(1, "ann");
const uuid = (i: number) => `0190d6e2-0000-7000-8000-${String(i).padStart(12, "0")}`;

/** Event i is i hours old. */
const EVENTS = [
  { event: "later", distinctId: "ann", timestampMs: NOW + HOUR },
  { event: "view", distinctId: "anon", properties: { plan: "pro", n: 1, $current_url: "/a" } },
  { event: "buy", distinctId: "ann", properties: { n: 2, list: [1, { a: null }] } },
  { event: "view", distinctId: "bob", properties: { plan: "free", n: 30 } },
  { event: "view", distinctId: "ghost", personMode: 1 },
  {
    event: "$autocapture",
    distinctId: "bob",
    elementsChain: 'a.b.c:attr__class="b c"href="/x"nth-child="2"text="say \\"x;y\\"";div:',
  },
].map((event, i) => ({ timestampMs: NOW - i * HOUR, ...event, uuid: uuid(i) }));

let lake: StoredLake;
beforeAll(async () => {
  lake = await StoredLake.open();
  await lake.store(1, {
    events: [...EVENTS, { ...EVENTS[1]!, event: "old", uuid: uuid(100), timestampMs: NOW - 100 * HOUR }],
    persons: [
      { distinctIds: ["ann", "anon"], properties: { email: "ann@a.com", name: "Ann" }, createdAtMs: NOW - 50 * HOUR },
      { distinctIds: ["bob"], properties: { name: "Bob", age: 5 }, createdAtMs: NOW - 50 * HOUR },
    ],
    groups: [],
  });
  await lake.store(2, {
    events: [{ event: "foreign", distinctId: "ann", timestampMs: NOW - HOUR }],
    persons: [{ distinctIds: ["ann"] }],
    groups: [],
  });
});
afterAll(() => lake.close());

const ask = (node: { [key: string]: Json }, options: Partial<QueryContext> = {}) =>
  runQuery({ kind: "EventsQuery", ...node }, contextOf(lake, { nowMs: NOW, ...options })) as Promise<EventsResponse>;
/** The first cells. */
const firsts = async (node: { [key: string]: Json }, options: Partial<QueryContext> = {}) =>
  (await ask({ select: ["uuid"], orderBy: ["timestamp DESC"], ...node }, options)).results.map(([first]) =>
    Number(String(first).slice(-12)),
  );

test("explain tells every statement: where the page ends, the events, their persons", async () => {
  const node = { select: ["timestamp", "person"], event: "view" };
  const { explain, results } = await ask({ ...node, explain: true });
  expect(results).toEqual((await ask(node)).results);
  const reads = explain!.filter((line) => line.startsWith("Reads "));
  expect(reads.slice(0, 2)).toEqual([
    "Reads 2 files with events from 2020-01-11T12:00:00.000Z to 2020-01-12T12:00:04.999Z.",
    "Reads 2 files with events from 2020-01-12T08:00:00.000Z to 2020-01-12T12:00:04.999Z.",
  ]);
  expect(reads[2]).toMatch(/^Reads \d+ files and no events\.$/);
  expect(explain).toContain('$1 = "view"');
  expect(explain!.at(-1)).toContain("FROM persons(SELECT ");
  expect((await ask({})).explain).toBeUndefined();
});

describe("a list of events", () => {
  test("is of the last day, newest first, as whole events", async () => {
    const { results, columns, types, hasMore, limit, offset, nextCursor } = await ask({});
    expect(results).toHaveLength(5);
    expect(results[1]).toEqual([
      {
        uuid: uuid(2),
        event: "buy",
        properties: { n: 2, list: [1, { a: null }] },
        timestamp: "2020-01-12T10:00:00Z",
        distinct_id: "ann",
        elements_chain: "",
        created_at: "2020-01-12T10:00:00Z",
        person_mode: "full",
        team_id: 1,
        elements: [],
      },
    ]);
    expect({ columns, hasMore, limit, offset, nextCursor }).toEqual({
      columns: ["*"],
      hasMore: false,
      limit: 100,
      offset: 0,
      nextCursor: null,
    });
    expect(types[0]).toStartWith("Tuple(UUID, String");
  });

  test("tells what was clicked", async () => {
    const { results } = await ask({ event: "$autocapture" });
    expect(results[0]![0]).toMatchObject({
      elements: [
        { tag_name: "a", attr_class: ["b", "c"], href: "/x", text: 'say "x;y"', nth_child: 2, order: 0, attr_id: null },
        { tag_name: "div", attr_class: null, text: null, order: 1, attributes: {} },
      ],
    });
  });

  test.each<[string, { [key: string]: Json }, number[]]>([
    ["all time", { after: "all" }, [1, 2, 3, 4, 5, 100]],
    ["an end that is not within", { after: "-3h", before: "2020-01-12T11:00:00Z" }, [2]],
    ["the future, where it is asked for", { before: "2020-01-13" }, [0, 1, 2, 3, 4, 5]],
    ["oldest first", { orderBy: ["timestamp ASC"], after: "all" }, [100, 5, 4, 3, 2, 1]],
    [
      "the smallest first",
      { orderBy: ["toFloat(properties.n)", "uuid desc"], where: ["properties.n is not null"] },
      [1, 2, 3],
    ],
    ["an event", { event: "view" }, [1, 3, 4]],
    ["one of some", { events: ["buy", "$autocapture"] }, [2, 5]],
    ["conditions of HogQL", { where: ["event = 'view'", "properties.plan in ('pro', 'free') -- paid or not"] }, [1, 3]],
    ["filters", { properties: [{ key: "plan", value: "pro" }] }, [1]],
    ["filters of HogQL", { fixedProperties: [{ type: "hogql", key: "properties.n = '2'" }] }, [2]],
    ["a person, with all that was merged into it", { personId: ANN }, [1, 2]],
    ["nobody", { personId: "me" }, []],
    ["an action", { actionId: 7 }, [1]],
    ["the test accounts left out", { filterTestAccounts: true }, [3, 4, 5]],
    ["a page", { limit: 2, offset: 1 }, [2, 3]],
    ["none", { event: "nothing" }, []],
  ])("%s", async (_, node, expected) => {
    const step = {
      properties: null,
      url: "/a",
      urlMatching: null,
      text: null,
      textMatching: null,
      href: null,
    } as const;
    const action = {
      id: 7,
      name: "a",
      steps: [{ ...step, event: null, hrefMatching: null, tagName: null, selector: null }],
    };
    const found = await firsts(node, {
      records: { ...NO_RECORDS, action: (id) => (id === 7 ? action : null) },
      testAccountFilters: [{ key: "email", type: "person", operator: "is_not_set", value: "" }],
    });
    expect(found).toEqual(expected);
  });

  test("is read in two steps: only the time first, whole events up to the last of the page", async () => {
    const page = await ask({ limit: 2 });
    expect(lake.lastRange).toEqual({ fromMs: NOW - 3 * HOUR, toMs: NOW + 4_999 });
    expect(page).toMatchObject({ hasMore: true, nextCursor: `2020-01-12T10:00:00.000Z_${uuid(2)}` });
    const next = await ask({ limit: 2, before: page.nextCursor });
    expect(next.results.map(([event]) => (event as { uuid: string }).uuid)).toEqual([uuid(3), uuid(4)]);
    expect((await ask({ limit: 2, orderBy: ["timestamp"] })).nextCursor).toBe(`2020-01-12T08:00:00.000Z_${uuid(4)}`);
    expect((await ask({ limit: 2 }, { timezone: "Asia/Tokyo" })).nextCursor).toBe(page.nextCursor);
  });

  test("shows persons, whose names the environment chooses", async () => {
    const select = ["person", "person_display_name -- Person", "event -- Event"];
    const node = { select, orderBy: ["timestamp DESC"] };
    const { results, columns } = await ask(node);
    expect(columns).toEqual(select);
    expect(results[0]).toEqual([
      {
        uuid: ANN,
        created_at: "2020-01-10T10:00:00.000Z",
        is_identified: false,
        properties: { email: "ann@a.com", name: "Ann" },
        distinct_id: "anon",
      },
      { display_name: "ann@a.com", id: ANN, distinct_id: "anon" },
      "view",
    ]);
    expect(results[3]!.slice(0, 2)).toEqual([
      { distinct_id: "ghost" },
      { display_name: "ghost", id: personIdOf(1, "ghost"), distinct_id: "ghost" },
    ]);
    const named = await ask(node, { personDisplayNameProperties: ["age", "name"] });
    const names = named.results.map((row) => (row[1] as { display_name: string }).display_name);
    expect(names).toEqual(["Ann", "Ann", "5", "ghost", "5"]);
  });

  test("puts together what has aggregates", async () => {
    const { results } = await ask({ select: ["event", "count()", "max(toInt(properties.n)) as most"] });
    expect(results[0]).toEqual(["view", 3, 30]);
    expect(results.slice(1).sort()).toEqual([
      ["$autocapture", 1, null],
      ["buy", 1, 2],
    ]);
    const many = await ask({ select: ["event", "count()"], where: ["count() > 1", "event != 'x'"] });
    expect(many.results).toEqual([["view", 3]]);
    expect((await ask({ select: ["distinct_id", "max(timestamp)"] })).results[0]).toEqual([
      "anon",
      "2020-01-12T11:00:00Z",
    ]);
    expect((await ask({ select: ["distinct_id"] })).results.map(([id]) => id)).toEqual([
      "ann",
      "anon",
      "bob",
      "bob",
      "ghost",
    ]);
  });

  test("inside of a table", async () => {
    const source = { kind: "EventsQuery", select: ["event"], limit: 1, orderBy: ["timestamp DESC"] };
    const answer = await runQuery({ kind: "DataTableNode", source }, contextOf(lake, { nowMs: NOW }));
    expect(answer.results).toEqual([["view"]]);
  });

  test.each<[{ [key: string]: Json }, string]>([
    [{ select: ["events.nothing"] }, "Unable to resolve field"],
    [{ select: ["1, 2"] }, "This must be one expression"],
    [{ select: ["1 from events"] }, "This must be one expression"],
    [{ orderBy: ["timestamp limit 5"] }, "This must be one key to order by"],
    [
      { orderBy: ["person_display_name DESC"] },
      'orderBy.0: an order by "person_display_name DESC" is not supported yet',
    ],
    [{ actionId: 8 }, "actionId: there is no action 8"],
    [{ limit: 0 }, "limit"],
    [{ nonsense: 1 }, "nonsense: unknown field"],
    [{ source: { kind: "InsightActorsQuery" } }, "source: this is not supported yet"],
    [{ where: ["event"] }, "A condition must be a boolean"],
    [{ before: "nonsense" }, 'before: "nonsense" is no date'],
    [{ before: "all" }, 'before: "all" is no date'],
    [{ after: "2020-02-30" }, 'after: "2020-02-30" is no date'],
    [{ after: "2020-01-01T00:00:00 00:00" }, "is no date"],
    [{ before: `2020-01-01_${"x".repeat(36)}` }, "is no date"],
    [{ before: `-1d_${uuid(1)}` }, "is no date"],
  ])("%j is refused", async (node, message) => {
    expect(ask(node)).rejects.toThrow(message);
  });
});

describe("pages of events of equal time", () => {
  const TEAM = 3;
  /** In the order of their ids; three times, the middle one shared by most. */
  const times = [HOUR, ...new Array<number>(40).fill(2 * HOUR), ...new Array<number>(6).fill(3 * HOUR)];
  const SAME = times.map((ageMs, i) => ({
    event: `e${i % 3}`,
    distinctId: "ann",
    properties: { n: i },
    timestampMs: NOW - ageMs,
    uuid: uuid(200 + ((i * 7) % times.length)),
  }));
  const idOf = (one: { uuid: string }) => Number(one.uuid.slice(-12));
  const oldestFirst = SAME.toSorted((a, b) => a.timestampMs - b.timestampMs || idOf(a) - idOf(b)).map(idOf);
  const newestFirst = oldestFirst.toReversed();

  // In several files, so that no order of storing helps.
  beforeAll(async () => {
    for (const part of [0, 1, 2]) {
      await lake.store(TEAM, {
        events: SAME.filter((_, i) => i % 3 === part),
        persons: [{ distinctIds: ["ann"] }],
        groups: [],
      });
    }
  });

  const read = (node: { [key: string]: Json }) => ask(node, { teamId: TEAM });
  const idsOf = ({ results }: EventsResponse) => results.map(([first]) => Number(String(first).slice(-12)));

  async function byCursor(node: { [key: string]: Json }, end: "before" | "after"): Promise<number[]> {
    const seen: number[] = [];
    let cursor: string | null = null;
    do {
      const page: EventsResponse = await read({ ...node, ...(cursor === null ? {} : { [end]: cursor }) });
      seen.push(...idsOf(page));
      expect(page.nextCursor === null).toBe(!page.hasMore);
      cursor = page.nextCursor;
    } while (cursor !== null);
    return seen;
  }

  test.each([1, 3, 7, 39, 41, 46, 47])("cursors lead through all of them, %d at a time", async (limit) => {
    const node = { select: ["uuid"], limit, after: "all" };
    expect(await byCursor({ ...node, orderBy: ["timestamp DESC"] }, "before")).toEqual(newestFirst);
    expect(await byCursor({ ...node, orderBy: ["timestamp", "uuid"] }, "after")).toEqual(oldestFirst);
  });

  test("the other end may be a cursor, too: what lies between two of them is listed", async () => {
    const cursorBehind = (id: number) => {
      const { timestampMs, uuid } = SAME.find((one) => idOf(one) === id)!;
      return `${new Date(timestampMs).toISOString()}_${uuid}`;
    };
    for (const [from, to] of [
      [5, 12],
      [2, 45],
      [0, 46],
      [6, 7],
    ]) {
      const ends = { after: cursorBehind(oldestFirst[from!]!), before: cursorBehind(oldestFirst[to!]!) };
      for (const limit of [3, 100]) {
        const node = { select: ["uuid"], ...ends, limit };
        const within = oldestFirst.slice(from! + 1, to);
        expect(await byCursor({ ...node, orderBy: ["timestamp"] }, "after")).toEqual(within);
        expect(await byCursor({ ...node, orderBy: ["timestamp DESC"] }, "before")).toEqual(within.toReversed());
      }
    }
  });

  test("a plain time leaves out all events of that time", async () => {
    const before = new Date(NOW - 2 * HOUR).toISOString();
    expect(idsOf(await read({ select: ["uuid"], orderBy: ["timestamp DESC"], after: "all", before }))).toEqual(
      newestFirst.slice(41),
    );
    expect(idsOf(await read({ select: ["uuid"], orderBy: ["timestamp"], after: before }))).toEqual(
      oldestFirst.slice(46),
    );
  });

  const age = (id: number) => SAME.find((one) => idOf(one) === id)!.timestampMs;
  const name = (id: number) => SAME.find((one) => idOf(one) === id)!.event;
  test.each<[string[], number[]]>([
    [["timestamp DESC"], newestFirst],
    [["timestamp"], oldestFirst],
    [["timestamp DESC", "uuid"], oldestFirst.toSorted((a, b) => age(b) - age(a) || a - b)],
    [["event"], newestFirst.toSorted((a, b) => name(a).localeCompare(name(b)))],
    [["timestamp", "event DESC"], oldestFirst.toSorted((a, b) => age(a) - age(b) || name(b).localeCompare(name(a)))],
  ])("offsets lead through all of them by %j", async (orderBy, expected) => {
    const seen: number[] = [];
    for (let offset = 0; offset < times.length; offset += 5) {
      seen.push(...idsOf(await read({ select: ["uuid"], orderBy, after: "all", limit: 5, offset })));
    }
    expect(seen).toEqual(expected);
  });

  test("other orders have no cursor: it would not tell where the page ended", async () => {
    for (const orderBy of [["event"], ["timestamp", "event"], ["timestamp DESC", "uuid"]]) {
      expect(await read({ orderBy, limit: 5 })).toMatchObject({ hasMore: true, nextCursor: null });
    }
    const shadowed = { select: ["toStartOfDay(timestamp) AS timestamp"], orderBy: ["timestamp"], limit: 5 };
    expect(await read(shadowed)).toMatchObject({ hasMore: true, nextCursor: null });
  });

  test("a cursor does not need the columns that it is made of, and they are not shown", async () => {
    const { results, nextCursor, columns, types, hogql } = await read({
      select: ["event"],
      orderBy: ["timestamp DESC"],
      limit: 1,
    });
    expect({ results, nextCursor, columns, types }).toEqual({
      results: [["e0"]],
      nextCursor: `2020-01-12T11:00:00.000Z_${uuid(200)}`,
      columns: ["event"],
      types: ["String"],
    });
    expect(hogql).toStartWith("SELECT event FROM events WHERE");
  });

  test("aggregates of equal value stand in one order", async () => {
    const groups: unknown[][] = [];
    for (let offset = 0; offset < times.length; offset += 5) {
      const node = { select: ["properties.n", "count() AS n"], after: "all", limit: 5, offset };
      groups.push(...(await read(node)).results);
    }
    expect(groups).toEqual(SAME.map((_, i) => [String(i), 1]).toSorted(([a], [b]) => (a! < b! ? -1 : 1)));
  });
});
