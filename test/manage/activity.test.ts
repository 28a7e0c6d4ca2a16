import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { ROUTES } from "../../src/manage/mod.ts";
import { listActivity } from "../../src/metadata/mod.ts";
import { type ManageServer, startManage } from "../support/manage.ts";
import { bodyOf, newScene, pathOf, type Scene } from "./scene.ts";

interface Page {
  results: {
    activity: string;
    scope: string;
    item_id: string;
    detail: { name: string | null; changes: object[] | null };
  }[];
  next: string | null;
  previous: string | null;
  total_count: number;
}

let server: ManageServer;
beforeAll(async () => {
  server = await startManage();
});
afterAll(() => server.stop());

/** The logout is not for keys: test/manage/login.test.ts has it. */
const writing = ROUTES.filter(
  ({ method, confinement, path }) => method !== "GET" && confinement !== "open" && path !== "/api/logout/",
).map((route) => ({ name: `${route.method} ${route.path}`, route }));
const logged = writing.filter(({ route }) => route.unlogged === undefined);
const unlogged = writing.filter(({ route }) => route.unlogged !== undefined);

const countAll = async () => (await server.db.read((tx) => listActivity(tx, {}, { limit: 1, offset: 0 }))).count;

/** How many entries a request adds; what it names is there before. */
async function added(route: (typeof ROUTES)[number], scene: Scene): Promise<{ status: number; entries: number }> {
  const path = await pathOf(route, scene);
  const body = await bodyOf(route, scene);
  const before = await countAll();
  const { status } = await server.send(route.method, path, { body });
  return { status, entries: (await countAll()) - before };
}

describe("every route that changes something", () => {
  test.each(logged)("$name leaves who did it", async ({ route }) => {
    const { status, entries } = await added(route, await newScene(server));
    expect(status).toBeLessThan(300);
    expect(entries).toBeGreaterThan(0);
    const [entry] = (await server.db.read((tx) => listActivity(tx, {}, { limit: 1, offset: 0 }))).items;
    expect(entry).toMatchObject({ userId: 1, atMs: server.nowMs });
  });

  test.each(unlogged)("$name leaves nothing: $route.unlogged", async ({ route }) => {
    expect((await added(route, await newScene(server))).entries).toBe(0);
  });
});

describe("the activity of an environment", () => {
  test("tells what was changed from what to what, newest first, in pages", async () => {
    const { project } = await newScene(server);
    const environment = `/api/projects/${project}/environments/${project}/`;
    await server.send("PATCH", environment, { body: { name: "b", timezone: "Europe/Paris" } });
    await server.send("PATCH", environment, { body: { name: "b" } });
    await server.send("PATCH", environment, { body: { slack_incoming_webhook: "https://hooks.example/T1/secret" } });
    const read = async (path: string) => (await server.send("GET", path)).json as Page;
    const page = await read(`${environment}activity/?limit=2`);
    expect(page).toMatchObject({
      total_count: 3,
      previous: null,
      next: `${server.url}${environment}activity/?limit=2&page=2`,
    });
    expect(page.results.map((entry) => entry.detail.changes)).toEqual([
      [{ type: "Team", action: "created", field: "slack_incoming_webhook", before: null, after: null }],
      [
        { type: "Team", action: "changed", field: "name", before: "Default project", after: "b" },
        { type: "Team", action: "changed", field: "timezone", before: "UTC", after: "Europe/Paris" },
      ],
    ]);
    expect(page.results[0]).toMatchObject({
      scope: "Team",
      item_id: project,
      user: { email: "owner@localhost.localdomain" },
    } as never);
    const rest = await read(page.next!.slice(server.url.length));
    expect(rest).toMatchObject({ next: null, results: [{ activity: "created", detail: { changes: null } }] });
    expect((await read(`${environment}activity/?page=9`)).results).toEqual([]);
  });

  test("of everything in it, and of the whole organisation for admins", async () => {
    const { project } = await newScene(server);
    const all = `/api/projects/${project}/activity_log/`;
    const scopes = async (path: string) =>
      ((await server.send("GET", path)).json as Page).results.map((entry) => entry.scope);
    expect(await scopes(all)).toEqual(["Team", "Project"]);
    expect(await scopes(`${all}?scope=Project`)).toEqual(["Project"]);
    expect(await scopes(`${all}?item_id=0`)).toEqual([]);
    const { uuid } = (await server.send("GET", "/api/users/@me/")).json as { uuid: string };
    for (const user of ["1", uuid]) expect(await scopes(`${all}?user=${user}`)).toHaveLength(2);
    for (const user of ["2", "nobody"]) expect(await scopes(`${all}?user=${user}`)).toEqual([]);
    await server.send("DELETE", `/api/projects/${project}/`);
    expect((await server.send("GET", all)).status).toBe(404);
    const whole = "/api/organizations/@current/activity_log/";
    expect(await scopes(`${whole}?item_id=${project}`)).toEqual(["Project", "Team", "Team", "Project"]);
  });
});

test("no secret gets into the activity log, the logs or the answers to errors", async () => {
  const { project } = await newScene(server);
  const secrets: string[] = [server.key];
  const keep = (reply: { json: unknown }, field: "value" | "api_token") =>
    secrets.push((reply.json as Record<string, string>)[field]!);
  const made = await server.send("POST", "/api/personal_api_keys/", { body: { label: "k", scopes: ["*"] } });
  keep(made, "value");
  const { id } = made.json as { id: string };
  keep(await server.send("POST", `/api/personal_api_keys/${id}/roll/`, { body: {} }), "value");
  const environment = `/api/projects/${project}/environments/${project}/`;
  keep(await server.send("GET", environment), "api_token");
  keep(await server.send("PATCH", `${environment}reset_token/`, { body: {} }), "api_token");
  const [, key, , oldToken] = secrets as [string, string, string, string];
  await server.send("PATCH", environment, { body: { name: `mine ${key}`, extra_settings: { at: oldToken } } });

  const answers: string[] = [];
  const ask = async (...request: Parameters<ManageServer["send"]>) =>
    answers.push((await server.send(...request)).text);
  await ask("GET", "/api/projects/", { key });
  await ask("PATCH", environment, { body: { timezone: key } });
  await ask("POST", "/api/personal_api_keys/", { body: { label: "x", scopes: [key] } });
  await ask("GET", `/api/projects/${key}/`);
  await ask("POST", `/api/environments/${project}/query/`, { body: { query: { kind: key } } });
  server.runQuery = () => Promise.reject(new Error(`cannot use ${key}`));
  await ask("POST", `/api/environments/${project}/query/?personal_api_key=${key}`, {
    body: { query: { kind: "HogQLQuery", query: "select 1" } },
  });
  await ask("GET", "/api/organizations/@current/activity_log/?limit=100");
  expect(answers.at(-2)).toContain("A server error occurred.");
  expect(server.logged.join()).toContain("cannot use phx_********");
  const rows: object[] = await server.db.read(async (tx) => tx`select * from activity_log`);
  const written = [...answers, ...server.logged, JSON.stringify(rows)].join("\n");
  for (const secret of secrets) expect(written).not.toContain(secret);
});
