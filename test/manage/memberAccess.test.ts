import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { setAccess } from "../../src/metadata/mod.ts";
import { type ManageServer, startManage } from "../support/manage.ts";
import type { Browser } from "./browser.ts";
import { join, type Member, ORGANIZATION } from "./team.ts";

let server: ManageServer;
let [ada, bob]: Member[] = [];
beforeAll(async () => {
  server = await startManage();
  [ada, bob] = [await join(server), await join(server)];
});
afterAll(() => server.stop());

const KINDS = [
  ["insight", { name: "mine" }],
  ["dashboard", { name: "mine" }],
  ["cohort", { name: "mine", is_static: true, csv: "ada" }],
  ["action", { name: "mine" }],
] as const;

type Body = Record<string, unknown>;

async function ask(by: Browser | null, method: string, path: string, body?: object) {
  const reply = by === null ? await server.send(method, path, { body }) : await by.send(method, path, body);
  return { status: reply.status, json: (reply.json ?? {}) as Body };
}

const role = async (...people: Member[]): Promise<string> => {
  const { json } = await ask(null, "POST", `${ORGANIZATION}roles/`, { name: crypto.randomUUID() });
  for (const { uuid: user_uuid } of people) {
    await ask(null, "POST", `${ORGANIZATION}roles/${json.id}/role_memberships/`, { user_uuid });
  }
  return String(json.id);
};

describe.each(KINDS)("levels of one of the %ss", (kind, body) => {
  const list = `/api/environments/1/${kind}s/`;
  const project = "/api/projects/1/";
  const made = async (by: Browser | null = null) => Number((await ask(by, "POST", list, body)).json.id);
  const say = (id: number, wish: object, by: Browser | null = null) =>
    ask(by, "PUT", `${list}${id}/access_controls/`, wish);
  const sayOfKind = (wish: object) =>
    ask(null, "PUT", `${project}resource_access_controls/`, { resource: kind, ...wish });
  const level = async ({ browser }: Member, id: number) => {
    const { status, json } = await ask(browser, "GET", `${list}${id}/`);
    return status === 404 ? "none" : json.user_access_level;
  };
  const listed = async ({ browser }: Member, id: number) => {
    const { json } = await ask(browser, "GET", `${list}?limit=1000`);
    return (json.results as { id: number }[]).some((one) => one.id === id);
  };

  test("hold for the member, or the role, that they name", async () => {
    const id = await made();
    await say(id, { access_level: "none" });
    const named = { organization_member: ada!.uuid };
    expect(await say(id, { access_level: "viewer", ...named })).toMatchObject({
      status: 200,
      json: { access_level: "viewer", organization_member: ada!.uuid, role: null, resource: kind },
    });
    expect([await level(ada!, id), await level(bob!, id)]).toEqual(["viewer", "none"]);
    expect([await listed(ada!, id), await listed(bob!, id)]).toEqual([true, false]);
    const both = await role(ada!, bob!);
    await say(id, { access_level: "editor", role: both });
    expect([await level(ada!, id), await level(bob!, id)]).toEqual(["editor", "editor"]);
    await say(id, { access_level: "manager", ...named });
    expect((await ask(bob!.browser, "PATCH", `${list}${id}/`, { name: "by bob" })).status).toBe(200);
    expect((await say(id, { access_level: "manager" }, bob!.browser)).status).toBe(403);
    expect((await say(id, { access_level: "viewer" }, ada!.browser)).status).toBe(200);
    const { json } = await ask(ada!.browser, "GET", `${list}${id}/access_controls/`);
    expect(json).toMatchObject({ user_access_level: "manager", user_can_edit_access_levels: true });
    expect(
      (json.access_controls as Body[]).map((one) => [one.access_level, one.role, one.organization_member]),
    ).toEqual(
      expect.arrayContaining([
        ["viewer", null, null],
        ["editor", both, null],
        ["manager", null, ada!.uuid],
      ]),
    );
    expect((await say(id, { access_level: null, ...named })).status).toBe(204);
    expect(await level(ada!, id)).toBe("editor");
    await ask(null, "DELETE", `${ORGANIZATION}roles/${both}/`);
    expect([await level(ada!, id), await level(bob!, id)]).toEqual(["viewer", "viewer"]);
  });

  test("never bind its maker, nor admins", async () => {
    const id = await made(ada!.browser);
    expect([await level(ada!, id), await level(bob!, id)]).toEqual(["manager", "editor"]);
    expect((await say(id, { access_level: "none" }, ada!.browser)).status).toBe(200);
    expect([await level(ada!, id), await level(bob!, id)]).toEqual(["manager", "none"]);
    expect((await ask(null, "GET", `${list}${id}/`)).json.user_access_level).toBe("manager");
    expect([await listed(ada!, id), await listed(bob!, id)]).toEqual([true, false]);
  });

  test("can be said of all of the kind: then new ones are not made either", async () => {
    const [id, own] = [await made(), await made(bob!.browser)];
    await sayOfKind({ access_level: "viewer" });
    expect([await level(ada!, id), await level(bob!, own)]).toEqual(["viewer", "manager"]);
    // What pages look at before they offer to make one.
    const making = async (browser: Member["browser"] | null) =>
      ((await ask(browser, "GET", project)).json.resource_access_levels as Record<string, string>)[kind];
    expect([await making(ada!.browser), await making(null)]).toEqual(["viewer", "manager"]);
    expect((await ask(ada!.browser, "POST", list, body)).status).toBe(403);
    await sayOfKind({ access_level: "editor", organization_member: ada!.uuid });
    expect((await ask(ada!.browser, "POST", list, body)).status).toBe(201);
    expect(await making(ada!.browser)).toBe("editor");
    await sayOfKind({ access_level: null, organization_member: ada!.uuid });
    await sayOfKind({ access_level: "none" });
    await say(id, { access_level: "viewer", organization_member: ada!.uuid });
    expect([await level(ada!, id), await level(bob!, id), await level(bob!, own)]).toEqual([
      "viewer",
      "none",
      "manager",
    ]);
    const count = async ({ browser }: Member) => (await ask(browser, "GET", list)).json.count;
    expect([await listed(ada!, id), await listed(bob!, own), await listed(bob!, id)]).toEqual([true, true, false]);
    const shown = (await ask(bob!.browser, "GET", `${list}?limit=1000`)).json.results as unknown as unknown[];
    expect(await count(bob!)).toBe(shown.length);
    const { json } = await ask(null, "GET", `${project}global_access_controls/`);
    expect(json.access_controls).toEqual([
      expect.objectContaining({ resource: kind, resource_id: null, access_level: "none" }),
    ]);
    const asked = { resource: kind, access_level: "manager" };
    expect((await ask(ada!.browser, "PUT", `${project}resource_access_controls/`, asked)).status).toBe(403);
    expect((await sayOfKind({ access_level: null })).status).toBe(204);
    expect(await level(ada!, id)).toBe("viewer");
  });

  test("are refused for nobody, and for a member and a role at once", async () => {
    const id = await made();
    const somebody = crypto.randomUUID();
    const wish = { access_level: "viewer" };
    expect((await say(id, { ...wish, organization_member: somebody })).json).toMatchObject({
      attr: "organization_member",
      code: "does_not_exist",
    });
    expect((await say(id, { ...wish, role: somebody })).json).toMatchObject({ attr: "role", code: "does_not_exist" });
    const both = { organization_member: ada!.uuid, role: await role() };
    expect((await say(id, { ...wish, ...both })).json).toMatchObject({
      detail: "You can not scope an access control to both a member and a role.",
    });
  });

  test("keep what is closed out of the activity log of the environment", async () => {
    const name = `secret ${crypto.randomUUID()}`;
    const { json } = await ask(null, "POST", list, { ...body, name });
    const log = async ({ browser }: Member) =>
      (await browser.send("GET", "/api/environments/1/activity_log/?limit=100")).text;
    expect(await log(ada!)).toContain(name);
    await say(Number(json.id), { access_level: "none" });
    await say(Number(json.id), { access_level: "viewer", organization_member: bob!.uuid });
    expect([(await log(ada!)).includes(name), (await log(bob!)).includes(name)]).toEqual([false, true]);
  });
});

