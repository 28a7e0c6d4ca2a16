import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { ROUTES } from "../../src/manage/mod.ts";
import {
  createInsight,
  createProject,
  findOwner,
  type InsightContent,
  revokePersonalApiKey,
} from "../../src/metadata/mod.ts";
import { type ManageServer, startManage } from "../support/manage.ts";

type Route = (typeof ROUTES)[number];
type GuardedRoute = Exclude<Route, { confinement: "open" }>;

const OBJECTS =
  "insight sharing_configuration activity_log project query organization user batch_export access_control dashboard person cohort action event_definition property_definition annotation".split(
    " ",
  );
const EVERY_SCOPE = OBJECTS.flatMap((object) => [`${object}:read`, `${object}:write`]);

const guarded = ROUTES.filter((route): route is GuardedRoute => route.confinement !== "open").map((route) => ({
  name: `${route.method} ${route.path}`,
  route,
}));
const inProject = guarded.filter(({ route }) => route.path.includes(":project_id"));
const ofAccount = guarded.filter(({ route }) => route.confinement === "account");
const withLevel = guarded.filter(({ route }) => route.level !== undefined);
const withObject = inProject.filter(({ route }) => route.path.includes(":id"));

let server: ManageServer;
/** Ids that `:id` stands for, by the resource before it, in project 1 and in project 2. */
const objects: Record<string, { own: string; foreign: string }> = {};

beforeAll(async () => {
  server = await startManage();
  const content: InsightContent = {
    name: "mine",
    derivedName: null,
    description: null,
    filters: {},
    query: null,
    order: null,
    deleted: false,
    saved: false,
    favorited: false,
    isSample: false,
    tags: [],
  };
  await server.db.write(async (tx) => {
    const owner = (await findOwner(tx))!;
    const second = await createProject(tx, { organizationId: owner.organizationId, name: "second", nowMs: 0 });
    const insight = async (teamId: number) =>
      String((await createInsight(tx, { teamId, userId: owner.id, content, nowMs: 0 })).id);
    objects.insights = { own: await insight(1), foreign: await insight(second) };
    objects.environments = { own: "1", foreign: String(second) };
  });
  objects.personal_api_keys = { own: (await server.createKey({ scopes: [] })).id, foreign: "none" };
});

afterAll(() => server.stop());

function pathOf(route: Route, o: { project?: string; object?: "own" | "foreign" } = {}): string {
  const parts = route.path.split("/");
  return parts
    .map((part, i) => {
      if (part === ":project_id") return o.project ?? "1";
      if (!part.startsWith(":")) return part;
      const ids = objects[parts[i - 1]!];
      if (ids === undefined) throw new Error(`the test knows no object for ${route.path}`);
      return ids[o.object ?? "own"];
    })
    .join("/");
}

const send = (route: Route, key: string | null, o: Parameters<typeof pathOf>[1] = {}) =>
  server.send(route.method, pathOf(route, o), { key, body: route.method === "GET" ? undefined : {} });

/** Every scope that does not satisfy the route's. */
function insufficientScopes(route: GuardedRoute): string[] {
  if (route.scope === "*") return EVERY_SCOPE;
  const [object, action] = route.scope.split(":");
  return EVERY_SCOPE.filter((scope) => scope !== route.scope && !(action === "read" && scope === `${object}:write`));
}

