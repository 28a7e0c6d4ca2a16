import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createUser, findOwner } from "../../src/metadata/mod.ts";
import { personIdOf } from "../../src/types/mod.ts";
import { type ManageServer, startManage } from "../support/manage.ts";

let server: ManageServer;
/** A key of somebody else, with every scope. */
let other: string;
/** Whose it is. */
let elseId: number;
beforeAll(async () => {
  server = await startManage();
  elseId = await server.db.write(async (tx) => {
    const { organizationId } = (await findOwner(tx))!;
    const user = { organizationId, level: "member" as const, firstName: "Else", email: "else@example.com", nowMs: 0 };
    return (await createUser(tx, user)).id;
  });
  other = (await server.createKey({ userId: elseId, scopes: ["*"], level: "member" })).value;
});
afterAll(() => server.stop());

const insights = "/api/projects/1/insights/";
const send = async (method: string, path: string, body?: object, key = server.key) => {
  const { status, json } = await server.send(method, `${insights}${path}`, { body, key });
  return { status, json: json as { id: number; user_access_level: string; results: { id: number }[]; detail: string } };
};
const newInsight = async () => (await send("POST", "", { name: "mine" })).json.id;
const limit = (id: number, access_level: string | null) => send("PUT", `${id}/access_controls/`, { access_level });

describe("what others may do with an insight", () => {
  test("is to change it, where nothing else was said", async () => {
    const id = await newInsight();
    expect(await send("GET", `${id}/`, undefined, other)).toMatchObject({ json: { user_access_level: "editor" } });
    expect((await send("PATCH", `${id}/`, { name: "ours" }, other)).status).toBe(200);
    expect((await send("GET", `${id}/`)).json.user_access_level).toBe("manager");
  });

  test("can be to look at it only", async () => {
    const id = await newInsight();
    expect(await limit(id, "viewer")).toMatchObject({
      status: 200,
      json: { access_level: "viewer", created_by: { id: 1 } },
    });
    expect((await send("GET", `${id}/`, undefined, other)).json.user_access_level).toBe("viewer");
    expect(await send("PATCH", `${id}/`, { name: "ours" }, other)).toMatchObject({
      status: 403,
      json: { detail: "You don't have edit permissions for this insight." },
    });
    expect((await send("PATCH", `${id}/sharing/`, { enabled: true }, other)).status).toBe(403);
    expect((await send("PUT", `${id}/access_controls/`, { access_level: "manager" }, other)).status).toBe(403);
    expect((await send("PATCH", `${id}/`, { name: "mine" })).status).toBe(200);
    expect((await limit(id, null)).status).toBe(204);
    expect((await limit(id, null)).status).toBe(204);
    expect((await send("PATCH", `${id}/`, { name: "ours" }, other)).status).toBe(200);
  });

  test("can be nothing: it is neither found nor listed", async () => {
    const id = await newInsight();
    await limit(id, "none");
    for (const path of [`${id}/`, `${id}/sharing/`, `${id}/activity/`, `${id}/access_controls/`]) {
      expect((await send("GET", path, undefined, other)).status).toBe(404);
    }
    expect((await send("PATCH", `${id}/`, { name: "ours" }, other)).status).toBe(404);
    const listed = async (key?: string) =>
      (await send("GET", "?limit=1000", undefined, key)).json.results.map((one) => one.id);
    expect(await listed()).toContain(id);
    expect(await listed(other)).not.toContain(id);
  });

  test("is recorded, and must be said", async () => {
    const id = await newInsight();
    expect(await send("PUT", `${id}/access_controls/`, {})).toMatchObject({ json: { code: "required" } });
    const logged = await send("GET", `${id}/activity/`);
    await limit(id, "viewer");
    expect((await send("GET", `${id}/activity/`)).json.results).toHaveLength(logged.json.results.length + 1);
  });
});

/** What a kind of object is made with, and changed with. */
const KINDS = [
  ["insights", { name: "mine" }],
  ["dashboards", { name: "mine" }],
  ["cohorts", { name: "mine", is_static: true, csv: "ada" }],
  ["actions", { name: "mine" }],
] as const;

