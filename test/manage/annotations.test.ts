import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import type { JsonObject } from "../../src/types/mod.ts";
import { type ManageServer, startManage } from "../support/manage.ts";
import { userElse } from "./scene.ts";

interface Note {
  id: number;
  content: string;
  detail: string;
  attr: string;
  code: string;
}

let server: ManageServer;
/** A key of another member, with every scope. */
let member: string;
let memberUuid: string;
beforeAll(async () => {
  server = await startManage();
  const { id: userId, uuid } = await userElse(server);
  memberUuid = uuid;
  member = (await server.createKey({ userId, scopes: ["*"], level: "member" })).value;
});
afterAll(() => server.stop());
// The limits of links are counted by the minute.
beforeEach(() => {
  server.nowMs += 60_000;
});

const MARCH = "2026-03-01T00:00:00.000Z";
const send = async <T = Note>(method: string, path: string, body?: object, key?: string | null, project = 1) => {
  const reply = await server.send(method, `/api/environments/${project}/${path}`, { body, key });
  return { status: reply.status, json: reply.json as T };
};
const make = async (body: object, key?: string, project = 1) =>
  (await send("POST", "annotations/", { date_marker: MARCH, ...body }, key, project)).json;
const made = async (path: string, body: object = { name: "mine" }, project = 1) =>
  (await send("POST", `${path}/`, body, undefined, project)).json.id;
const newProject = async () =>
  ((await server.send("POST", "/api/projects/", { body: { name: "p" } })).json as { id: number }).id;
/** The contents that a list has. */
const listed = async (search = "", key?: string, project = 1) => {
  const { json } = await send<{ results: Note[] }>("GET", `annotations/${search}`, undefined, key, project);
  return json.results.map(({ content }) => content);
};
const limit = (path: string, access_level: string | null) =>
  send("PUT", `${path}/access_controls/`, { access_level, organization_member: memberUuid });