test("an insight names no dashboard that is closed to the member, and stays on it", async () => {
  const all = "/api/environments/1/";
  const boards = [];
  for (const name of ["open", "closed"])
    boards.push(Number((await ask(null, "POST", `${all}dashboards/`, { name })).json.id));
  const { id } = (await ask(null, "POST", `${all}insights/`, { name: "on both", dashboards: boards })).json;
  const path = `${all}insights/${id}/`;
  await ask(null, "PUT", `${all}dashboards/${boards[1]}/access_controls/`, { access_level: "none" });
  const named = async (by: Browser | null) => {
    const { dashboards, dashboard_tiles: tiles } = (await ask(by, "GET", path)).json;
    return [dashboards, (tiles as { dashboard_id: number }[]).map(({ dashboard_id }) => dashboard_id)];
  };
  expect(await named(ada!.browser)).toEqual([[boards[0]], [boards[0]]]);
  const { dashboards } = (await ask(ada!.browser, "GET", path)).json;
  expect((await ask(ada!.browser, "PATCH", path, { name: "sent back", dashboards })).status).toBe(200);
  expect(await named(null)).toEqual([boards, boards]);
});

test("a member makes no dashboard the project's first one that is closed to it, and keeps the one that is there", async () => {
  const board = Number((await ask(null, "POST", "/api/environments/1/dashboards/", { name: "closed" })).json.id);
  await ask(null, "PUT", `/api/environments/1/dashboards/${board}/access_controls/`, { access_level: "none" });
  const set = async (by: Browser | null) =>
    (await ask(by, "PATCH", "/api/environments/1/", { primary_dashboard: board })).status;
  expect(await set(ada!.browser)).toBe(400);
  expect(await set(null)).toBe(200);
  expect(await set(ada!.browser)).toBe(200);
});

