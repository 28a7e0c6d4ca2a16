import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { type QueryContext, runQuery } from "../../src/query/mod.ts";
import type { Db } from "../../src/store/mod.ts";
import type { Bus } from "../../src/stream/mod.ts";
import { type RunningBroker, startTestBroker } from "../support/broker.ts";
import { type ManageServer, startManage } from "../support/manage.ts";

type Insight = Record<string, unknown> & { id: number; last_refresh: string | null; query_status: unknown };

let broker: RunningBroker;
let server: ManageServer;
/** Calls of the query layer so far. */
let calls: { node: unknown; context: QueryContext }[] = [];

beforeAll(async () => {
  broker = await startTestBroker();
  // Nobody takes from it here: what is begun in the background stays so.
  server = await startManage({}, queueOf(broker.bus));
});
afterAll(async () => {
  await server.stop();
  await broker.stop();
});
beforeEach(() => {
  calls = [];
  server.answerQueries(async (node, context) => {
    calls.push({ node, context });
    return { results: [{ data: [calls.length] }], hasMore: false, hogql: "SELECT 1" };
  });
});

const queueOf = (bus: Bus) => bus.workQueue({ name: "refresh", ackWaitMs: 5_000, maxAgeMs: 600_000, log: () => {} });

const insights = "/api/environments/1/insights/";
const create = async (body: object, path = insights) => (await server.send("POST", path, { body })).json as Insight;
const get = async (id: number, query = "") => (await server.send("GET", `${insights}${id}/${query}`)).json as Insight;

const HOUR_MS = 3_600_000;
let eventNumber = 0;
/** A query that nothing else asks. */
const trends = (extra: object = {}) => ({
  kind: "InsightVizNode",
  source: { kind: "TrendsQuery", series: [{ kind: "EventsNode", event: `e${++eventNumber}` }], ...extra },
});

/** As a commit of new events does. */
const raiseDataVersion = (db: Db) =>
  db.write(
    (tx) => tx`insert into project_versions (team_id, version, merges_version) values (1, 1, 0)
      on conflict (team_id) do update set version = project_versions.version + 1`,
  );

describe("every mode in every state", () => {
  /** What each mode answers: the kept result, a new one, or none; and whether it begins a calculation meanwhile. */
  type Outcome = "kept" | "new" | "none" | "kept+begun" | "begun";
  const STATES = ["miss", "very fresh", "somewhat fresh", "stale"] as const;
  const EXPECTED: Record<string, readonly Outcome[]> = {
    force_cache: ["none", "kept", "kept", "kept"],
    blocking: ["new", "kept", "new", "new"],
    async: ["begun", "kept", "kept+begun", "kept+begun"],
    lazy_async: ["begun", "kept", "kept", "kept+begun"],
    force_blocking: ["new", "new", "new", "new"],
    force_async: ["begun", "begun", "begun", "begun"],
    async_except_on_cache_miss: ["new", "kept", "kept+begun", "kept+begun"],
  };
  const cells = Object.entries(EXPECTED).flatMap(([mode, outcomes]) =>
    STATES.map((state, i) => ({ mode, state, outcome: outcomes[i]! })),
  );
  const AGE_MS = { miss: 0, "very fresh": 6 * HOUR_MS, "somewhat fresh": 12 * HOUR_MS, stale: 12 * HOUR_MS + 1 };

  test.each(cells)("$mode, $state: $outcome", async ({ mode, state, outcome }) => {
    const { id } = await create({ query: trends() });
    if (state !== "miss") await get(id, "?refresh=blocking");
    const keptCalls = calls.length;
    server.nowMs += AGE_MS[state];
    await raiseDataVersion(server.db);
    const answer = await get(id, `?refresh=${mode}`);
    const calculated = calls.length - keptCalls;
    const isKept = outcome.startsWith("kept");
    const hasBegun = outcome.endsWith("begun");
    expect({ calculated, ...answer }).toMatchObject({
      calculated: outcome === "new" ? 1 : 0,
      is_cached: isKept,
      result: isKept || outcome === "new" ? [{ data: [calls.length] }] : null,
      query_status: hasBegun ? { complete: false, error: false, query_async: true, results: null } : null,
    });
    // Once begun, it is not begun again, and everybody is told.
    if (hasBegun) expect((await get(id, "?refresh=force_async")).query_status).toEqual(answer.query_status);
    if (isKept && hasBegun) expect((await get(id)).query_status).toEqual(answer.query_status);
  });

  test("there are 28 of them", () => {
    expect(cells).toHaveLength(28);
  });
});

