import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { ROUTES } from "../../src/manage/mod.ts";
import { revokePersonalApiKey } from "../../src/metadata/mod.ts";
import { StoredLake } from "../query/storedLake.ts";
import { type ManageServer, startManage } from "../support/manage.ts";
import { Browser } from "./browser.ts";
import { bodyOf, type GuardedRoute, newScene, pathOf, type Scene, send, sessionOf, userElse } from "./scene.ts";

const OBJECTS =
  "insight sharing_configuration activity_log project query organization organization_member user batch_export access_control dashboard person cohort action event_definition property_definition annotation alert subscription group feature_flag survey experiment error_tracking early_access_feature session_recording".split(
    " ",
  );
const EVERY_SCOPE = OBJECTS.flatMap((object) => [`${object}:read`, `${object}:write`]);

const guarded = ROUTES.filter((route): route is GuardedRoute => route.confinement !== "open").map((route) => ({
  name: `${route.method} ${route.path}`,
  route,
}));
const inProject = guarded.filter(({ route }) => route.path.includes(":project_id"));
const ofAccount = guarded.filter(({ route }) => route.confinement === "account");
const withScope = guarded.filter(({ route }) => scopesOf(route).length > 0);
const withLevel = guarded.filter(({ route }) => route.level !== undefined);
/** Ending a query that is not there is no error; that it ends none of others has a test of its own. */
const ENDS_QUERY = /^DELETE .*\/query\/:id\/$/;
/** Where nothing is ever found. */
const IS_EMPTY = /\/remote_config\/$/;
/** Each is asked of a share of the routes. */
const ODD_PROJECTS = ["abc", "0", "-1", "1e3", "%zz", "999999999999999999999"];
const withObject = guarded.filter(({ name, route }) => /:(?!project_id)/.test(route.path) && !ENDS_QUERY.test(name));

let server: ManageServer;
/** What is only asked about and never reached. */
let scene: Scene;
let other: Scene;

beforeAll(async () => {
  server = await startManage();
  server.lake = await StoredLake.open();
  scene = await newScene(server);
  other = await newScene(server);
});

afterAll(async () => {
  await server.lake.close();
  await server.stop();
});

function scopesOf(route: GuardedRoute): readonly string[] {
  return typeof route.scope === "string" ? [route.scope] : route.scope;
}

/** Every scope that does not satisfy the route's. */
function insufficientScopes(route: GuardedRoute): string[] {
  const sufficient = scopesOf(route).flatMap((scope) => [scope, scope.replace(/:read$/, ":write")]);
  return EVERY_SCOPE.filter((scope) => !sufficient.includes(scope));
}

const denied = (detail: string) => ({ type: "authentication_error", code: "permission_denied", detail, attr: null });

describe("every route", () => {
  test.each(guarded)("$name without a key is 401", async ({ route }) => {
    const reply = await send(route, scene, null);
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
    const reply = await send(route, scene, "phx_bogus");
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
    expect((await send(route, scene, key.value)).status).toBe(401);
  });

  test.each(withScope)("$name with all other scopes is 403", async ({ route }) => {
    const key = await server.createKey({ scopes: insufficientScopes(route) });
    const reply = await send(route, scene, key.value);
    expect(reply.status).toBe(403);
    const wanted = scopesOf(route).map((scope) => `'${scope}'`);
    expect(reply.json as object).toEqual(denied(`API key missing required scope ${wanted.join(" or ")}`));
  });

  test.each(withScope)("$name with no scope is 403", async ({ route }) => {
    expect((await send(route, scene, (await server.createKey({})).value)).status).toBe(403);
  });

  test.each(inProject)("$name with a key of another project is 403", async ({ route }) => {
    const key = await server.createKey({ scopes: ["*"], scopedTeams: [Number(other.project)] });
    const reply = await send(route, scene, key.value);
    expect(reply.status).toBe(403);
    expect(reply.json as object).toEqual(
      denied(`API key does not have access to the requested project: ID ${scene.project}.`),
    );
  });

  test.each(ofAccount)("$name with a key limited to projects is 403", async ({ route }) => {
    const key = await server.createKey({ scopes: ["*"], scopedTeams: [Number(scene.project)] });
    const reply = await send(route, scene, key.value);
    expect(reply.status).toBe(403);
    expect(reply.json as object).toEqual(
      denied("API keys with scoped projects are only supported on project-based endpoints."),
    );
  });

  test.each(withObject)("$name of an object of others is 404", async ({ route }) => {
    const reply = await send(route, scene, server.key, { objectsOf: other });
    // A method that is never allowed says so, whatever it is asked about.
    expect(reply.status).toBe(reply.status === 405 ? 405 : 404);
    if (reply.status === 405) expect((await send(route, scene, server.key)).status).toBe(405);
  });

  test.each(inProject.map((given, at) => ({ ...given, nowhere: ODD_PROJECTS[at % ODD_PROJECTS.length]! })))(
    "$name of a project that does not exist is 404",
    async ({ route, nowhere }) => {
      for (const project of ["99999999", nowhere]) {
        const reply = await send(route, scene, server.key, { project });
        expect(reply.status).toBe(404);
        expect(reply.json as object).toMatchObject({ code: "not_found", detail: "Project not found.", attr: null });
      }
    },
  );

  test.each(withLevel)("$name for a member is 403", async ({ route }) => {
    const key = await server.createKey({ scopes: ["*"], level: "member" });
    const reply = await send(route, scene, key.value);
    expect(reply.status).toBe(403);
    expect(reply.json as object).toEqual(denied("You don't have sufficient permissions in the project."));
  });

  test.each(inProject)(
    "$name is open to a key with one of its scopes and its project alone, also as @current",
    async ({ route }) => {
      for (const scope of scopesOf(route)) {
        for (const project of [undefined, "@current"]) {
          const fresh = await newScene(server);
          const key = await server.createKey({ scopes: [scope], scopedTeams: [Number(fresh.project)] });
          const reply = await send(route, fresh, key.value, { project });
          if (IS_EMPTY.test(route.path)) expect([reply.status, reply.text]).toEqual([404, ""]);
          else expect([401, 403, 404]).not.toContain(reply.status);
        }
      }
    },
  );

  test.each(guarded)("$name does not need its trailing slash", async ({ route }) => {
    const path = await pathOf(route, scene);
    const body = route.method === "GET" ? undefined : {};
    const replies = [path, path.slice(0, -1)].map((url) => server.send(route.method, url, { body, key: "phx_bogus" }));
    for (const reply of await Promise.all(replies)) expect(reply.status).toBe(401);
  });

  test.each(guarded)("$name knows the formats json and csv only", async ({ route }) => {
    const answer = async (format: string) => send(route, await newScene(server), server.key, {}, `?format=${format}`);
    expect((await send(route, scene, server.key, {}, "?format=xyz")).json as object).toEqual({
      type: "invalid_request",
      code: "not_found",
      detail: "Not found.",
      attr: null,
    });
    const [json, csv] = [await answer("json"), await answer("csv")];
    expect(csv.status).toBe(json.status);
    if (json.status < 300 && json.text !== "") {
      expect(json.headers.get("content-type")).toStartWith("application/json");
      expect(csv.headers.get("content-type")).toBe("text/csv; charset=utf-8");
    }
  });
});