test("a member neither opens by a link, nor takes off a dashboard, an insight that is closed to it by name", async () => {
  const all = "/api/environments/1/";
  const board = Number((await ask(null, "POST", `${all}dashboards/`, { name: "both" })).json.id);
  const { id } = (await ask(null, "POST", `${all}insights/`, { name: "closed", dashboards: [board] })).json;
  const named = { access_level: "none", organization_member: ada!.uuid };
  await ask(null, "PUT", `${all}insights/${id}/access_controls/`, named);
  const share = async (by: Browser | null, enabled: boolean) =>
    (await ask(by, "PATCH", `${all}dashboards/${board}/sharing/`, { enabled })).status;
  expect(await share(ada!.browser, true)).toBe(403);
  expect(await share(bob!.browser, true)).toBe(200);
  expect(await share(ada!.browser, false)).toBe(200);
  // Nor takes it off there.
  const { tiles } = (await ask(null, "GET", `${all}dashboards/${board}/`)).json;
  const [tile] = tiles as { id: number }[];
  const takeOff = async (by: Browser) =>
    (await ask(by, "PATCH", `${all}dashboards/${board}/`, { tiles: [{ id: tile!.id, deleted: true }] })).status;
  expect(await takeOff(ada!.browser)).toBe(400);
  expect(await takeOff(bob!.browser)).toBe(200);
});

describe("levels of an environment", () => {
  const path = "/api/environments/1/access_controls/";
  const say = (wish: object) => ask(null, "PUT", path, wish);
  const status = async ({ browser }: Member) => (await ask(browser, "GET", "/api/environments/1/insights/")).status;

  test("hold for the member, or the role, that they name", async () => {
    await say({ access_level: "none" });
    await say({ access_level: "member", organization_member: ada!.uuid });
    expect([await status(ada!), await status(bob!)]).toEqual([200, 403]);
    const names = async ({ browser }: Member) => (await ask(browser, "GET", "/api/projects/")).json.count;
    expect([await names(ada!), await names(bob!)]).toEqual([1, 0]);
    const both = await role(ada!, bob!);
    await say({ access_level: "admin", role: both });
    const { json } = await ask(bob!.browser, "GET", "/api/environments/1/");
    expect(json).toMatchObject({ user_access_level: "admin", effective_membership_level: 8 });
    const kinds = { resource: "insight", access_level: null };
    expect((await ask(bob!.browser, "PUT", "/api/environments/1/resource_access_controls/", kinds)).status).toBe(204);
    await ask(null, "DELETE", `${ORGANIZATION}roles/${both}/`);
    expect([await status(ada!), await status(bob!)]).toEqual([200, 403]);
    await say({ access_level: null });
    await say({ access_level: null, organization_member: ada!.uuid });
    expect([await status(ada!), await status(bob!)]).toEqual([200, 200]);
  });
});

test("a right that ends while a change is on its way is gone when the change is written", async () => {
  const list = "/api/environments/1/insights/";
  const { id } = (await ask(null, "POST", list, { name: "0" })).json;
  const control = `${list}${id}/access_controls/`;
  for (let round = 1; round <= 10; round++) {
    await ask(null, "PUT", control, { access_level: null });
    const [, changed] = await Promise.all([
      ask(null, "PUT", control, { access_level: "viewer" }),
      ask(ada!.browser, "PATCH", `${list}${id}/`, { name: String(round) }),
    ]);
    const { name } = (await ask(null, "GET", `${list}${id}/`)).json;
    expect(name === String(round)).toBe(changed.status === 200);
    if (changed.status !== 200) expect(changed.status).toBe(403);
    expect((await ask(ada!.browser, "PATCH", `${list}${id}/`, { name: "late" })).status).toBe(403);
  }
});

test("a project has at most 5,000 levels, and lists work with all of them", async () => {
  const { id: teamId } = (await ask(null, "POST", "/api/projects/", { name: "crowded" })).json as { id: number };
  const list = `/api/environments/${teamId}/insights/`;
  const ids: number[] = [];
  for (const name of ["first", "last"]) ids.push(Number((await ask(null, "POST", list, { name })).json.id));
  await server.db.write(async (tx) => {
    const times = { createdAtMs: 0, updatedAtMs: 0 };
    for (let id = 1; id < 5000; id++) {
      const target = { teamId, resource: "insight" as const, resourceId: 1_000_000 + id };
      await setAccess(tx, { ...target, ...times, userId: null, roleId: null, level: "none", setBy: 1 });
    }
  });
  const close = (id: number) => ask(null, "PUT", `${list}${id}/access_controls/`, { access_level: "none" });
  expect((await close(ids[0]!)).status).toBe(200);
  expect((await close(ids[0]!)).status).toBe(200);
  expect(await close(ids[1]!)).toMatchObject({
    status: 400,
    json: { code: "max_length", detail: "A project can have at most 5000 access levels." },
  });
  const { json } = await ask(ada!.browser, "GET", list);
  expect((json.results as { id: number }[]).map(({ id }) => id)).toEqual([ids[1]!]);
  const log = await ask(ada!.browser, "GET", `/api/environments/${teamId}/activity_log/?scope=Insight`);
  expect((log.json.results as Body[]).map((one) => one.item_id)).toEqual([String(ids[1])]);
});