describe("refresh", () => {
  test("force_cache looks only, blocking calculates once, then both find it", async () => {
    const { id } = await create({ query: trends() });
    expect(await get(id)).toMatchObject({ result: null, is_cached: false, last_refresh: null, timezone: null });
    expect(await get(id, "?refresh=banana")).toMatchObject({ result: null });
    expect(calls).toHaveLength(0);
    const calculated = await get(id, "?refresh=blocking");
    const now = new Date(server.nowMs).toISOString();
    expect(calculated).toMatchObject({
      result: [{ data: [1] }],
      hasMore: false,
      hogql: "SELECT 1",
      is_cached: false,
      last_refresh: now,
      cache_target_age: new Date(server.nowMs + 6 * HOUR_MS).toISOString(),
      timezone: "UTC",
      query_status: null,
    });
    expect(await get(id, "?refresh=blocking")).toMatchObject({ is_cached: true, last_refresh: now });
    expect(await get(id)).toMatchObject({ is_cached: true, result: [{ data: [1] }], timezone: "UTC" });
    expect(calls).toHaveLength(1);
    expect(calls[0]!.context).toMatchObject({ teamId: 1, timezone: "UTC", weekStartDay: 0, nowMs: server.nowMs });
  });

  test("force_blocking always calculates", async () => {
    const { id } = await create({ query: trends() });
    const first = await get(id, "?refresh=force_blocking");
    server.nowMs += 1;
    const second = await get(id, "?refresh=true");
    expect([first.is_cached, second.is_cached]).toEqual([false, false]);
    expect(second.last_refresh! > first.last_refresh!).toBe(true);
    expect(await get(id)).toMatchObject({ last_refresh: second.last_refresh });
  });

  test.each([
    ["hour", HOUR_MS],
    ["day", 6 * HOUR_MS],
    [undefined, 6 * HOUR_MS],
    ["week", 24 * HOUR_MS],
    ["month", 48 * HOUR_MS],
  ])("a result by %s is fresh for %d ms, then stale", async (interval, freshMs) => {
    const { id } = await create({ query: trends({ interval }) });
    await get(id, "?refresh=blocking");
    server.nowMs += freshMs;
    expect(await get(id, "?refresh=blocking")).toMatchObject({ is_cached: true });
    server.nowMs += 1;
    await raiseDataVersion(server.db);
    expect(await get(id)).toMatchObject({ is_cached: true, result: [{ data: [1] }] });
    expect(await get(id, "?refresh=blocking")).toMatchObject({ is_cached: false, result: [{ data: [2] }] });
  });

  describe("a result that is known to be exact is as good as new", () => {
    const isCached = async (id: number) => (await get(id, "?refresh=blocking")).is_cached;

    test("a closed range, until a late event comes into it", async () => {
      const { id } = await create({ query: trends({ dateRange: { date_from: "2021-01-01", date_to: "2021-02-01" } }) });
      expect(await isCached(id)).toBe(false);
      server.nowMs += 1000 * HOUR_MS;
      expect(await isCached(id)).toBe(true);
      await raiseDataVersion(server.db);
      expect(await isCached(id)).toBe(false);
      expect(await isCached(id)).toBe(true);
    });

    test("the last days, until midnight passes", async () => {
      server.nowMs = Date.UTC(2026, 2, 1, 1);
      const { id } = await create({ query: trends({ dateRange: { date_from: "-7d" } }) });
      expect(await isCached(id)).toBe(false);
      server.nowMs = Date.UTC(2026, 2, 1, 23, 59, 59);
      expect(await isCached(id)).toBe(true);
      server.nowMs = Date.UTC(2026, 2, 2);
      expect(await isCached(id)).toBe(false);
    });

    test("midnight is that of the environment", async () => {
      const zone = (timezone: string) =>
        server.send("PATCH", "/api/projects/1/environments/1/", { body: { timezone } });
      await zone("Asia/Tokyo");
      server.nowMs = Date.UTC(2026, 2, 5, 16);
      const { id } = await create({ query: trends() });
      expect(await isCached(id)).toBe(false);
      server.nowMs = Date.UTC(2026, 2, 6, 14, 59, 59);
      expect(await isCached(id)).toBe(true);
      server.nowMs = Date.UTC(2026, 2, 6, 15);
      expect(await isCached(id)).toBe(false);
      await zone("UTC");
    });

    test("all time, and SQL that does not read the clock", async () => {
      const all = await create({ query: trends({ dateRange: { date_from: "all", date_to: "2026-01-01" } }) });
      const sql = await create({ query: { kind: "HogQLQuery", query: "select count() from events -- a" } });
      for (const { id } of [all, sql]) await isCached(id);
      server.nowMs += 1000 * HOUR_MS;
      for (const { id } of [all, sql]) expect(await isCached(id)).toBe(true);
    });

    test.each([
      ["a start that moves with the clock", trends({ dateRange: { date_from: "-30d", date_to: "2021-02-01" } })],
      ["SQL that reads the clock", { kind: "HogQLQuery", query: "select count() from events where timestamp < now()" }],
      [
        "a filter in SQL",
        trends({
          dateRange: { date_from: "2021-01-01", date_to: "2021-01-02" },
          properties: [{ type: "hogql", key: "1" }],
        }),
      ],
      ["a number of this moment", trends({ trendsFilter: { display: "BoldNumber" } })],
    ])("not %s", async (_, query) => {
      const { id } = await create({ query });
      await isCached(id);
      server.nowMs += 1000 * HOUR_MS;
      expect(await isCached(id)).toBe(false);
    });
  });

  test("equal queries share a result whatever the order of keys; tags do not count", async () => {
    const [one, other] = [trends(), trends()];
    other.source.series = one.source.series.map(({ kind, event }) => ({ event, kind }));
    const first = await create({ query: one });
    const second = await create({ query: { ...other.source, tags: { productKey: "x" } } });
    await get(first.id, "?refresh=blocking");
    expect(await get(second.id)).toMatchObject({ is_cached: true });
  });

  test("the filters for test accounts are part of the question", async () => {
    const { id } = await create({ query: trends({ filterTestAccounts: true }) });
    await get(id, "?refresh=blocking");
    const filters = [{ key: "$host", value: "localhost", operator: "is_not", type: "event" }];
    const settings = (test_account_filters: unknown) =>
      server.send("PATCH", "/api/projects/1/environments/1/", { body: { test_account_filters } });
    await settings(filters);
    await get(id, "?refresh=blocking");
    expect(calls.map((call) => call.context.testAccountFilters)).toEqual([[], filters]);
    await settings([]);
    expect(await get(id)).toMatchObject({ is_cached: true, result: [{ data: [1] }] });
  });

  test("what counts as a user is part of the question", async () => {
    const { id } = await create({ query: trends() });
    const settings = (extra_settings: object) =>
      server.send("PATCH", "/api/projects/1/environments/1/", { body: { extra_settings } });
    await get(id, "?refresh=blocking");
    await settings({ aggregate_users_by_distinct_id: true });
    await get(id, "?refresh=blocking");
    expect(calls.map((call) => call.context.aggregateByDistinctId)).toEqual([false, true]);
    await settings({});
    expect(await get(id)).toMatchObject({ is_cached: true, result: [{ data: [1] }] });
  });

  test("time zone and week start are part of the question", async () => {
    const { id } = await create({ query: trends() });
    const settings = (body: object) => server.send("PATCH", "/api/projects/1/environments/1/", { body });
    await get(id, "?refresh=blocking");
    await settings({ timezone: "Asia/Tokyo" });
    expect(await get(id)).toMatchObject({ result: null });
    await settings({ timezone: "UTC", week_start_day: 1 });
    expect(await get(id)).toMatchObject({ result: null });
    await get(id, "?refresh=blocking");
    expect(calls.at(-1)!.context).toMatchObject({ weekStartDay: 1 });
    await settings({ week_start_day: 0 });
    expect(await get(id)).toMatchObject({ is_cached: true });
  });

  test("another environment never sees the result", async () => {
    const query = trends();
    await get((await create({ query })).id, "?refresh=blocking");
    const second = (await server.send("POST", "/api/projects/1/environments/", { body: {} })).json as { id: number };
    const path = `/api/environments/${second.id}/insights/`;
    expect(await create({ query }, path)).toMatchObject({ result: null });
  });
});

