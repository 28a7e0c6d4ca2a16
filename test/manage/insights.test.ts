import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import type { ManageDeps } from "../../src/manage/mod.ts";
import type { Db } from "../../src/metadata/mod.ts";
import { type ManageServer, startManage } from "../support/manage.ts";

type QueryContext = Parameters<ManageDeps["runQuery"]>[1];
type Insight = Record<string, unknown> & { id: number; short_id: string; last_refresh: string | null };

let server: ManageServer;
/** Calls of the query layer so far. */
let calls: { node: unknown; context: QueryContext }[] = [];

beforeAll(async () => {
  server = await startManage();
});
afterAll(() => server.stop());
beforeEach(() => {
  calls = [];
  server.runQuery = (async (node: unknown, context: QueryContext) => {
    calls.push({ node, context });
    return { results: [{ data: [calls.length] }], hasMore: false, hogql: "SELECT 1" };
  }) as unknown as ManageDeps["runQuery"];
});

const insights = "/api/environments/1/insights/";
const create = async (body: object, path = insights) => (await server.send("POST", path, { body })).json as Insight;
const get = async (id: number, query = "") => (await server.send("GET", `${insights}${id}/${query}`)).json as Insight;
const patch = (id: number, body: object) => server.send("PATCH", `${insights}${id}/`, { body });
const list = async (query: string) =>
  (await server.send("GET", insights + query)).json as { count: number; results: Insight[]; previous: string | null };

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

/** Every field of the spec's Insight table, and the cache key that clients see beside them. */
const INSIGHT_FIELDS =
  "id short_id name derived_name filters query order deleted dashboards dashboard_tiles last_refresh cache_target_age next_allowed_client_refresh result hasMore columns created_at created_by description updated_at tags favorited saved last_modified_at last_modified_by is_sample effective_restriction_level effective_privilege_level user_access_level timezone is_cached query_status hogql types filters_hash".split(
    " ",
  );