describe("every route of an object with levels", () => {
  const OF_OBJECT = /\/(insights|dashboards|cohorts|actions)\/:id\//;
  const ofObject = guarded.filter(({ name }) => OF_OBJECT.test(name));
  const [reading, changing] = [true, false].map((isRead) =>
    ofObject.filter(({ name, route }) => (route.method === "GET" || name.endsWith("/viewed/")) === isRead),
  );
  let member: { id: number; uuid: string };
  let key: string;
  beforeAll(async () => {
    member = await userElse(server);
    key = (await server.createKey({ userId: member.id, scopes: ["*"], level: "member" })).value;
  });

  /** What a member is answered where levels of the object say this. */
  async function answer(route: GuardedRoute, ...levels: object[]) {
    const path = await pathOf(route, scene);
    const [, object] = /^(\/api\/\w+\/\d+\/\w+\/\d+\/)/.exec(path)!;
    for (const body of levels) {
      expect((await server.send("PUT", `${object}access_controls/`, { body })).status).toBe(200);
    }
    return server.send(route.method, path, { key, body: await bodyOf(route, scene) });
  }
  const isNever = async (route: GuardedRoute) => (await send(route, scene, server.key)).status === 405;

  test("there are some of each kind", () => {
    expect([reading!.length, changing!.length].map((count) => count > 20)).toEqual([true, true]);
  });

  test.each(ofObject)("$name of one that is closed to a member is 404", async ({ route }) => {
    const wanted = (await isNever(route)) ? 405 : 404;
    const named = { access_level: "none", organization_member: member.uuid };
    expect((await answer(route, { access_level: "none" })).status).toBe(wanted);
    expect((await answer(route, named)).status).toBe(wanted);
    expect((await answer(route, { access_level: "manager" }, named)).status).toBe(wanted);
  });

  test.each(reading!)("$name is open to a member that may look", async ({ route }) => {
    const named = { access_level: "viewer", organization_member: member.uuid };
    expect((await answer(route, { access_level: "none" }, named)).status).toBe(200);
  });

  test.each(changing!)("$name is 403 for a member that may only look", async ({ route }) => {
    const wanted = (await isNever(route)) ? 405 : 403;
    const named = { access_level: "viewer", organization_member: member.uuid };
    expect((await answer(route, { access_level: "viewer" })).status).toBe(wanted);
    expect((await answer(route, { access_level: "manager" }, named)).status).toBe(wanted);
  });
});

