import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { CohortCounts } from "../../src/manage/mod.ts";
import { type Json, type JsonObject, personIdOf, RetryableError, TerminalError } from "../../src/types/mod.ts";
import { StoredLake } from "../query/storedLake.ts";
import { emptyLake } from "../query/support.ts";
import { type ManageServer, startManage } from "../support/manage.ts";
import { userElse } from "./scene.ts";

const HOUR = 3_600_000;

let server: ManageServer;
let lake: StoredLake;
let counts: CohortCounts;
beforeAll(async () => {
  server = await startManage({ cohortPersonsMax: 4 });
  server.lake = lake = await StoredLake.open();
  counts = new CohortCounts({ ...server.deps, calculator: server.deps.queries.calculator });
  await store(1, ["ann", "ben"], "buy");
  await store(1, ["cy"], "view");
});
afterAll(async () => {
  await lake.close();
  await server.stop();
});

const store = (teamId: number, distinctIds: string[], event: string) =>
  lake.store(teamId, {
    events: distinctIds.map((distinctId) => ({ event, distinctId, timestampMs: server.nowMs - HOUR })),
    persons: distinctIds.map((distinctId) => ({ distinctIds: [distinctId] })),
    groups: [],
  });
const send = async (method: string, path: string, body?: object, project = 1) => {
  const { status, json } = await server.send(method, `/api/projects/${project}/${path}`, { body });
  return { status, json: json as JsonObject & { id: number; results: JsonObject[] } };
};
const did = (key: string) => ({
  properties: {
    type: "AND",
    values: [
      { type: "behavioral", value: "performed_event", key, event_type: "events", time_value: 7, time_interval: "day" },
    ],
  },
});
const saved = async (filters: Json, project = 1) => (await send("POST", "cohorts/", { filters }, project)).json;
const shown = async (id: number, project = 1) => (await send("GET", `cohorts/${id}/`, undefined, project)).json;
/** Counts all that is due. */
const countAll = async () => {
  while (await counts.step());
};

describe("the cohorts of a person", () => {
  const of = (distinctId: string) => `persons/cohorts/?person_id=${personIdOf(1, distinctId)}`;
  const named = async (distinctId: string) =>
    (await send("GET", of(distinctId))).json.results.map(({ name, is_static }) => [name, is_static]);

  test("are those that it is in now, of any kind, and open to the caller", async () => {
    const ids = [
      await send("POST", "cohorts/", { name: "buyers of the week", filters: did("buy") }),
      await send("POST", "cohorts/", {
        name: "a list",
        is_static: true,
        _create_static_person_ids: [personIdOf(1, "cy")],
      }),
    ].map(({ json }) => json.id);
    expect(await named("ann")).toEqual([["buyers of the week", false]]);
    expect(await named("cy")).toEqual([["a list", true]]);
    await server.send("PUT", `/api/projects/1/cohorts/${ids[0]}/access_controls/`, { body: { access_level: "none" } });
    const { id: userId } = await userElse(server);
    const { value: key } = await server.createKey({ userId, scopes: ["cohort:read"], level: "member" });
    const closed = await server.send("GET", `/api/projects/1/${of("ann")}`, { key });
    expect(closed.json as unknown).toEqual({ results: [] });
    for (const id of ids) await send("PATCH", `cohorts/${id}/`, { deleted: true });
    expect(await named("ann")).toEqual([]);
  });

  test("of somebody that is not there are none", async () => {
    expect((await send("GET", of("nobody"))).status).toBe(404);
    expect((await send("GET", of("ann"), undefined, 1)).status).toBe(200);
    expect((await send("GET", "persons/cohorts/?person_id=ann")).status).toBe(404);
    expect((await send("GET", "persons/cohorts/")).json).toMatchObject({ code: "required", attr: "person_id" });
  });
});

