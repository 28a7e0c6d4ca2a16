import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type JsonObject, personIdOf } from "../../src/types/mod.ts";
import { StoredLake } from "../query/storedLake.ts";
import { type ManageServer, startManage } from "../support/manage.ts";
import { userElse } from "./scene.ts";

const PATH = "/api/projects/1/";

let server: ManageServer;
let lake: StoredLake;
/** Of the owner, and of a member. */
let [owner, member]: string[] = [];
let [closed, open]: number[] = [];
beforeAll(async () => {
  server = await startManage();
  server.lake = lake = await StoredLake.open();
  const people = ["ann", "ben", "cy"];
  await lake.store(1, {
    events: people.map((distinctId) => ({ event: "seen", distinctId, timestampMs: server.nowMs - 3_600_000 })),
    persons: people.map((distinctId) => ({ distinctIds: [distinctId] })),
    groups: [],
  });
  owner = server.key;
  const { id: userId } = await userElse(server);
  member = (await server.createKey({ userId, scopes: ["*"], level: "member" })).value;
  closed = await newCohort({ name: "secret", is_static: true, _create_static_person_ids: [personIdOf(1, "ann")] });
  open = await newCohort({ name: "made of it", filters: inCohort(closed) });
  await send("PUT", `cohorts/${closed}/access_controls/`, { access_level: "none" });
});
afterAll(async () => {
  await lake.close();
  await server.stop();
});

async function send(method: string, path: string, body?: object, key = owner) {
  const { status, json } = await server.send(method, PATH + path, { body, key });
  return { status, json: json as JsonObject & { id: number; results: unknown[]; detail: string } };
}
const newCohort = async (body: object) => (await send("POST", "cohorts/", body)).json.id;
const cohortFilter = (value: number) => ({ type: "cohort", key: "id", value });
const inCohort = (id: number) => ({ properties: { type: "AND", values: [cohortFilter(id)] } });
const ask = (query: object, key = owner) => send("POST", "query/", { query }, key);
const sql = (query: string, more: object = {}) => ({ kind: "HogQLQuery", query, ...more });
const seen = [{ kind: "EventsNode", event: "seen" }];

/** Questions that name a cohort, each in its own way. */
const QUESTIONS: [string, (id: number, name: string) => object][] = [
  ["ActorsQuery", (id) => ({ kind: "ActorsQuery", select: ["id"], properties: [cohortFilter(id)] })],
  [
    "an insight's people",
    (id) => ({
      kind: "ActorsQuery",
      source: {
        kind: "InsightActorsQuery",
        source: { kind: "TrendsQuery", series: seen, properties: [cohortFilter(id)] },
      },
    }),
  ],
  ["events", (id) => ({ kind: "EventsQuery", select: ["distinct_id"], properties: [cohortFilter(id)] })],
  ["a filter of an insight", (id) => ({ kind: "TrendsQuery", series: seen, properties: [cohortFilter(id)] })],
  [
    "a breakdown",
    (id) => ({
      kind: "TrendsQuery",
      series: seen,
      breakdownFilter: { breakdown_type: "cohort", breakdown: [id] },
    }),
  ],
  ["SQL by id", (id) => sql(`select id from persons where id in cohort ${id}`)],
  ["SQL by name", (_, name) => sql(`select id from persons where id IN COHORT '${name}'`)],
  ["SQL by a value", (id) => sql("select id from persons where id in cohort {x}", { values: { x: id } })],
  [
    "SQL inside of a filter",
    (id) => ({
      kind: "TrendsQuery",
      series: seen,
      properties: [{ type: "hogql", key: `person_id in cohort ${id}` }],
    }),
  ],
];