describe("an annotation", () => {
  test("is made, read, changed, deleted and brought back", async () => {
    const insight = await made("insights", { name: "Visits" });
    const dashboard = await made("dashboards", { name: "Growth" });
    const body = { content: "Launch", scope: "dashboard", dashboard_item: insight, dashboard_id: dashboard };
    const note = await make(body);
    expect(note).toMatchObject({
      ...body,
      ...{ date_marker: MARCH, creation_type: "USR", deleted: false, dashboard_name: "Growth" },
      ...{ insight_name: "Visits", insight_short_id: expect.any(String), created_by: { id: 1 } },
      ...{ emoji: null, hidden_in_user_interface: null, user_access_level: "manager" },
    } as never);
    const path = `annotations/${note.id}/`;
    expect((await send("GET", path)).json).toEqual(note);
    server.nowMs += 1_000;
    const change = { content: "Launch 2", date_marker: "2026-03-02T10:00:00+01:00", creation_type: "GIT" };
    const changed = await send<JsonObject>("PATCH", path, change);
    expect(changed.json).toMatchObject({ content: "Launch 2", date_marker: "2026-03-02T09:00:00.000Z" });
    expect(changed.json.updated_at).not.toBe(changed.json.created_at);
    expect((await send("DELETE", path)).status).toBe(405);
    await send("PATCH", path, { deleted: true });
    expect((await send("GET", path)).status).toBe(404);
    expect((await send("PATCH", path, { content: "no" })).status).toBe(404);
    expect(await listed("?search=launch")).toEqual([]);
    expect((await send("PATCH", path, { deleted: false })).json).toMatchObject({ content: "Launch 2" });
    expect((await send("GET", `${path}activity/`)).json).toMatchObject({ total_count: 4 } as never);
  });

  test("is of an insight where nothing is said, and may be empty", async () => {
    const body = { dashboard_item: await made("insights") };
    const empty = { ...body, content: null, date_marker: null, scope: "dashboard_item" };
    expect((await send("POST", "annotations/", body)).json).toMatchObject(empty as never);
  });

  test("that stands on no chart is refused; an older one can be deleted, or get a place", async () => {
    const { id } = await make({ content: "older", scope: "project" });
    await server.db.write((tx) => tx`update annotations set scope = 'dashboard_item' where id = ${id}`);
    const path = `annotations/${id}/`;
    expect((await send("PATCH", path, { content: "no" })).json).toMatchObject({ attr: "dashboard_item" });
    for (const body of [{ deleted: true }, { deleted: false, scope: "project" }]) {
      expect((await send("PATCH", path, body)).status).toBe(200);
    }
    expect((await send("PATCH", path, { scope: "dashboard" })).json).toMatchObject({ attr: "dashboard_id" });
  });

  test.each<[object, string, string]>([
    [{ content: ["x"] }, "content", "Not a valid string."],
    [{ date_marker: "soon" }, "date_marker", "Datetime has wrong format."],
    [{ scope: "recording" }, "scope", '"recording" is not a valid choice.'],
    [{ creation_type: "BOT" }, "creation_type", '"BOT" is not a valid choice.'],
    [{}, "dashboard_item", "The scope dashboard_item needs it"],
    [{ scope: "dashboard" }, "dashboard_id", "The scope dashboard needs it"],
    [{ dashboard_item: 999_999 }, "dashboard_item", 'Invalid pk "999999" - object does not exist.'],
    [{ scope: "dashboard", dashboard_id: 999_999 }, "dashboard_id", "Dashboard not found."],
  ])("%j is refused", async (body, attr, detail) => {
    const { status, json } = await send("POST", "annotations/", body);
    expect({ status, attr: json.attr }).toEqual({ status: 400, attr });
    expect(json.detail).toContain(detail);
  });

  test("refuses an insight and a dashboard of another project, and of those that are deleted", async () => {
    const project = await newProject();
    for (const [path, name] of [
      ["insights", "dashboard_item"],
      ["dashboards", "dashboard_id"],
    ] as const) {
      const foreign = await made(path, { name: "theirs" }, project);
      const scope = name === "dashboard_item" ? name : "dashboard";
      expect((await send("POST", "annotations/", { scope, [name]: foreign })).json.attr).toBe(name);
      const gone = await made(path);
      await send("PATCH", `${path}/${gone}/`, { deleted: true });
      expect((await send("POST", "annotations/", { scope, [name]: gone })).json.attr).toBe(name);
    }
  });
});

describe("a list", () => {
  let project: number;
  beforeAll(async () => {
    project = await newProject();
    const insight = await made("insights", { name: "i" }, project);
    const at = (day: number) => `2026-04-0${day}T00:00:00Z`;
    const all: [string, object][] = [
      ["Second 100%", { date_marker: at(2), scope: "project" }],
      ["First", { date_marker: at(1), scope: "dashboard_item", dashboard_item: insight }],
      ["Third ÄRA", { date_marker: at(3), scope: "project", hidden_in_user_interface: true }],
      ["Never", { date_marker: null, scope: "project" }],
    ];
    for (const [content, rest] of all) await make({ content, ...rest }, undefined, project);
  });

  test.each<[string, string[]]>([
    ["", ["Third ÄRA", "Second 100%", "First", "Never"]],
    ["?order=date_marker", ["First", "Second 100%", "Third ÄRA", "Never"]],
    ["?order=-id&limit=1&offset=1", ["Third ÄRA"]],
    ["?search=ära", ["Third ÄRA"]],
    ["?search=0%25", ["Second 100%"]],
    ["?scope=insight", ["First"]],
    ["?scope=dashboard_item", ["First"]],
    ["?scope=dashboard", []],
    ["?date_from=2026-04-02&date_to=2026-04-03T00:00:00Z", ["Third ÄRA", "Second 100%"]],
    ["?hidden_in_user_interface=true", ["Third ÄRA"]],
    ["?hidden_in_user_interface=false&order=id", ["Second 100%", "First", "Never"]],
  ])("%s", async (search, contents) => {
    expect(await listed(search, undefined, project)).toEqual(contents);
  });

  test.each([
    ["?scope=else", "Invalid scope: else"],
    ["?date_from=soon", "Invalid date range: date_from must be a valid ISO 8601 date"],
    ["?date_from=2026-04-03&date_to=2026-04-02", "Invalid date range: date_from must be before date_to"],
  ])("%s is refused", async (search, detail) => {
    expect((await send("GET", `annotations/${search}`)).json).toMatchObject({ code: "invalid_input", detail });
  });
});

