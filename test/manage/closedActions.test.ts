import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { JsonObject } from "../../src/types/mod.ts";
import { StoredLake } from "../query/storedLake.ts";
import { type ManageServer, startManage } from "../support/manage.ts";
import { userElse } from "./scene.ts";

const PATH = "/api/projects/1/";
/** What answers have by chance has neither of these ids. No record has the second. */
const [CLOSED, MISSING] = [123_456, 987_654];

let server: ManageServer;
let lake: StoredLake;
/** Of the owner, and of a member. */
let [owner, member]: string[] = [];
let open: number;
beforeAll(async () => {
  server = await startManage();
  server.lake = lake = await StoredLake.open();
  await lake.store(1, {
    events: ["seen", "bought"].map((event) => ({ event, distinctId: "ann", timestampMs: server.nowMs - 3_600_000 })),
    persons: [{ distinctIds: ["ann"] }],
    groups: [],
  });
  owner = server.key;
  const { id: userId } = await userElse(server);
  member = (await server.createKey({ userId, scopes: ["*"], level: "member" })).value;
  const secret = await newAction({ name: "secret", steps: [{ event: "bought" }] });
  await server.db.write((tx) => tx`update project_objects set id = ${CLOSED} where id = ${secret}`);
  open = await newAction({ name: "open", steps: [{ event: "bought" }] });
  await close(CLOSED);
});
afterAll(async () => {
  await lake.close();
  await server.stop();
});

async function send(method: string, path: string, body?: object, key = owner) {
  const { status, json } = await server.send(method, PATH + path, { body, key });
  return { status, json: json as JsonObject & { id: number; results: unknown[]; detail: string } };
}
const newAction = async (body: object) => (await send("POST", "actions/", body)).json.id;
const close = (id: number) => send("PUT", `actions/${id}/access_controls/`, { access_level: "none" });
const ask = (query: object, key = owner) => send("POST", "query/", { query }, key);
const sql = (query: string, more: object = {}) => ({ kind: "HogQLQuery", query, ...more });
const hogql = (key: string) => ({ type: "hogql", key });
const action = (id: number) => ({ kind: "ActionsNode", id });
const seen = { kind: "EventsNode", event: "seen" };
const trend = (id: number) => ({ kind: "TrendsQuery", series: [action(id)] });
const funnel = (id: number) => ({ kind: "FunnelsQuery", series: [seen, action(id)] });
const actors = (source: object) => ({ kind: "ActorsQuery", select: ["id"], source });
const didIt = (id: number) => ({
  properties: {
    type: "AND",
    values: [
      {
        ...{ type: "behavioral", value: "performed_event", key: id, event_type: "actions" },
        ...{ time_value: 30, time_interval: "day" },
      },
    ],
  },
});

/** Questions that name an action, each in its own way. */
const QUESTIONS: [string, (id: number, name: string) => object][] = [
  ["a trend", trend],
  [
    "one of several in a series",
    (id) => ({ ...trend(id), series: [{ kind: "GroupNode", nodes: [seen, action(id)] }] }),
  ],
  ["a formula", (id) => ({ ...trend(id), series: [seen, action(id)], trendsFilter: { formula: "A+B" } })],
  ["the people of a trend", (id) => actors({ kind: "InsightActorsQuery", source: trend(id) })],
  ["a funnel", funnel],
  [
    "an exclusion",
    (id) => ({
      kind: "FunnelsQuery",
      series: [seen, { kind: "EventsNode", event: "bought" }],
      funnelsFilter: { exclusions: [{ ...action(id), funnelFromStep: 0, funnelToStep: 1 }] },
    }),
  ],
  ["the people of a funnel", (id) => actors({ kind: "FunnelsActorsQuery", source: funnel(id), funnelStep: 1 })],
  [
    "correlation",
    (id) => ({
      kind: "FunnelCorrelationQuery",
      source: { kind: "FunnelsActorsQuery", source: funnel(id), funnelStep: 1 },
      funnelCorrelationType: "events",
    }),
  ],
  [
    "retention",
    (id) => ({
      kind: "RetentionQuery",
      retentionFilter: { targetEntity: { id, type: "actions" }, returningEntity: { id: "seen", type: "events" } },
    }),
  ],
  [
    "who returns",
    (id) => ({
      kind: "RetentionQuery",
      retentionFilter: { targetEntity: { id: "seen", type: "events" }, returningEntity: { id, kind: "ActionsNode" } },
    }),
  ],
  ["lifecycle", (id) => ({ kind: "LifecycleQuery", series: [action(id)] })],
  ["stickiness", (id) => ({ kind: "StickinessQuery", series: [action(id)] })],
  ["events", (id) => ({ kind: "EventsQuery", select: ["event"], actionId: id })],
  ["SQL by id", (id) => sql(`select event from events where matchesAction(${id})`)],
  ["SQL by name", (_, name) => sql(`select event from events where matchesAction('${name}')`)],
  ["SQL by a value", (id) => sql("select event from events where matchesAction({x})", { values: { x: id } })],
  [
    "SQL inside of a filter",
    (id) => ({ kind: "TrendsQuery", series: [seen], properties: [hogql(`matchesAction(${id})`)] }),
  ],
  [
    "help for SQL",
    (id) => ({ kind: "HogQLMetadata", language: "hogQL", query: sql(`select matchesAction(${id}) from events`).query }),
  ],
];

