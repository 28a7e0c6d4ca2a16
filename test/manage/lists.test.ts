import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { StoredLake } from "../query/storedLake.ts";
import { type ManageServer, startManage } from "../support/manage.ts";

const HOUR_MS = 3_600_000;

let server: ManageServer;
let lake: StoredLake;
let token: string;
/** Of a second project, which has nothing. */
let other: { id: number; api_token: string };
beforeAll(async () => {
  server = await startManage();
  server.lake = lake = await StoredLake.open();
  const now = server.nowMs;
  const groups = [
    { index: 0 as const, key: "acme", properties: { name: "Acme Inc.", seats: 5 }, createdAtMs: now - 2 * HOUR_MS },
    { index: 0 as const, key: "beta", properties: { name: "Beta" }, createdAtMs: now - HOUR_MS },
    { index: 1 as const, key: "acme", properties: {}, createdAtMs: now },
  ];
  await lake.store(1, { events: [{ event: "e", distinctId: "ada", timestampMs: now }], persons: [], groups });
  await server.db.write(
    (tx) => tx`insert into group_types (team_id, group_type, group_index) values (1, 'team', 1), (1, 'company', 0)`,
  );
  token = (await get("/api/projects/1/")).json.api_token as string;
  other = (await server.send("POST", "/api/projects/", { body: { name: "other" } })).json as typeof other;
});
afterAll(async () => {
  await lake.close();
  await server.stop();
});

async function get(path: string, o: { key?: string | null; headers?: Record<string, string> } = {}) {
  const reply = await server.send("GET", path, o);
  return { status: reply.status, text: reply.text, json: reply.json as Record<string, unknown> };
}

const PAGE = { count: 0, next: null, previous: null, results: [] };

describe("what Weir does not have", () => {
  test.each<[string, object]>([
    ["feature_flags/", PAGE],
    ["surveys/", PAGE],
    ["experiments/", PAGE],
    ["error_tracking/issues/", PAGE],
    ["early_access_features/", PAGE],
    ["session_recordings/", { results: [], has_next: false, version: 4 }],
  ])("%s is an empty list in its form", async (path, empty) => {
    for (const prefix of ["projects/1", "environments/1", "projects/@current"]) {
      expect((await get(`/api/${prefix}/${path}?limit=5&offset=0`)).json).toEqual(empty as never);
    }
    expect((await server.send("POST", `/api/projects/1/${path}`, { body: {} })).status).toBe(405);
  });

  test("a key can have the scopes for it", async () => {
    const body = { label: "mcp", scopes: ["feature_flag:read", "survey:read", "group:read", "error_tracking:write"] };
    const made = await server.send("POST", "/api/personal_api_keys/", { body });
    expect(made.status).toBe(201);
    const { value } = made.json as { value: string };
    expect((await get("/api/projects/1/feature_flags/", { key: value })).status).toBe(200);
    expect((await get("/api/projects/1/experiments/", { key: value })).status).toBe(403);
  });

  test("the payload of a flag is 404 without a body, which SDKs would take for the payload", async () => {
    const reply = await get(`/api/projects/@current/feature_flags/any/remote_config?token=${token}`);
    expect([reply.status, reply.text]).toEqual([404, ""]);
  });
});

describe("flags to be evaluated by SDKs", () => {
  const PATHS = ["/flags/definitions", "/flags/definitions/", "/api/feature_flag/local_evaluation/"];
  const NONE = { flags: [], cohorts: {} };

  test.each(PATHS)("%s tells the project of the token, of the header, or the key's", async (path) => {
    const own = { ...NONE, group_type_mapping: { "0": "company", "1": "team" } };
    const others = { ...NONE, group_type_mapping: {} };
    expect((await get(`${path}?send_cohorts`)).json).toEqual(own);
    expect((await get(`${path}?token=${token}&send_cohorts`)).json).toEqual(own);
    expect((await get(`${path}?token=${other.api_token}`)).json).toEqual(others);
    const headers = { "X-PostHog-Project-Api-Key": other.api_token };
    expect((await get(path, { headers })).json).toEqual(others);
  });

  test.each([...PATHS, "/api/feature_flag/"])("%s needs a personal key that may ask", async (path) => {
    const limited = async (wish: Parameters<typeof server.createKey>[0]) => (await server.createKey(wish)).value;
    const status = async (key: string | null, search = `?token=${token}`) => (await get(path + search, { key })).status;
    expect(await status("phx_bogus")).toBe(401);
    expect(await status(null)).toBe(401);
    expect(await status(token)).toBe(401);
    expect(await status(server.key, "?token=phc_unknown")).toBe(401);
    expect(await status(await limited({ scopes: ["insight:read"] }))).toBe(403);
    const key = await limited({ scopes: ["feature_flag:read"], scopedTeams: [other.id] });
    expect(await status(key)).toBe(403);
    expect(await status(key, `?token=${other.api_token}`)).toBe(200);
    expect(await status(key, "")).toBe(200);
  });

  test("the list of old SDKs is empty", async () => {
    expect((await get(`/api/feature_flag/?token=${token}`)).json).toEqual(PAGE);
  });
});

