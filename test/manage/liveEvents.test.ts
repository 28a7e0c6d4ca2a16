import { afterAll, beforeAll, expect, test } from "bun:test";
import { StoredLake } from "../query/storedLake.ts";
import { type ManageServer, startManage } from "../support/manage.ts";
import type { TestEvent } from "../support/memoryLake.ts";
import { HANG_MS, until } from "../support/processes.ts";

const DAY = 86_400_000;
const TEAM = 1;

let server: ManageServer;
let lake: StoredLake;
beforeAll(async () => {
  server = await startManage();
  server.lake = lake = await StoredLake.open();
  server.deps.ingestion.arrivals = (teamId, after) => lake.arrivals(teamId, after);
});
afterAll(async () => {
  await lake.close();
  await server.stop();
});

interface Live {
  cursor: string;
  results: unknown[][];
  columns: string[];
  count: number;
  missed: number;
}

async function ask(since: string | null, parameters: Record<string, string> = {}): Promise<Live> {
  const query = new URLSearchParams({ select: '["event"]', ...parameters, ...(since !== null && { since }) });
  const { status, json, text } = await server.send("GET", `/api/environments/${TEAM}/events/live/?${query}`);
  if (status !== 200) throw new Error(text);
  return json;
}

const store = (events: readonly Partial<TestEvent>[], team = TEAM) =>
  lake.store(team, {
    events: events.map((event) => ({ event: "e", distinctId: "ann", timestampMs: server.nowMs, ...event })),
    persons: [{ distinctIds: ["ann"] }],
    groups: [],
  });

const names = ({ results }: Live) => results.map(([name]) => name);

test("each event comes once, however late, and no other project's", async () => {
  await store([{ event: "before" }, { event: "long before", timestampMs: server.nowMs - 90 * DAY }]);
  const first = await ask(null);
  expect([names(first), first.missed]).toEqual([["before", "long before"], 0]);
  expect(names(await ask(first.cursor))).toEqual([]);
  await store([{ event: "late", timestampMs: server.nowMs - 400 * DAY }]);
  await store([{ event: "foreign" }], TEAM + 1);
  await store([{ event: "ahead", timestampMs: server.nowMs + DAY }]);
  const second = await ask(first.cursor);
  expect([names(second).toSorted(), second.count, second.missed]).toEqual([["ahead", "late"], 2, 0]);
  expect(names(await ask(second.cursor))).toEqual([]);
  // The answer to a request that was asked again is the same.
  expect(names(await ask(first.cursor)).toSorted()).toEqual(["ahead", "late"]);
});

test("files that compaction has replaced are read while a pin keeps them, and counted as missed when they are gone", async () => {
  const { cursor } = await ask(null);
  await lake.pin();
  await store([{ event: "one" }]);
  await store([{ event: "two" }]);
  await lake.compact(TEAM);
  expect(names(await ask(cursor)).toSorted()).toEqual(["one", "two"]);
  expect(names(await ask(null, { limit: "2" })).toSorted()).not.toEqual([]);
  // Queries of the last second may hold them a little longer.
  await until("the files to be removed", HANG_MS, async () => {
    await lake.unpin();
    return (await ask(cursor)).missed > 0;
  });
  const after = await ask(cursor);
  expect([names(after), after.missed]).toEqual([[], 2]);
  expect((await ask(after.cursor)).missed).toBe(0);
});

test("the last ones come where there are more, with the number of all that meet the conditions", async () => {
  const { cursor } = await ask(null);
  const few = Array.from({ length: 5 }, (_, n) => ({ event: "wanted", properties: { n } }));
  await store([...few, { event: "else" }, { event: "wanted", properties: { n: 9 }, distinctId: "bob" }]);
  const filter = JSON.stringify([{ type: "event", key: "n", operator: "lt", value: 4 }]);
  const wanted = await ask(cursor, { event: "wanted", properties: filter, limit: "3", select: '["properties.n"]' });
  expect([wanted.results.length, wanted.count, wanted.columns]).toEqual([3, 4, ["properties.n"]]);
  expect((await ask(cursor, { distinct_id: "bob" })).results).toEqual([["wanted"]]);
  expect((await ask(cursor, { action_id: "77" })).count).toBe(0);
});

test("a cursor that is none is refused", async () => {
  for (const since of ["x", "1", "1_2_3", "-1_2", "9".repeat(20)]) {
    const { status } = await server.send("GET", `/api/environments/${TEAM}/events/live/?since=${since}`);
    expect([since, status]).toEqual([since, 400]);
  }
});