describe("an annotation of all projects", () => {
  test("is seen in each, changed only where it was made, and gone with its project", async () => {
    const [here, there] = [await newProject(), await newProject()];
    const insight = await made("insights", { name: "secret name" }, there);
    const body = { content: "All hands", scope: "organization", dashboard_item: insight };
    const note = await make(body, undefined, there);
    expect(await listed("", undefined, here)).toEqual(["All hands"]);
    const path = `annotations/${note.id}/`;
    expect((await send("GET", path, undefined, undefined, here)).json).toMatchObject({
      ...{ content: "All hands", dashboard_item: null, insight_name: null, user_access_level: "viewer" },
    } as never);
    expect((await send("PATCH", path, { content: "x" }, undefined, here)).status).toBe(403);
    expect((await send("PATCH", path, { content: "y" }, undefined, there)).status).toBe(200);
    await send("PATCH", path, { scope: "project" }, undefined, there);
    expect(await listed("", undefined, here)).toEqual([]);
    expect((await send("GET", path, undefined, undefined, here)).status).toBe(404);
    await send("PATCH", path, { scope: "organization" }, undefined, there);
    expect((await server.send("DELETE", `/api/projects/${there}/`)).status).toBeLessThan(300);
    expect(await listed("", undefined, here)).toEqual([]);
  });
});

const PLACES = [
  ["insights", "dashboard_item", "dashboard_item"],
  ["dashboards", "dashboard_id", "dashboard"],
] as const;

describe.each(PLACES)("an annotation of one of the %s", (path, name, scope) => {
  /** One, with what it belongs to. */
  const onOne = async () => {
    const id = await made(path);
    const content = crypto.randomUUID();
    const note = await make({ content, scope, [name]: id });
    return { place: `${path}/${id}`, id, content, note: `annotations/${note.id}/` };
  };

  test("is as open to a member as that is", async () => {
    const { place, id, content, note } = await onOne();
    const seen = async () => (await send<JsonObject>("GET", note, undefined, member)).json;
    expect(await seen()).toMatchObject({ user_access_level: "editor" });
    await limit(place, "viewer");
    expect(await seen()).toMatchObject({ content, user_access_level: "viewer" });
    expect((await send("PATCH", note, { content: "x" }, member)).status).toBe(403);
    expect((await send("PATCH", note, { scope: "project" }, member)).status).toBe(403);
    expect((await send("POST", "annotations/", { scope, [name]: id }, member)).status).toBe(403);
    // One of the project stands on charts that the member may not change, too.
    expect((await send("POST", "annotations/", { scope: "project", [name]: id }, member)).status).toBe(201);
    await limit(place, "none");
    for (const method of ["GET", "PATCH"]) {
      const body = method === "GET" ? undefined : { content: "x" };
      expect((await send(method, note, body, member)).status).toBe(404);
    }
    expect((await send("GET", `${note}activity/`, undefined, member)).status).toBe(404);
    expect(await listed("?limit=1000", member)).not.toContain(content);
    expect(await listed("?limit=1000")).toContain(content);
    expect((await send("POST", "annotations/", { scope, [name]: id }, member)).json.attr).toBe(name);
    const log = await server.send("GET", "/api/projects/1/activity_log/?limit=100", { key: member });
    expect([log.status, log.text.includes(content)]).toEqual([200, false]);
    const whole = await server.send("GET", "/api/projects/1/activity_log/?limit=100");
    expect(whole.text.includes(content)).toBe(true);
  });

  test("tells nothing of it to those who may not see it, where it is of the project", async () => {
    const { place, note } = await onOne();
    await send("PATCH", note, { scope: "project" });
    await limit(place, "none");
    const nothing = { [name]: null, insight_short_id: null, insight_name: null, dashboard_name: null };
    expect((await send("GET", note, undefined, member)).json).toMatchObject(nothing as never);
  });

  test("goes and comes with it", async () => {
    const { place, content, note } = await onOne();
    await send("PATCH", `${place}/`, { deleted: true });
    expect((await send("GET", note)).status).toBe(404);
    expect((await send("PATCH", note, { content: "x" })).status).toBe(404);
    expect(await listed("?limit=1000")).not.toContain(content);
    await send("PATCH", `${place}/`, { deleted: false });
    expect(await listed("?limit=1000")).toContain(content);
  });
});