describe("the count of a cohort by behavior", () => {
  test("is made after it was saved, and again after a change", async () => {
    const made = await saved(did("buy"));
    const waiting = { count: null, is_calculating: true, last_calculation: null, errors_calculating: 0 };
    expect(made).toMatchObject({ ...waiting, cohort_type: "behavioral", is_static: false });
    await countAll();
    const told = {
      is_calculating: false,
      last_calculation: new Date(server.nowMs).toISOString(),
      errors_calculating: 0,
    };
    const counted = await shown(made.id);
    expect({ ...counted, last_calculation: new Date(String(counted.last_calculation)).toISOString() }).toMatchObject({
      ...told,
      count: 2,
    });
    const listed = (await send("GET", `cohorts/${made.id}/persons/`)).json.results.map(({ id }) => id);
    expect(listed.sort()).toEqual([personIdOf(1, "ann"), personIdOf(1, "ben")].sort());
    await send("PATCH", `cohorts/${made.id}/`, { name: "buyers" });
    expect(await shown(made.id)).toMatchObject({ is_calculating: false });
    await send("PATCH", `cohorts/${made.id}/`, { filters: did("view") });
    expect(await shown(made.id)).toMatchObject({ is_calculating: true, count: 2 });
    await countAll();
    expect(await shown(made.id)).toMatchObject({ is_calculating: false, count: 1 });
  });

  test("is made again after a while, and not before", async () => {
    const { id } = await saved(did("look"));
    await countAll();
    expect(await shown(id)).toMatchObject({ count: 0 });
    await store(1, ["dan"], "look");
    expect(await counts.step()).toBe(false);
    server.nowMs += HOUR;
    await countAll();
    expect(await shown(id)).toMatchObject({ count: 1 });
  });

  test("that fails is told and tried again, later each time; one that could not begin is no failure", async () => {
    const { id } = await saved(did("buy"));
    const failing = (error: Error) => {
      server.lake = { ...emptyLake, query: () => Promise.reject(error) };
    };
    failing(new RetryableError("queries_busy", "too many"));
    await countAll();
    expect(await shown(id)).toMatchObject({ count: null, errors_calculating: 0, is_calculating: false });
    failing(new TerminalError("query_timeout", "too long"));
    server.nowMs += 60_000;
    await countAll();
    expect(await shown(id)).toMatchObject({ count: null, errors_calculating: 1 });
    server.nowMs += 59_999;
    expect(await counts.step()).toBe(false);
    server.nowMs += 1;
    await countAll();
    expect(await shown(id)).toMatchObject({ count: null, errors_calculating: 2 });
    server.nowMs += 119_999;
    expect(await counts.step()).toBe(false);
    server.lake = lake;
    server.nowMs += 1;
    await countAll();
    expect(await shown(id)).toMatchObject({ count: 2, errors_calculating: 0 });
  });

  test("of a change during the calculation is not that of before", async () => {
    const { id } = await saved(did("buy"));
    let changed = false;
    server.lake = {
      ...emptyLake,
      query: async (query) => {
        if (!changed) await send("PATCH", `cohorts/${id}/`, { filters: did("view") });
        changed = true;
        return lake.query(query);
      },
    };
    await counts.step();
    expect(await shown(id)).toMatchObject({ count: null, is_calculating: true });
    server.lake = lake;
    await countAll();
    expect(await shown(id)).toMatchObject({ count: 1 });
  });

  test("is made for projects in turns, and for each of its own data", async () => {
    const { id: project } = (await server.send("POST", "/api/projects/", { body: {} })).json as { id: number };
    await store(project, ["eve"], "buy");
    const many = [await saved(did("buy")), await saved(did("buy")), await saved(did("buy"))];
    const other = await saved(did("buy"), project);
    await counts.step();
    await counts.step();
    expect(await shown(other.id, project)).toMatchObject({ count: 1 });
    const waiting = await Promise.all(many.map(async ({ id }) => (await shown(id)).is_calculating));
    expect(waiting.filter((is) => is)).toHaveLength(2);
    expect((await send("GET", `cohorts/${other.id}/`)).status).toBe(404);
    await countAll();
  });

  test("stops with its process", async () => {
    const running = new CohortCounts({ ...server.deps, calculator: server.deps.queries.calculator }).start();
    await running.stop();
    await saved(did("buy"));
    expect(await counts.step()).toBe(true);
  });
});

test.each<[Json, string]>([
  [[{ type: "person", key: "a", operator: "is_set" }], "person_property"],
  [did("buy").properties.values, "behavioral"],
  [
    [...did("buy").properties.values, { ...did("buy").properties.values[0]!, value: "performed_event_first_time" }],
    "analytical",
  ],
])("%j is of its type", async (values, type) => {
  expect(await saved({ properties: { type: "OR", values } })).toMatchObject({ cohort_type: type });
});

