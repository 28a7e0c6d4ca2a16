import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { ROUTES } from "../../src/manage/mod.ts";
import { listActivity } from "../../src/metadata/mod.ts";
import { type ManageServer, startManage } from "../support/manage.ts";
import { bodyOf, newScene, pathOf, type Scene } from "./scene.ts";
import { join } from "./team.ts";

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

describe("a whole log", () => {
  const read = async (path: string) => {
    const { status, json } = await server.send("GET", path);
    return { status, ...(json as Page & { code?: string; attr?: string }) };
  };

  test("is narrowed by person, kind, deed and time, under both of its names", async () => {
    const { project } = await newScene(server);
    const base = `/api/projects/${project}/`;
    const start = server.nowMs;
    server.nowMs += 1_000;
    const { json } = await server.send("POST", `${base}actions/`, { body: { name: "a" } });
    const { id } = json as { id: number };
    server.nowMs += 1_000;
    await server.send("PATCH", `${base}actions/${id}/`, { body: { name: "b" } });
    await server.send("PATCH", `/api/environments/${project}/`, { body: { timezone: "Asia/Tokyo" } });
    const told = async (query: string) => {
      const answers = await Promise.all(
        ["activity_log/", "advanced_activity_logs/"].map((log) => read(`${base}${log}?${query}`)),
      );
      const [one, other] = answers.map(({ results }) => results.map(({ scope, activity }) => `${scope} ${activity}`));
      expect(other).toEqual(one);
      return one;
    };
    const whole = ["Team updated", "Action updated", "Action created", "Team created", "Project created"];
    expect(await told("")).toEqual(whole);
    expect(await told("scopes=Action,Project")).toEqual(["Action updated", "Action created", "Project created"]);
    expect(await told(`activities=["created"]&scopes=["Action"]`)).toEqual(["Action created"]);
    expect(await told(`scopes=[]&item_ids=${id}`)).toEqual(["Action updated", "Action created"]);
    const at = (ms: number) => encodeURIComponent(new Date(ms).toISOString());
    expect(await told(`start_date=${at(start + 1_000)}&end_date=${at(start + 1_000)}`)).toEqual(["Action created"]);
    expect(await told(`start_date=${at(start + 1_001)}`)).toEqual(["Team updated", "Action updated"]);
    const { uuid } = (await server.send("GET", "/api/users/@me/")).json as { uuid: string };
    expect(await told(`users=${uuid}`)).toHaveLength(5);
    expect(await told(`users=${crypto.randomUUID()}`)).toEqual([]);
    expect(await told("is_system=true")).toEqual([]);
    expect(await read(`${base}activity_log/?end_date=soon`)).toMatchObject({ status: 400, attr: "end_date" });
    expect(await read(`${base}advanced_activity_logs/available_filters/`)).toMatchObject({
      static_filters: {
        users: [{ value: uuid }],
        scopes: [{ value: "Action" }, { value: "Project" }, { value: "Team" }],
        activities: [{ value: "created" }, { value: "updated" }],
      },
    } as never);
  });

  test("tells a reader nothing of dashboards that are closed to it", async () => {
    const { project } = await newScene(server);
    const base = `/api/environments/${project}/`;
    const made = async (path: string, body: object) =>
      ((await server.send("POST", base + path, { body })).json as { id: number }).id;
    const [open, closed] = [await made("dashboards/", { name: "Open" }), await made("dashboards/", { name: "Secret" })];
    const insight = await made("insights/", { name: "i" });
    const put = (dashboards: number[]) => server.send("PATCH", `${base}insights/${insight}/`, { body: { dashboards } });
    for (const dashboards of [[closed], [open, closed], [open]]) await put(dashboards);
    await server.send("PUT", `${base}dashboards/${closed}/access_controls/`, { body: { access_level: "none" } });
    const { browser } = await join(server);
    const logs = [`insights/${insight}/activity/`, "insights/activity/", "activity_log/?scope=Insight"];
    for (const log of logs) {
      const changes = async (reply: { json: unknown }) =>
        (reply.json as Page).results.map(({ detail }) => detail.changes);
      const on = (before: object[], after: object[]) => [{ field: "dashboards", before, after }];
      const [a, b] = [
        { id: open, name: "Open" },
        { id: closed, name: "Secret" },
      ];
      expect(await changes(await server.send("GET", base + log))).toMatchObject([
        on([b, a], [a]),
        on([b], [b, a]),
        on([], [b]),
        null,
      ]);
      const reply = await browser.send("GET", base + log);
      expect(await changes(reply)).toMatchObject([null, on([], [a]), null, null] as never);
      expect(reply.text).not.toContain("Secret");
    }
  });

  test("tells a reader nothing of what belongs to a closed insight", async () => {
    const { project } = await newScene(server);
    const base = `/api/environments/${project}/`;
    const send = async (method: string, path: string, body: object) => {
      const { status, json, text } = await server.send(method, base + path, { body });
      expect([path, text, status < 300]).toEqual([path, text, true]);
      return (json as { id: number }).id;
    };
    const query = { kind: "TrendsQuery", series: [{ kind: "EventsNode", event: "a" }] };
    const belongings = async (name: string) => {
      const insight = await send("POST", "insights/", { name, query });
      await send("POST", "alerts/", {
        name: `${name} alert`,
        insight,
        condition: { type: "absolute_value" },
        threshold: { configuration: { type: "absolute", bounds: { upper: 1 } } },
      });
      const target = { target_type: "email", target_value: "ada@example.com" };
      const title = `${name} mail`;
      await send("POST", "subscriptions/", {
        title,
        insight,
        ...target,
        frequency: "daily",
        start_date: "2026-01-01T09:00:00Z",
      });
      await send("POST", "annotations/", {
        content: `${name} note`,
        date_marker: "2026-01-01T00:00:00Z",
        scope: "dashboard_item",
        dashboard_item: insight,
      });
      return insight;
    };
    await belongings("Open");
    const closed = await belongings("Secret");
    await send("PUT", `insights/${closed}/access_controls/`, { access_level: "none" });
    const { browser } = await join(server);
    const text = async (by: { send: ManageServer["send"] } | typeof browser) =>
      (await by.send("GET", `${base}activity_log/?limit=100`)).text;
    for (const thing of ["alert", "mail", "note"]) {
      expect([thing, (await text(server)).includes(`Secret ${thing}`)]).toEqual([thing, true]);
      expect([thing, (await text(browser)).includes(`Open ${thing}`)]).toEqual([thing, true]);
    }
    expect(await text(browser)).not.toContain("Secret");
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