describe.each(KINDS)("a level of one of the %s", (path, body) => {
  const all = `/api/projects/1/${path}/`;
  let member: string;
  let id: number;
  const ask = async (method: string, end: string, sent?: object, key = member) => {
    const reply = await server.send(method, all + end, { body: sent, key });
    return { status: reply.status, json: (reply.json ?? {}) as Record<string, unknown> };
  };
  const say = (access_level: string | null, key = server.key) =>
    ask("PUT", `${id}/access_controls/`, { access_level }, key);

  beforeAll(async () => {
    member = (await server.createKey({ userId: elseId, scopes: ["*"], level: "member" })).value;
    id = Number((await ask("POST", "", body, server.key)).json.id);
  });

  test("counts for a member's key, and never for an admin's", async () => {
    const admin = (await server.createKey({ scopes: ["*"], level: "admin" })).value;
    const levels = async (key: string) => [
      (await ask("GET", `${id}/`, undefined, key)).json.user_access_level,
      (await ask("GET", `${id}/access_controls/`, undefined, key)).json.user_access_level,
    ];
    for (const level of [null, "viewer", "editor", "manager"]) {
      await say(level);
      expect(await levels(member)).toEqual(Array(2).fill(level ?? "editor"));
      expect(await levels(admin)).toEqual(["manager", "manager"]);
    }
    await say("none");
    expect(await levels(admin)).toEqual(["manager", "manager"]);
    await say(null);
  });

  test("viewer: to look at", async () => {
    await say("viewer");
    expect((await ask("GET", `${id}/`)).status).toBe(200);
    expect((await ask("PATCH", `${id}/`, { name: "other" })).status).toBe(403);
    expect((await say("manager", member)).status).toBe(403);
    await say("editor");
    expect((await ask("PATCH", `${id}/`, { name: "other" })).status).toBe(200);
    expect((await say("manager", member)).status).toBe(403);
    await say("manager");
    expect((await say(null, member)).status).toBe(204);
  });

  test("none: neither found nor listed nor counted", async () => {
    const count = async (key: string) => Number((await ask("GET", "", undefined, key)).json.count);
    const before = [await count(member), await count(server.key)] as const;
    await say("none");
    for (const end of ["", "activity/", "access_controls/"]) {
      expect((await ask("GET", `${id}/${end}`)).status).toBe(404);
    }
    expect((await ask("PATCH", `${id}/`, { name: "other" })).status).toBe(404);
    expect([await count(member), await count(server.key)]).toEqual([before[0] - 1, before[1]]);
    await say(null);
  });

  test("is shown, recorded, and one of the four", async () => {
    expect((await ask("GET", `${id}/access_controls/`)).json).toEqual({
      access_controls: [],
      available_access_levels: ["none", "viewer", "editor", "manager"],
      default_access_level: "editor",
      user_access_level: "editor",
      user_can_edit_access_levels: false,
    });
    expect((await say("viewer")).json).toMatchObject({
      access_level: "viewer",
      resource: path.slice(0, -1),
      resource_id: String(id),
      organization_member: null,
      role: null,
    });
    expect((await say("member")).json).toMatchObject({ code: "invalid_input", attr: "access_level" });
    const { results } = (await ask("GET", `${id}/activity/`)).json as { results: { detail: { changes: object[] } }[] };
    expect(results[0]!.detail.changes).toEqual([
      expect.objectContaining({ field: "access_level", before: null, after: "viewer" }),
    ]);
    await say(null);
  });
});

describe("what hangs on an object that may only be looked at", () => {
  const create = async (path: string, body: object) =>
    Number(((await server.send("POST", `/api/projects/1/${path}/`, { body })).json as { id: number }).id);
  const limited = async (path: string, id: number, access_level: string) =>
    (await server.send("PUT", `/api/projects/1/${path}/${id}/access_controls/`, { body: { access_level } })).status;

  test("the insights of a dashboard", async () => {
    const { value: key } = await server.createKey({ userId: elseId, scopes: ["*"], level: "member" });
    const dashboard = await create("dashboards", { name: "fixed" });
    const insight = await create("insights", { name: "on it", dashboards: [dashboard] });
    const other = await create("insights", { name: "not on it" });
    await limited("dashboards", dashboard, "viewer");
    const status = async (method: string, path: string, body: object) =>
      (await server.send(method, `/api/projects/1/${path}`, { body, key })).status;
    expect(await status("POST", "insights/", { name: "new", dashboards: [dashboard] })).toBe(403);
    expect(await status("PATCH", `insights/${insight}/`, { dashboards: [] })).toBe(403);
    expect(await status("PATCH", `insights/${insight}/`, { dashboards: [dashboard], name: "same" })).toBe(200);
    expect(await status("POST", `dashboards/${dashboard}/tiles/`, { insight: other })).toBe(403);
    await limited("dashboards", dashboard, "none");
    expect(await status("PATCH", `insights/${other}/`, { dashboards: [dashboard] })).toBe(400);
    // What is on a dashboard that the caller cannot see stays there.
    expect(await status("PATCH", `insights/${insight}/`, { dashboards: [] })).toBe(200);
    const shown = (await server.send("GET", `/api/projects/1/dashboards/${dashboard}/`)).json as { tiles: unknown[] };
    expect(shown.tiles).toHaveLength(1);
  });

  test("the persons of a cohort", async () => {
    const { value: key } = await server.createKey({ userId: elseId, scopes: ["*"], level: "member" });
    const cohort = await create("cohorts", { name: "list", is_static: true, csv: "ada" });
    const path = `/api/projects/1/cohorts/${cohort}/`;
    const body = { person_ids: [crypto.randomUUID()] };
    const add = async () => (await server.send("PATCH", `${path}add_persons_to_static_cohort/`, { body, key })).status;
    expect(await add()).toBe(200);
    await limited("cohorts", cohort, "viewer");
    expect(await add()).toBe(403);
    await limited("cohorts", cohort, "none");
    expect(await add()).toBe(404);
    expect((await server.send("GET", `${path}persons/`, { key })).status).toBe(404);
  });
});