describe("every route", () => {
  test.each(guarded)("$name without a key is 401", async ({ route }) => {
    const reply = await send(route, null);
    expect(reply.status).toBe(401);
    expect(reply.headers.get("www-authenticate")).toBe("Bearer");
    expect(reply.json as object).toEqual({
      type: "authentication_error",
      code: "not_authenticated",
      detail: "Authentication credentials were not provided.",
      attr: null,
    });
  });

  test.each(guarded)("$name with a wrong key is 401", async ({ route }) => {
    const reply = await send(route, "phx_bogus");
    expect(reply.status).toBe(401);
    expect(reply.json as object).toEqual({
      type: "authentication_error",
      code: "authentication_failed",
      detail: "Personal API key found in request Authorization header is invalid.",
      attr: null,
    });
  });

  test.each(guarded)("$name with a revoked key is 401", async ({ route }) => {
    const key = await server.createKey({ scopes: ["*"] });
    await server.db.write((tx) => revokePersonalApiKey(tx, key.id, 0));
    expect((await send(route, key.value)).status).toBe(401);
  });

  test.each(guarded)("$name with all other scopes is 403", async ({ route }) => {
    const key = await server.createKey({ scopes: insufficientScopes(route) });
    const reply = await send(route, key.value);
    expect(reply.status).toBe(403);
    expect(reply.json as object).toEqual({
      type: "authentication_error",
      code: "permission_denied",
      detail: `API key missing required scope '${route.scope}'`,
      attr: null,
    });
  });

  test.each(guarded)("$name with no scope is 403", async ({ route }) => {
    expect((await send(route, (await server.createKey({})).value)).status).toBe(403);
  });

  test.each(inProject)("$name with a key of another project is 403", async ({ route }) => {
    const key = await server.createKey({ scopes: ["*"], scopedTeams: [2] });
    const reply = await send(route, key.value);
    expect(reply.status).toBe(403);
    expect(reply.json).toMatchObject({
      code: "permission_denied",
      detail: "API key does not have access to the requested project: ID 1.",
    } as never);
  });

  test.each(ofAccount)("$name with a key limited to projects is 403", async ({ route }) => {
    const key = await server.createKey({ scopes: ["*"], scopedTeams: [1] });
    const reply = await send(route, key.value);
    expect(reply.status).toBe(403);
    expect(reply.json).toMatchObject({
      detail: "API keys with scoped projects are only supported on project-based endpoints.",
    } as never);
  });

  test.each(withObject)("$name of another project's object is 404", async ({ route }) => {
    // Where nothing is ever found, nothing can leak.
    if (route.method === "DELETE" && route.path.includes("insights")) return;
    expect((await send(route, server.key, { object: "foreign" })).status).toBe(404);
  });

  test.each(inProject)("$name of a project that does not exist is 404", async ({ route }) => {
    for (const project of ["99999999", "abc", "0", "-1", "1e3", "%zz", "999999999999999999999"]) {
      const reply = await send(route, server.key, { project });
      expect(reply.status).toBe(404);
      expect(reply.json as object).toMatchObject({ code: "not_found", detail: "Project not found.", attr: null });
    }
  });

  test.each(withLevel)("$name for a member is 403", async ({ route }) => {
    const key = await server.createKey({ scopes: ["*"], level: "member" });
    const reply = await send(route, key.value);
    expect(reply.status).toBe(403);
    expect(reply.json).toMatchObject({ detail: "You don't have sufficient permissions in the project." } as never);
  });

  test.each(inProject)(
    "$name is open to a key with its scope and project alone, also as @current",
    async ({ route }) => {
      const key = await server.createKey({ scopes: [route.scope], scopedTeams: [1] });
      for (const project of ["1", "@current"]) {
        expect([401, 403, 404]).not.toContain((await send(route, key.value, { project })).status);
      }
    },
  );

  test.each(guarded)("$name does not need its trailing slash", async ({ route }) => {
    const path = pathOf(route, { object: "foreign" });
    const body = route.method === "GET" ? undefined : {};
    const replies = [path, path.slice(0, -1)].map((url) => server.send(route.method, url, { body, key: "phx_bogus" }));
    for (const reply of await Promise.all(replies)) expect(reply.status).toBe(401);
  });

  test.each(inProject)("$name knows the formats json and csv only", async ({ route }) => {
    const body = route.method === "GET" ? undefined : {};
    const status = async (format: string) =>
      (await server.send(route.method, `${pathOf(route)}?format=${format}`, { body })).status;
    expect(await status("xyz")).toBe(404);
    expect(await status("csv")).toBe(400);
    expect(await status("json")).not.toBe(404);
  });
});

describe("where a key is looked for", () => {
  const path = "/api/projects/1/insights/";

  test("in the body", async () => {
    const send = (key: string) => server.send("POST", path, { key: null, body: { personal_api_key: key } });
    expect((await send(server.key)).status).toBe(201);
    const refused = await send("phx_bogus");
    expect(refused.status).toBe(401);
    expect(refused.json).toMatchObject({ detail: "Personal API key found in request body is invalid." } as never);
  });

  test("in the query string", async () => {
    expect((await server.send("GET", `${path}?personal_api_key=${server.key}`, { key: null })).status).toBe(200);
    const refused = await server.send("GET", `${path}?personal_api_key=x`, { key: null });
    expect(refused.json).toMatchObject({
      detail: "Personal API key found in request query string is invalid.",
    } as never);
  });

  test("in the first place only", async () => {
    const query = `?personal_api_key=${server.key}`;
    expect((await server.send("GET", path + query, { key: "phx_bogus" })).status).toBe(401);
    const body = { personal_api_key: "phx_bogus" };
    expect((await server.send("POST", path + query, { key: null, body })).status).toBe(401);
  });

  test("a header of another kind is none", async () => {
    const headers = { Authorization: "Basic abc" };
    expect((await server.send("GET", path, { key: null, headers })).json).toMatchObject({
      code: "not_authenticated",
    } as never);
  });

  test("a body that cannot be read does not come before the missing key", async () => {
    expect((await server.send("POST", path, { key: null, body: "{nope" })).status).toBe(401);
  });

  test("write implies read", async () => {
    const key = await server.createKey({ scopes: ["insight:write"] });
    expect((await server.send("GET", path, { key: key.value })).status).toBe(200);
  });

  test("@current of a key limited to a project is that project", async () => {
    const key = await server.createKey({ scopes: ["project:read"], scopedTeams: [2] });
    expect((await server.send("GET", "/api/projects/@current/", { key: key.value })).json).toMatchObject({
      id: 2,
    } as never);
    expect((await server.send("GET", "/api/projects/@current/")).json).toMatchObject({ id: 1 } as never);
  });
});