describe("insights", () => {
  test("an empty body makes one with the defaults, and all documented fields", async () => {
    const made = await create({});
    expect(Object.keys(made).sort()).toEqual([...INSIGHT_FIELDS].sort());
    expect(made).toMatchObject({
      name: null,
      derived_name: null,
      filters: {},
      query: null,
      order: null,
      deleted: false,
      saved: false,
      favorited: false,
      tags: [],
      dashboards: [],
      dashboard_tiles: [],
      result: null,
      is_cached: false,
      created_by: { id: 1, is_email_verified: false, hedgehog_config: {} },
    });
    expect(made.short_id).toMatch(/^[A-Za-z0-9]{8}$/);
    expect(await get(made.id)).toEqual(made);
  });

  test("keeps the query as it was sent, and no filters beside it", async () => {
    const query = { kind: "DataTableNode", source: { kind: "EventsQuery", select: ["*"] }, showOpenEditorButton: true };
    expect(await create({ query, filters: { insight: "TRENDS" } })).toMatchObject({ query, filters: {} });
  });

  test.each([
    [{ query: "not a valid query" }, "parse_error", null],
    [{ query: {} }, "parse_error", null],
    [{ query: { kind: "Tomato Soup" } }, "parse_error", null],
    [{ query: { kind: "InsightVizNode" } }, "parse_error", null],
    [{ query: { kind: "InsightVizNode", source: { kind: "Soup" } } }, "parse_error", null],
    [{ name: "x".repeat(401) }, "max_length", "name"],
    [{ order: 2 ** 31 }, "max_value", "order"],
    [{ order: 1.5 }, "invalid_input", "order"],
    [{ deleted: "perhaps" }, "invalid_input", "deleted"],
    [{ filters: [] }, "invalid_input", "filters"],
    [{ tags: "a" }, "not_a_list", "tags"],
    [{ dashboards: [5] }, "does_not_exist", "dashboards"],
  ])("%j is refused as %s", async (body, code, attr) => {
    const reply = await server.send("POST", insights, { body });
    expect(reply.status).toBe(400);
    expect(reply.json).toMatchObject({ code, attr } as never);
  });

  test("read-only fields are ignored", async () => {
    const made = await create({ name: "a" });
    const reply = await patch(made.id, { filters_hash: "zzz", short_id: "hacked", id: 5, created_by: null });
    expect(reply.status).toBe(200);
    expect(reply.json).toMatchObject({
      id: made.id,
      name: "a",
      short_id: made.short_id,
      created_by: { id: 1 },
    } as never);
  });

  test("a rename moves last_modified_at, a favourite and a tag only updated_at", async () => {
    const made = await create({ name: "a" });
    const favoured = (await patch(made.id, { favorited: true, tags: [" B", "a", "b"] })).json as Insight;
    expect(favoured).toMatchObject({ favorited: true, tags: ["a", "b"], last_modified_at: made.last_modified_at });
    expect(String(favoured.updated_at) > String(made.updated_at)).toBe(true);
    const renamed = (await patch(made.id, { name: "XYZ" })).json as Insight;
    expect(String(renamed.last_modified_at) > String(made.last_modified_at)).toBe(true);
    expect(renamed).toMatchObject({ name: "XYZ", favorited: true, tags: ["a", "b"] });
  });

  test("is deleted softly and comes back", async () => {
    const made = await create({ name: "a" });
    expect((await patch(made.id, { deleted: true, name: "b" })).json).toMatchObject({
      deleted: true,
      name: "b",
    } as never);
    expect((await server.send("GET", `${insights}${made.id}/`)).status).toBe(404);
    expect((await patch(made.id, { name: "c" })).status).toBe(404);
    expect((await patch(made.id, { deleted: "false" })).status).toBe(404);
    expect((await list("?limit=1000")).results.map((one) => one.id)).not.toContain(made.id);
    expect((await patch(made.id, { deleted: false })).json).toMatchObject({ deleted: false, name: "b" } as never);
    expect((await server.send("GET", `${insights}${made.id}/`)).status).toBe(200);
  });

  test("DELETE is 405 without a body", async () => {
    const made = await create({});
    const reply = await server.send("DELETE", `${insights}${made.id}/`);
    expect([reply.status, reply.text]).toEqual([405, ""]);
    expect((await server.send("GET", `${insights}${made.id}/`)).status).toBe(200);
  });

  test("is the same under both of its paths", async () => {
    const made = await create({ name: "both" }, "/api/projects/1/insights/");
    expect(await get(made.id)).toEqual(made);
  });

  test("is found by the list's filters", async () => {
    const made = await create({ name: "n1", tags: ["needle77"], saved: true });
    await create({ name: "n2", description: "a NEEDLE77", favorited: true });
    expect((await list("?search=needle77")).count).toBe(2);
    expect((await list("?search=needle77&favorited")).results.map((one) => one.name)).toEqual(["n2"]);
    expect((await list("?search=needle77&saved=true")).results.map((one) => one.name)).toEqual(["n1"]);
    expect((await list("?search=needle77&order=-name")).results.map((one) => one.name)).toEqual(["n2", "n1"]);
    expect((await list(`?short_id=${made.short_id}`)).results).toEqual([made]);
    expect((await list("?created_by=999")).count).toBe(0);
    expect(await list("?limit=1")).toMatchObject({ previous: null, results: [{}] });
    const [basic] = (await list("?basic=true&limit=1")).results;
    const expected =
      "id short_id name derived_name favorited filters query dashboards dashboard_tiles description last_refresh refreshing saved updated_at created_by created_at last_modified_at tags";
    expect(Object.keys(basic!).sort()).toEqual(expected.split(" ").sort());
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
    expect(await get(id)).toMatchObject({ is_cached: true, result: [{ data: [1] }] });
    expect(await get(id, "?refresh=blocking")).toMatchObject({ is_cached: false, result: [{ data: [2] }] });
  });

  test("a closed range stays exact until new data comes", async () => {
    const { id } = await create({ query: trends({ dateRange: { date_from: "2021-01-01", date_to: "2021-02-01" } }) });
    await get(id, "?refresh=blocking");
    server.nowMs += 1000 * HOUR_MS;
    expect(await get(id, "?refresh=blocking")).toMatchObject({ is_cached: true });
    await raiseDataVersion(server.db);
    expect(await get(id, "?refresh=blocking")).toMatchObject({ is_cached: false });
  });

  test("a range that moves with the clock is not closed", async () => {
    const { id } = await create({ query: trends({ dateRange: { date_from: "-30d", date_to: "2021-02-01" } }) });
    await get(id, "?refresh=blocking");
    server.nowMs += 1000 * HOUR_MS;
    expect(await get(id, "?refresh=blocking")).toMatchObject({ is_cached: false });
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

  test.each(["async", "lazy_async", "force_async", "async_except_on_cache_miss"])(
    "%s says that it is missing",
    async (mode) => {
      const { id } = await create({ query: trends() });
      const reply = await server.send("GET", `${insights}${id}/?refresh=${mode}`);
      expect(reply.status).toBe(400);
      expect(reply.json).toMatchObject({
        type: "validation_error",
        detail: `refresh mode ${mode} is not available yet`,
      } as never);
    },
  );
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

  test("a result with an error in it is not kept", async () => {
    server.runQuery = (async () => ({ results: [], error: "no such field" })) as unknown as ManageDeps["runQuery"];
    const query = { kind: "HogQLQuery", query: `select x${++eventNumber}`, explain: true };
    expect((await ask({ query })).json).toMatchObject({ error: "no such field", is_cached: false } as never);
    expect((await ask({ query })).json).toMatchObject({ is_cached: false } as never);
  });

  test.each([
    [{}, "parse_error"],
    [{ query: "select 1" }, "parse_error"],
    [{ query: { kind: "HogQLQuery", query: "select 1" }, nope: 1 }, "parse_error"],
    [{ query: { kind: "HogQLQuery", query: "select 1" }, refresh: "banana" }, "parse_error"],
    [{ query: { kind: "HogQLQuery", query: "select 1" }, filters_override: { date_from: "-1d" } }, "parse_error"],
    [{ query: { kind: "HogQLQuery", query: "select 1" }, limit_context: "export" }, "invalid_choice"],
    [{ query: { kind: "HogQLQuery", query: "select 1" }, async: true }, "invalid_choice"],
    [{ query: { kind: "HogQLQuery", query: "select 1" }, refresh: "force_async" }, "invalid_choice"],
  ])("%j is refused", async (body, code) => {
    const reply = await ask(body);
    expect(reply.status).toBe(400);
    expect(reply.json).toMatchObject({ code } as never);
    expect(calls).toHaveLength(0);
  });
});