describe("every route of a project that is closed to a member", () => {
  test.each(inProject)("$name is refused", async ({ route }) => {
    const { id: userId, uuid } = await userElse(server);
    const { value } = await server.createKey({ userId, scopes: ["*"], level: "member" });
    const body = { access_level: "none", organization_member: uuid };
    const path = `/api/environments/${scene.project}/access_controls/`;
    expect((await server.send("PUT", path, { body })).status).toBe(200);
    const reply = await send(route, scene, value);
    const isOfProject = route.confinement === "project" && route.level === undefined;
    if (isOfProject && route.path.endsWith("/environments/")) expect(reply.json).toMatchObject({ count: 0 } as never);
    else expect(reply.status).toBe(isOfProject ? 404 : 403);
  });
});

describe("every route asked by a session", () => {
  const FOREIGN = { "Sec-Fetch-Site": "cross-site" };
  const changing = guarded.filter(({ route }) => route.method !== "GET");
  /** A user keeps the hundred sessions that were seen last. */
  const ofSession = async (userId?: number) => {
    server.nowMs++;
    return new Browser(server).take((await sessionOf(server, userId)).token);
  };

  async function sendBy(browser: Browser, route: GuardedRoute, about: Scene, o: Parameters<typeof pathOf>[2] = {}) {
    return browser.send(route.method, await pathOf(route, about, o), await bodyOf(route, about));
  }

  test.each(guarded)("$name is as open as to a key of its user", async ({ name, route }) => {
    const [byKey, bySession] = [await newScene(server), await newScene(server)];
    const { status } = await send(route, byKey, server.key);
    const reply = await sendBy(await ofSession(), route, bySession);
    // The one thing that only a session has.
    expect(reply.status).toBe(name === "POST /api/logout/" ? 204 : status);
    expect([401, 403]).not.toContain(reply.status);
  });

  test.each(guarded)(
    "$name is 401 without its session, and with one that is over or of another host",
    async ({ route }) => {
      const ended = new Browser(server).take("A".repeat(43));
      const other = await ofSession();
      const path = await pathOf(route, scene);
      const body = await bodyOf(route, scene);
      const replies = [
        await ended.send(route.method, path, body),
        await other.send(route.method, path, body, { Host: "evil.example" }),
      ];
      for (const reply of replies) {
        expect(reply.status).toBe(401);
        expect(reply.json).toMatchObject({ code: "not_authenticated" } as never);
        expect(reply.headers.getSetCookie()).toEqual(["weir_session=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax"]);
      }
    },
  );

  test.each(guarded)("$name beside a wrong key is 401", async ({ route }) => {
    const headers = { Authorization: "Bearer phx_bogus" };
    const browser = await ofSession();
    const reply = await browser.send(route.method, await pathOf(route, scene), await bodyOf(route, scene), headers);
    expect([reply.status, reply.json]).toEqual([
      401,
      expect.objectContaining({ code: "authentication_failed" }) as never,
    ]);
  });

  test.each(changing)("$name of another origin, or without the token, is 403", async ({ route }) => {
    const browser = await ofSession();
    const path = await pathOf(route, scene);
    for (const headers of [FOREIGN, { "X-CSRFToken": null }]) {
      const reply = await browser.send(route.method, path, await bodyOf(route, scene), headers);
      expect([reply.status, reply.text]).toEqual([403, expect.stringContaining("CSRF Failed: ")]);
    }
  });

  test.each(withObject)("$name of an object of others is 404", async ({ route }) => {
    const reply = await sendBy(await ofSession(), route, scene, { objectsOf: other });
    expect(reply.status).toBe(reply.status === 405 ? 405 : 404);
  });

  test.each(inProject)("$name of a project that does not exist is 404", async ({ route }) => {
    const reply = await sendBy(await ofSession(), route, scene, { project: "99999999" });
    expect([reply.status, reply.json]).toEqual([
      404,
      expect.objectContaining({ detail: "Project not found." }) as never,
    ]);
  });

  test.each(withLevel)("$name for a member is 403", async ({ route }) => {
    const reply = await sendBy(await ofSession((await userElse(server)).id), route, scene);
    expect([reply.status, reply.json]).toEqual([
      403,
      denied("You don't have sufficient permissions in the project.") as never,
    ]);
  });

  test("a project that is closed to members is closed to a member's session", async () => {
    const closed = await newScene(server);
    const member = await ofSession((await userElse(server)).id);
    const path = `/api/environments/${closed.project}/`;
    const read = async () => (await member.send("GET", `${path}insights/`)).status;
    expect(await read()).toBe(200);
    const access = await server.send("PUT", `/api/projects/${closed.project}/access_controls/`, {
      body: { access_level: "none" },
    });
    expect(access.status).toBe(200);
    expect(await read()).toBe(403);
    const { json } = await member.send("GET", "/api/environments/?limit=1000");
    expect(JSON.stringify(json)).not.toContain(`"id":${closed.project},`);
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
    const key = await server.createKey({ scopes: ["project:read"], scopedTeams: [Number(other.project)] });
    expect((await server.send("GET", "/api/projects/@current/", { key: key.value })).json).toMatchObject({
      id: Number(other.project),
    } as never);
    expect((await server.send("GET", "/api/projects/@current/")).json).toMatchObject({ id: 1 } as never);
  });
});