interface Listing {
  count: number;
  results: { id: number }[];
  teams: { id: number }[];
  organization: { teams: { id: number }[] };
  user_access_level: string;
}

describe("a level of an environment", () => {
  let id: number;
  let project: number;
  let member: string;
  beforeAll(async () => {
    project = ((await server.send("POST", "/api/projects/", { body: { name: "two" } })).json as { id: number }).id;
    const reply = await server.send("POST", `/api/projects/${project}/environments/`, { body: { name: "closed" } });
    id = (reply.json as { id: number }).id;
    member = (await server.createKey({ scopes: ["*"], level: "member" })).value;
  });
  const get = async (path: string, key = member) => {
    const reply = await server.send("GET", path, { key });
    return { status: reply.status, json: reply.json as unknown as Listing };
  };
  const say = (access_level: string | null, of = id, key = server.key) =>
    server.send("PUT", `/api/environments/${of}/access_controls/`, { body: { access_level }, key });
  const ids = (list: { id: number }[]) => list.map((one) => one.id);

  test("is that of the key where nothing was said, under each of its names", async () => {
    for (const path of [`environments/${id}`, `projects/${id}`, `projects/${project}/environments/${id}`]) {
      expect((await get(`/api/${path}/access_controls/`)).json as object).toEqual({
        access_controls: [],
        available_access_levels: ["none", "member", "admin"],
        default_access_level: "member",
        user_access_level: "member",
        user_can_edit_access_levels: false,
      });
    }
    const path = `/api/environments/${id}/`;
    expect((await get(path)).json.user_access_level).toBe("member");
    expect((await get(path, server.key)).json.user_access_level).toBe("admin");
    expect((await say("none", id, member)).status).toBe(403);
    expect((await say("viewer")).status).toBe(400);
  });

  test("none: nothing in it can be asked for, and it is in no list", async () => {
    await say("none");
    expect(await get(`/api/environments/${id}/insights/`)).toMatchObject({
      status: 403,
      json: { detail: "You don't have access to the project." },
    });
    expect((await get(`/api/projects/${project}/environments/${id}/`)).status).toBe(403);
    expect(ids((await get(`/api/projects/${project}/environments/`)).json.results)).toEqual([project]);
    expect(ids((await get("/api/organizations/@current/")).json.teams)).not.toContain(id);
    expect(ids((await get("/api/users/@me/")).json.organization.teams)).not.toContain(id);
    expect((await get(`/api/environments/${id}/`, server.key)).status).toBe(200);
    const patch = { body: { set_current_team: id }, key: member };
    expect((await server.send("PATCH", "/api/users/@me/", patch)).status).toBe(400);
    await say(null);
    expect((await get(`/api/environments/${id}/`)).status).toBe(200);
  });

  test("none for all of a project: the project is not there either", async () => {
    for (const environment of [id, project]) await say("none", environment);
    expect((await get(`/api/projects/${project}/`)).status).toBe(404);
    const listed = async (key: string) => (await get("/api/projects/", key)).json as { count: number };
    expect((await listed(member)).count).toBe((await listed(server.key)).count - 1);
    for (const environment of [id, project]) await say(null, environment);
  });

  test("admin: what needs an admin there, and there alone", async () => {
    const reset = async (of: number) =>
      (await server.send("PATCH", `/api/environments/${of}/reset_token/`, { key: member })).status;
    expect(await reset(id)).toBe(403);
    await say("admin");
    expect([await reset(id), await reset(project)]).toEqual([200, 403]);
    expect((await get(`/api/environments/${id}/`)).json.user_access_level).toBe("admin");
    expect((await server.send("POST", "/api/projects/", { body: {}, key: member })).status).toBe(403);
    await say(null);
  });
});

describe("deleting a person", () => {
  const persons = "/api/projects/1/persons/";
  const ada = personIdOf(1, "ada");

  test("needs no level, and deleting its events needs an admin's", async () => {
    const status = async (level: "member" | "admin", search: string) => {
      const { value: key } = await server.createKey({ scopes: ["person:write"], level });
      return (await server.send("DELETE", `${persons}${ada}/${search}`, { key })).status;
    };
    expect([await status("member", ""), await status("member", "?delete_events=false")]).toEqual([202, 202]);
    expect([await status("member", "?delete_events=true"), await status("admin", "?delete_events=true")]).toEqual([
      403, 202,
    ]);
  });
});