describe("a cohort that is closed to a member", () => {
  test.each(QUESTIONS)("is not there for its questions: %s", async (_, question) => {
    const asked = question(closed!, "secret");
    expect((await ask(asked)).status).toBe(200);
    const { status, json } = await ask(asked, member);
    expect([status, json.detail]).toEqual([400, expect.stringMatching(/no cohort|find a? ?cohort/)]);
    expect((await ask(question(open!, "made of it"), member)).status).toBe(200);
  });

  test("has no list of persons, and no events, for it", async () => {
    const filter = encodeURIComponent(JSON.stringify([cohortFilter(closed!)]));
    const paths = [`persons/?cohort=${closed}`, `persons/?properties=${filter}`, `events/?properties=${filter}`];
    for (const path of paths) {
      expect((await send("GET", path)).json.results).toHaveLength(1);
      expect((await send("GET", path, undefined, member)).status).toBe(400);
    }
    expect((await send("GET", `cohorts/${closed}/persons/`, undefined, member)).status).toBe(404);
  });

  test("goes into no record that it makes", async () => {
    const query = { kind: "ActorsQuery", properties: [cohortFilter(closed!)] };
    const bodies: [string, object][] = [
      ["cohorts/", { filters: inCohort(closed!) }],
      ["cohorts/", { is_static: true, query }],
      ["cohorts/size/", { filters: inCohort(closed!) }],
      ["actions/", { steps: [{ event: "seen", properties: [cohortFilter(closed!)] }] }],
      ["actions/preview/", { steps: [{ event: "seen", properties: [cohortFilter(closed!)] }] }],
      [
        "file_download_batch_exports/",
        {
          file: { format: "Parquet" },
          model: "hogql",
          hogql_query: `select id from persons where id in cohort ${closed}`,
        },
      ],
    ];
    for (const [path, body] of bodies) {
      expect((await send("POST", path, body, member)).status).toBe(400);
      expect((await send("POST", path, body)).status).toBeLessThan(300);
    }
    expect((await send("PATCH", `cohorts/${open}/`, { name: "named anew" }, member)).status).toBe(200);
    expect((await send("PATCH", `cohorts/${open}/`, { filters: inCohort(closed!) }, member)).status).toBe(400);
    await send("PATCH", `cohorts/${open}/`, { name: "made of it" });
    const settings = (value: number) => ({ test_account_filters: [{ ...cohortFilter(value), operator: "not_in" }] });
    expect((await send("PATCH", "", settings(closed!), member)).status).toBe(400);
    const inSql = { test_account_filters: [{ type: "hogql", key: `person_id in cohort ${closed}` }] };
    expect((await send("PATCH", "", inSql, member)).status).toBe(400);
    expect((await send("PATCH", "", settings(open!), member)).status).toBe(200);
    // What an admin has set is read for everyone, and goes on standing when a member saves the settings.
    expect((await send("PATCH", "", settings(closed!))).status).toBe(200);
    expect((await send("PATCH", "", { ...settings(closed!), name: "anew" }, member)).status).toBe(200);
    const trend = { kind: "TrendsQuery", series: seen, filterTestAccounts: true };
    expect((await ask(trend, member)).status).toBe(200);
    await send("PATCH", "", { test_account_filters: [] });
  });

  test("stays closed in insights, in what is kept, and behind a link", async () => {
    const query = sql(`select id from persons where id in cohort ${closed}`);
    const path = `insights/${(await send("POST", "insights/", { query })).json.id}/?refresh=blocking`;
    expect((await send("GET", path)).json.result).toHaveLength(1);
    expect((await send("GET", path, undefined, member)).status).toBe(400);
    const { status, json } = await send("GET", path.replace("blocking", "force_cache"), undefined, member);
    expect([status, json.result]).toEqual([200, null]);
    const { json: link } = await send("PATCH", path.replace("?refresh=blocking", "sharing/"), { enabled: true });
    expect((await server.send("GET", `/shared/${link.access_token}.json`, { key: null })).status).toBe(400);
  });

  test("to one member by name is not there behind links, which that member could open", async () => {
    const id = await newCohort({ name: "not for one", is_static: true, _create_static_person_ids: [] });
    const query = sql(`select id from persons where id in cohort ${id}`);
    const insight = (await send("POST", "insights/", { query }, member)).json.id;
    const { json: link } = await send("PATCH", `insights/${insight}/sharing/`, { enabled: true }, member);
    const opened = async () => (await server.send("GET", `/shared/${link.access_token}.json`, { key: null })).status;
    expect(await opened()).toBe(200);
    const { json: members } = await server.send("GET", "/api/organizations/@current/members/");
    const one = (members as { results: { id: string; level: number }[] }).results.find(({ level }) => level === 1);
    const named = { access_level: "none", organization_member: one!.id };
    expect((await send("PUT", `cohorts/${id}/access_controls/`, named)).status).toBe(200);
    expect(await opened()).toBe(400);
  });

  test("is there again where its level allows it, and for those that made it", async () => {
    const [, question] = QUESTIONS[0]!;
    const own = (await send("POST", "cohorts/", { is_static: true, csv: "ben" }, member)).json.id;
    await send("PUT", `cohorts/${own}/access_controls/`, { access_level: "none" });
    expect((await ask(question(own, ""), member)).json.results).toHaveLength(1);
    await send("PUT", `cohorts/${closed}/access_controls/`, { access_level: "viewer" });
    expect((await ask(question(closed!, ""), member)).json.results).toEqual([[personIdOf(1, "ann")]]);
    const wish = { resource: "cohort", access_level: "none" };
    await send("PUT", `cohorts/${closed}/access_controls/`, { access_level: null });
    await send("PUT", "resource_access_controls/", wish);
    expect((await ask(question(closed!, ""), member)).status).toBe(400);
    expect((await ask(question(own, ""), member)).json.results).toHaveLength(1);
    await send("PUT", "resource_access_controls/", { ...wish, access_level: null });
    await send("PUT", `cohorts/${closed}/access_controls/`, { access_level: "none" });
  });
});