describe("a link", () => {
  interface Shared {
    results: { content: string; dashboard_item: number | null }[];
  }
  const told = async (path: string, project: number) => {
    const body = { enabled: true };
    const { json } = await send<{ access_token: string }>("PATCH", `${path}sharing/`, body, undefined, project);
    const reply = await server.send("GET", `/shared/${json.access_token}/annotations/`, { key: null });
    return { ...(reply.json as Shared), text: reply.text, token: json.access_token };
  };

  test("tells those of what it shows, and no others", async () => {
    const [project, other] = [await newProject(), await newProject()];
    const [one, two] = [
      await made("dashboards", { name: "1" }, project),
      await made("dashboards", { name: "2" }, project),
    ];
    const insight = (name: string, dashboards: number[]) => made("insights", { name, dashboards }, project);
    const [both, first, second] = [
      await insight("b", [one, two]),
      await insight("f", [one]),
      await insight("s", [two]),
    ];
    const closed = await insight("closed", [one]);
    await send("PUT", `insights/${closed}/access_controls/`, { access_level: "none" }, undefined, project);
    const note = (content: string, body: object, of = project) => make({ content, ...body }, undefined, of);
    await note("all", { scope: "organization" }, other);
    await note("other project", { scope: "project" }, other);
    await note("project", { scope: "project", dashboard_item: second });
    await note("hidden", { scope: "project", hidden_in_user_interface: true });
    await note("timeless", { scope: "project", date_marker: null });
    await send(
      "PATCH",
      `annotations/${(await note("gone", { scope: "project" })).id}/`,
      { deleted: true },
      undefined,
      project,
    );
    await note("board 1", { scope: "dashboard", dashboard_id: one, dashboard_item: both });
    // It stands on an insight of the first, but belongs to the second.
    await note("board 2", { scope: "dashboard", dashboard_id: two, dashboard_item: both });
    await note("both", { scope: "dashboard_item", dashboard_item: both });
    await note("first", { scope: "dashboard_item", dashboard_item: first });
    await note("second", { scope: "dashboard_item", dashboard_item: second });
    await note("closed", { scope: "dashboard_item", dashboard_item: closed });
    const board = await told(`dashboards/${one}/`, project);
    const contents = (shared: Shared) => shared.results.map(({ content }) => content).sort();
    expect(contents(board)).toEqual(["all", "board 1", "both", "first", "project"]);
    expect(Object.fromEntries(board.results.map((one) => [one.content, one.dashboard_item]))).toEqual({
      ...{ all: null, project: null, "board 1": null, both, first },
    });
    for (const secret of ["created_by", "example.com", "dashboard_id", "short_id"])
      expect(board.text).not.toContain(secret);
    const alone = await told(`insights/${both}/`, project);
    expect(contents(alone)).toEqual(["all", "both", "project"]);
    await send("PATCH", `insights/${both}/sharing/`, { settings: { annotations: false } }, undefined, project);
    expect(contents(await told(`insights/${both}/`, project))).toEqual([]);
    expect(contents(await told(`dashboards/${one}/`, project))).toContain("both");
    await send("PATCH", `dashboards/${one}/sharing/`, { enabled: false }, undefined, project);
    expect((await server.send("GET", `/shared/${board.token}/annotations/`, { key: null })).status).toBe(404);
  });
});