describe("groups", () => {
  const types = ["company", "team"].map((group_type, group_type_index) => ({
    group_type,
    group_type_index,
    name_singular: null,
    name_plural: null,
    detail_dashboard: null,
    default_columns: null,
    created_at: null,
  }));
  const keysOf = async (search: string) =>
    ((await get(`/api/projects/1/groups/${search}`)).json.results as { group_key: string }[]).map(
      (one) => one.group_key,
    );

  test("have types, told by their index, also of the environment", async () => {
    expect((await get("/api/environments/1/groups_types/")).json).toEqual(types as never);
    expect((await get(`/api/environments/${other.id}/groups_types/`)).json).toEqual([] as never);
    expect((await get("/api/environments/1/")).json).toMatchObject({ has_group_types: true, group_types: types });
  });

  test("are listed by type, the newest first, in pages", async () => {
    const first = (await get("/api/projects/1/groups/?group_type_index=0&limit=1")).json;
    expect(first).toEqual({
      next: `${server.url}/api/projects/1/groups/?group_type_index=0&limit=1&offset=1`,
      previous: null,
      results: [
        {
          group_type_index: 0,
          group_key: "beta",
          group_properties: { name: "Beta" },
          created_at: new Date(server.nowMs - HOUR_MS).toISOString(),
        },
      ],
    });
    const second = (await get(String(first.next).slice(server.url.length))).json;
    expect(second).toMatchObject({ next: null, results: [{ group_key: "acme", group_properties: { seats: 5 } }] });
    expect(await keysOf("?group_type_index=1")).toEqual(["acme"]);
    expect(await keysOf("?group_type_index=4")).toEqual([]);
    expect((await get(`/api/projects/${other.id}/groups/?group_type_index=0`)).json.results).toEqual([]);
  });

  test("are found by a part of key or properties, or by their key", async () => {
    expect(await keysOf("?group_type_index=0&search=INC.")).toEqual(["acme"]);
    expect(await keysOf("?group_type_index=0&search=Bet")).toEqual(["beta"]);
    expect(await keysOf("?group_type_index=0&group_key=acme")).toEqual(["acme"]);
    expect(await keysOf("?group_type_index=0&group_key=acm")).toEqual([]);
    const find = (search: string) => get(`/api/projects/1/groups/find/${search}`);
    expect((await find("?group_type_index=0&group_key=acme")).json).toMatchObject({ group_properties: { seats: 5 } });
    expect((await find("?group_type_index=1&group_key=beta")).status).toBe(404);
    expect((await find("?group_type_index=1")).json).toMatchObject({ code: "required", attr: "group_key" });
  });

  test("are deleted one by one, of one's own project alone, with the right to write them", async () => {
    const groups = (project: number) => `/api/environments/${project}/groups/`;
    const remove = (search: string, project = 1, key?: string) =>
      server.send("DELETE", `${groups(project)}${search}`, key === undefined ? {} : { key });
    const acme = "?group_type_index=0&group_key=acme";
    expect((await remove("?group_type_index=0")).json).toMatchObject({ code: "required", attr: "group_key" });
    expect((await remove("?group_key=acme")).json).toMatchObject({ code: "required", attr: "group_type_index" });
    expect((await remove("?group_type_index=5&group_key=acme")).status).toBe(400);
    const [reader, writer] = [
      await server.createKey({ scopes: ["group:read", "person:write"] }),
      await server.createKey({ scopes: ["group:write"], scopedTeams: [1], level: "member" }),
    ];
    expect((await remove(acme, 1, reader.value)).status).toBe(403);
    expect((await remove(acme, other.id, writer.value)).status).toBe(403);
    expect((await remove(acme, other.id)).status).toBe(404);
    expect((await remove("?group_type_index=0&group_key=nobody", 1, writer.value)).status).toBe(404);
    const { status, text } = await remove(acme, 1, writer.value);
    expect([status, text]).toEqual([202, ""]);
  });

  test("are told beside whom they were seen in the last 90 days, the newest first", async () => {
    const at = (days: number) => server.nowMs - days * 24 * HOUR_MS;
    const event = (distinctId: string, days: number, groups: Record<string, string>) => ({
      event: "worked",
      distinctId,
      timestampMs: at(days),
      properties: groups,
    });
    await lake.store(1, {
      events: [
        event("ada", 1, { $group_0: "acme", $group_1: "team 7" }),
        event("ada", 2, { $group_0: "beta" }),
        event("bob", 3, { $group_0: "acme" }),
        event("eve", 91, { $group_0: "acme", $group_1: "old" }),
      ],
      persons: ["ada", "bob", "eve"].map((distinctId) => ({
        distinctIds: [distinctId],
        properties: { name: distinctId },
      })),
      groups: [],
    });
    const related = async (search: string) => {
      const { json } = await get(`/api/projects/1/groups/related/${search}`);
      return (json as unknown as Record<string, unknown>[]).map((one) => [one.type, one.group_key ?? one.name]);
    };
    expect(await related("?group_type_index=0&id=acme")).toEqual([
      ["person", "ada"],
      ["person", "bob"],
      ["group", "team 7"],
    ]);
    const [ada] = (await get("/api/projects/1/persons/?distinct_id=ada")).json.results as { uuid: string }[];
    expect(await related(`?id=${ada!.uuid}`)).toEqual([
      ["group", "acme"],
      ["group", "beta"],
      ["group", "team 7"],
    ]);
    expect(await related("?id=nobody")).toEqual([]);
    expect((await get("/api/projects/1/groups/related/")).json).toMatchObject({ code: "required", attr: "id" });
    expect((await get(`/api/projects/${other.id}/groups/related/?group_type_index=0&id=acme`)).json).toEqual(
      [] as never,
    );
  });

  test.each(["", "?group_type_index=5", "?group_type_index=x"])("need a type to be listed: %p", async (search) => {
    const { status, json } = await get(`/api/projects/1/groups/${search}`);
    expect([status, json.attr]).toEqual([400, "group_type_index"]);
  });
});