/** An answer without what differs at each calculation, and with one word for the id and the name of what is asked about. */
function shown({ status, json }: { status: number; json: JsonObject }, id: number, name: string) {
  const {
    cache_key,
    last_refresh,
    next_allowed_client_refresh,
    query_metadata,
    timings,
    query_status,
    clickhouse,
    ...rest
  } = json;
  const text = JSON.stringify({ status, rest });
  const placeless = text.replaceAll(/"(start|end)":\d+/g, "");
  return placeless.replaceAll(String(id), "ID").replaceAll(name, "NAME");
}

describe("an action that is closed to a member", () => {
  test.each(QUESTIONS)("is not there for its questions: %s", async (_, question) => {
    const [asked, missing] = [question(CLOSED, "secret"), question(MISSING, "nowhere")];
    const whole = shown(await ask(asked), CLOSED, "secret");
    const ofMissing = shown(await ask(missing, member), MISSING, "nowhere");
    expect(whole).not.toBe(ofMissing);
    expect(shown(await ask(asked, member), CLOSED, "secret")).toBe(ofMissing);
    expect((await ask(question(open, "open"), member)).status).toBe(200);
  });

  test("has no list of events for it", async () => {
    const path = `events/?action_id=${CLOSED}`;
    expect((await send("GET", path)).json.results).toHaveLength(1);
    expect((await send("GET", path, undefined, member)).json.results).toHaveLength(0);
    const filter = encodeURIComponent(JSON.stringify([hogql(`matchesAction(${CLOSED})`)]));
    expect((await send("GET", `events/?properties=${filter}`)).json.results).toHaveLength(1);
    expect((await send("GET", `events/?properties=${filter}`, undefined, member)).status).toBe(400);
  });

  test("goes into no record that it makes", async () => {
    const bodies: [string, object][] = [
      ["cohorts/", { filters: didIt(CLOSED) }],
      [
        "cohorts/",
        { is_static: true, query: actors({ kind: "FunnelsActorsQuery", source: funnel(CLOSED), funnelStep: 1 }) },
      ],
      ["cohorts/size/", { filters: didIt(CLOSED) }],
      [
        "file_download_batch_exports/",
        {
          ...{ file: { format: "Parquet" }, model: "hogql" },
          hogql_query: `select event from events where matchesAction(${CLOSED})`,
        },
      ],
    ];
    for (const [path, body] of bodies) {
      expect([path, (await send("POST", path, body, member)).status]).toEqual([path, 400]);
      expect((await send("POST", path, body)).status).toBeLessThan(300);
    }
  });

  test("is read in cohorts as their maker meant it", async () => {
    const { id } = (await send("POST", "cohorts/", { filters: didIt(CLOSED) })).json;
    const inIt = sql(`select count() from persons where id in cohort ${id}`);
    expect((await ask(inIt, member)).json.results).toEqual([[1]]);
    expect((await send("PATCH", `cohorts/${id}/`, { name: "named anew" }, member)).status).toBe(200);
    expect((await send("PATCH", `cohorts/${id}/`, { filters: didIt(CLOSED) }, member)).status).toBe(400);
    // Also where the question names an action itself.
    const both = sql(`select count() from events where person_id in cohort ${id} and matchesAction(${open})`);
    expect((await ask(both, member)).json.results).toEqual([[1]]);
  });

  test("stands in filters of test accounts for everyone, where an admin has put it", async () => {
    const settings = { test_account_filters: [hogql(`not matchesAction(${CLOSED})`)] };
    expect((await send("PATCH", "", settings, member)).status).toBe(400);
    expect((await send("PATCH", "", settings)).status).toBe(200);
    const tested = (node: object) => ask({ ...node, filterTestAccounts: true }, member);
    expect((await tested({ kind: "TrendsQuery", series: [seen] })).status).toBe(200);
    // Also where the question names actions itself.
    const { status, json } = await tested(trend(open));
    expect([status, (json.results[0] as { count: number }).count]).toEqual([200, 0]);
    expect((await tested({ kind: "EventsQuery", select: ["event"], actionId: open })).json.results).toEqual([]);
    const inSql = sql("select count() from events where matchesAction('open') and {filters}", {
      filters: { filterTestAccounts: true },
    });
    expect((await ask(inSql, member)).json.results).toEqual([[0]]);
    await send("PATCH", "", { test_account_filters: [] });
  });

  test("stays closed in insights, in what is kept, in files, and behind a link", async () => {
    const query = sql(`select event from events where matchesAction(${CLOSED})`);
    const path = `insights/${(await send("POST", "insights/", { query })).json.id}/?refresh=blocking`;
    expect((await send("GET", path)).json.result).toHaveLength(1);
    expect((await send("GET", path, undefined, member)).status).toBe(400);
    expect((await send("GET", `${path}&format=csv`, undefined, member)).status).toBe(400);
    const { status, json } = await send("GET", path.replace("blocking", "force_cache"), undefined, member);
    expect([status, json.result]).toEqual([200, null]);
    const { json: link } = await send("PATCH", path.replace("?refresh=blocking", "sharing/"), { enabled: true });
    expect((await server.send("GET", `/shared/${link.access_token}.json`, { key: null })).status).toBe(400);
  });

  test("may be named by what is saved, like one that does not exist: it is asked for in the name of who looks", async () => {
    const saved = async (id: number) => {
      const query = { kind: "InsightVizNode", source: trend(id) };
      const { status, json } = await send("POST", "insights/", { query }, member);
      const read = await send("GET", `insights/${json.id}/?refresh=blocking`, undefined, member);
      return [status, JSON.stringify(read.json.result).replaceAll(String(id), "ID")];
    };
    expect(await saved(CLOSED)).toEqual(await saved(MISSING));
  });

  test("to one member by name is not there behind links, which that member could open", async () => {
    const id = await newAction({ name: "not for one", steps: [{ event: "seen" }] });
    const query = sql(`select event from events where matchesAction(${id})`);
    const insight = (await send("POST", "insights/", { query }, member)).json.id;
    const { json: link } = await send("PATCH", `insights/${insight}/sharing/`, { enabled: true }, member);
    const opened = async () => (await server.send("GET", `/shared/${link.access_token}.json`, { key: null })).status;
    expect(await opened()).toBe(200);
    const { json: members } = await server.send("GET", "/api/organizations/@current/members/");
    const one = (members as { results: { id: string; level: number }[] }).results.find(({ level }) => level === 1);
    const named = { access_level: "none", organization_member: one!.id };
    expect((await send("PUT", `actions/${id}/access_controls/`, named)).status).toBe(200);
    expect(await opened()).toBe(400);
  });

  test("does not hide an open one of its name", async () => {
    await newAction({ name: "twice", steps: [{ event: "seen" }] }).then(close);
    await newAction({ name: "twice", steps: [{ event: "bought" }] });
    const query = sql("select event from events where matchesAction('twice')");
    expect((await ask(query)).json.results).toEqual([["seen"]]);
    expect((await ask(query, member)).json.results).toEqual([["bought"]]);
  });

  test("is there again where its level allows it, and for those that made it", async () => {
    const found = async (id: number) =>
      (await ask({ kind: "EventsQuery", select: ["event"], actionId: id }, member)).status;
    const own = (await send("POST", "actions/", { name: "own", steps: [{ event: "seen" }] }, member)).json.id;
    await close(own);
    expect(await found(own)).toBe(200);
    await send("PUT", `actions/${CLOSED}/access_controls/`, { access_level: "viewer" });
    expect(await found(CLOSED)).toBe(200);
    await send("PUT", `actions/${CLOSED}/access_controls/`, { access_level: null });
    const wish = { resource: "action", access_level: "none" };
    await send("PUT", "resource_access_controls/", wish);
    expect(await found(CLOSED)).toBe(400);
    expect(await found(own)).toBe(200);
    await send("PUT", "resource_access_controls/", { ...wish, access_level: null });
    await close(CLOSED);
  });
});