describe("the query endpoint", () => {
  const ask = (body: object, query = "") => server.send("POST", `/api/environments/1/query/${query}`, { body });

  test("answers with the result and the fields about the cache", async () => {
    const reply = await ask({ query: trends() });
    expect(reply.status).toBe(200);
    expect(reply.json).toMatchObject({
      results: [{ data: [1] }],
      is_cached: false,
      last_refresh: new Date(server.nowMs).toISOString(),
      cache_key: expect.stringMatching(/^cache_[0-9a-f]{64}$/),
      timezone: "UTC",
      query_status: null,
    } as never);
  });

  test("takes nothing from the cache that newer data has made wrong, unless told so", async () => {
    const query = { kind: "HogQLQuery", query: `select count() + ${++eventNumber}` };
    const isCached = async (refresh?: unknown) => ((await ask({ query, refresh })).json as Insight).is_cached;
    expect(await isCached()).toBe(false);
    expect(await isCached()).toBe(true);
    await raiseDataVersion(server.db);
    expect(await isCached("blocking")).toBe(true);
    expect(await isCached("force_cache")).toBe(false);
    expect(await isCached(false)).toBe(true);
    expect(await isCached("force_blocking")).toBe(false);
    expect(await isCached(true)).toBe(false);
    expect(((await ask({ query, refresh: "blocking" }, "?refresh=force_blocking")).json as Insight).is_cached).toBe(
      false,
    );
  });

  test("takes nothing from the cache where a cohort means the moment", async () => {
    server.runQuery = runQuery;
    const isCached = async (filter: object) => {
      const properties = { type: "AND", values: [{ type: "person", key: "seen", ...filter }] };
      const body = { name: `cohort ${++eventNumber}`, filters: { properties } };
      const cohort = (await server.send("POST", "/api/projects/1/cohorts/", { body })).json as Insight;
      const query = trends({ properties: [{ type: "cohort", value: cohort.id }] });
      await ask({ query });
      return ((await ask({ query })).json as Insight).is_cached;
    };
    expect(await isCached({ operator: "exact", value: ["-7d"] })).toBe(true);
    expect(await isCached({ operator: "is_date_after", value: "-7d" })).toBe(false);
    const did = { type: "behavioral", value: "performed_event", event_type: "events", explicit_datetime: "2020-01-01" };
    expect(await isCached(did)).toBe(false);
  });

  test("a result with an error in it is not kept", async () => {
    server.answerQueries(async () => ({ results: [], error: "no such field" }));
    const query = { kind: "HogQLQuery", query: `select x${++eventNumber}`, explain: true };
    expect((await ask({ query })).json).toMatchObject({ error: "no such field", is_cached: false } as never);
    expect((await ask({ query })).json).toMatchObject({ is_cached: false } as never);
  });

  test.each([
    [{}, "parse_error"],
    [{ query: "select 1" }, "parse_error"],
    [{ query: { kind: "HogQLQuery", query: "select 1" }, nope: 1 }, "parse_error"],
    [{ query: { kind: "HogQLQuery", query: "select 1" }, refresh: "banana" }, "parse_error"],
    [{ query: { kind: "HogQLQuery", query: "select 1" }, filters_override: "-1d" }, "parse_error"],
    [{ query: { kind: "HogQLQuery", query: "select 1" }, limit_context: "export" }, "invalid_choice"],
  ])("%j is refused", async (body, code) => {
    const reply = await ask(body);
    expect(reply.status).toBe(400);
    expect(reply.json).toMatchObject({ code } as never);
    expect(calls).toHaveLength(0);
  });
});