describe("GET /api/environments/", () => {
  test("lists those of all projects in pages", async () => {
    const { json } = await get("/api/environments/?limit=1");
    expect(json).toMatchObject({ count: 2, next: `${server.url}/api/environments/?limit=1&offset=1`, previous: null });
    expect(Object.keys((json.results as object[])[0]!)).toEqual(
      Object.keys(((await get("/api/projects/1/environments/")).json.results as object[])[0]!),
    );
    expect((await get("/api/environments/?offset=1")).json).toMatchObject({ results: [{ id: other.id }] });
  });

  test("has only what is open to the key", async () => {
    const member = (await server.createKey({ scopes: ["project:read"], level: "member" })).value;
    const body = { access_level: "none" };
    await server.send("PUT", `/api/environments/${other.id}/access_controls/`, { body });
    expect((await get("/api/environments/", { key: member })).json).toMatchObject({ count: 1, results: [{ id: 1 }] });
    await server.send("PUT", `/api/environments/${other.id}/access_controls/`, { body: { access_level: null } });
  });
});

describe("fields that clients know", () => {
  test.each<[string, object]>([
    ["/api/projects/1/", { secret_api_token: null, secret_api_token_backup: null }],
    ["/api/organizations/@current/", { plugins_access_level: 0, metadata: {}, customer_id: null, member_count: 1 }],
    [
      "/api/users/@me/",
      {
        is_impersonated: false,
        is_impersonated_until: null,
        has_sso_enforcement: false,
        sensitive_session_expires_at: null,
      },
    ],
  ])("%s", async (path, fields) => {
    expect((await get(path)).json).toMatchObject(fields as Record<string, unknown>);
  });

  test("of a dashboard", async () => {
    const body = { name: "d", filters: { date_from: "-7d" } };
    const made = (await server.send("POST", "/api/projects/1/dashboards/", { body })).json as object;
    const listed = { access_control_version: "v1", last_accessed_at: null, last_refresh: null };
    expect(made).toMatchObject({ ...listed, persisted_filters: body.filters, persisted_variables: {} });
    expect((await get("/api/projects/1/dashboards/")).json).toMatchObject({ results: [listed] });
  });
});