describe("a static cohort of a query", () => {
  const trend = {
    kind: "TrendsQuery",
    series: [{ kind: "EventsNode", event: "buy" }],
    dateRange: { date_from: "-7d" },
  };
  const behind = (source: JsonObject = { kind: "InsightActorsQuery", source: trend }) => ({
    kind: "ActorsQuery",
    source,
  });
  const make = (query: Json, more = {}) => send("POST", "cohorts/", { name: "saved", is_static: true, query, ...more });
  const total = async () => (await send("GET", "cohorts/?limit=1")).json.count;

  test("has the persons behind a number, whatever page the query asks for", async () => {
    const day = new Date(server.nowMs - HOUR).toISOString().slice(0, 10);
    const query = {
      ...behind({ kind: "InsightActorsQuery", source: trend, day, series: 0 }),
      limit: 1,
      select: ["actor"],
    };
    const { status, json } = await make(query);
    expect(status).toBe(201);
    expect(json).toMatchObject({ count: 2, is_static: true, query, errors_calculating: 0, is_calculating: false });
    expect(json.last_calculation).not.toBeNull();
    const listed = (await send("GET", `cohorts/${json.id}/persons/`)).json.results.map(({ id }) => id);
    expect(listed.sort()).toEqual([personIdOf(1, "ann"), personIdOf(1, "ben")].sort());
    await send("PATCH", `cohorts/${json.id}/`, { deleted: true });
  });

  test("may be of a step of a funnel", async () => {
    const series = ["buy", "view"].map((event) => ({ kind: "EventsNode", event }));
    const funnel = { kind: "FunnelsQuery", series, dateRange: { date_from: "-7d" } };
    const { json } = await make(behind({ kind: "FunnelsActorsQuery", source: funnel, funnelStep: 1 }));
    expect(json).toMatchObject({ count: 2, cohort_type: "static" });
    await send("PATCH", `cohorts/${json.id}/`, { deleted: true });
  });

  test("may be of HogQL", async () => {
    const source = { kind: "HogQLQuery", query: "SELECT DISTINCT person_id FROM events WHERE event = 'view'" };
    const { json } = await make(behind(source));
    expect(json).toMatchObject({ count: 1 });
    await send("PATCH", `cohorts/${json.id}/`, { deleted: true });
  });

  test.each<[Json, object, string]>([
    [trend, {}, "Must be an ActorsQuery."],
    [behind(), { is_static: false, filters: did("buy") }, "Only a static cohort is made of a query."],
    [
      behind({ kind: "InsightActorsQuery", source: { ...trend, series: [{ kind: "EventsNode", colour: 1 }] } }),
      {},
      "colour",
    ],
    [behind({ kind: "InsightActorsQuery", source: { ...trend, aggregation_group_type_index: 0 } }), {}, "groups"],
    [behind({ kind: "HogQLQuery", query: "SELECT 'x' AS person_id" }), {}, ""],
    [behind({ kind: "HogQLQuery", query: "SELECT nope AS person_id FROM events" }), {}, "nope"],
  ])("%j is refused, and nothing is made", async (query, more, detail) => {
    const before = await total();
    const { status, json } = await make(query, more);
    expect({ status, attr: json.attr }).toEqual({ status: 400, attr: "query" });
    expect(String(json.detail)).toContain(detail);
    expect(await total()).toBe(before);
  });

  test("that fails or has too many persons is not made", async () => {
    const before = await total();
    server.lake = { ...emptyLake, query: () => Promise.reject(new TerminalError("query_timeout", "too long")) };
    expect(await make(behind())).toMatchObject({ status: 400, json: { attr: "query", detail: "too long" } });
    server.lake = lake;
    await store(1, ["p1", "p2", "p3", "p4", "p5"], "many");
    const many = { kind: "HogQLQuery", query: "SELECT DISTINCT person_id FROM events" };
    expect(await make(behind(many))).toMatchObject({ status: 400, json: { code: "max_length" } });
    expect(await total()).toBe(before);
  });
});
