import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type ManageServer, startManage } from "../support/manage.ts";

let server: ManageServer;
beforeAll(async () => {
  server = await startManage();
});
afterAll(() => server.stop());

const me = "/api/users/@me/";
const get = (path: string, key?: string) => server.send("GET", path, { key });

describe("users", () => {
  test("@me is who the key belongs to, with the current team and the organisation", async () => {
    const { json } = await get(me);
    expect(json).toMatchObject({
      id: 1,
      email: "owner@localhost.localdomain",
      first_name: "Owner",
      team: { id: 1, project_id: 1, timezone: "UTC" },
      organization: { membership_level: 15, teams: [{ id: 1 }], projects: [{ id: 1 }] },
      organizations: [{ name: "Weir" }],
      toolbar_mode: "toolbar",
    } as never);
    const { uuid } = json as { uuid: string };
    expect((await get(`/api/users/${uuid}/`)).json as object).toEqual(json);
    expect((await get(`/api/users/${uuid.replace(/^./, "x")}/`)).status).toBe(404);
  });

  test("a key limited to projects shows those only", async () => {
    const second = (await server.send("POST", "/api/projects/", { body: {} })).json as { id: number };
    const key = await server.createKey({ scopes: ["user:read"], scopedTeams: [second.id], level: "member" });
    const reply = await get(me, key.value);
    expect(reply.json).toMatchObject({ team: { id: second.id }, organization: { membership_level: 1 } } as never);
    const { organization } = reply.json as { organization: { teams: { id: number }[]; projects: { id: number }[] } };
    expect([organization.teams, organization.projects].map((list) => list.map((entry) => entry.id))).toEqual([
      [second.id],
      [second.id],
    ]);
  });

  test("PATCH changes what is sent, and what @current means", async () => {
    const second = (await server.send("POST", "/api/projects/", { body: {} })).json as { id: number };
    const body = {
      first_name: "Ada",
      role_at_organization: "founder",
      theme_mode: "dark",
      hedgehog_config: { color: "red" },
      set_current_team: second.id,
      is_staff: true,
      id: 9,
    };
    const { set_current_team, is_staff, id, ...kept } = body;
    const reply = await server.send("PATCH", me, { body });
    expect(reply.json).toMatchObject({ ...kept, id: 1, is_staff: false, team: { id: set_current_team } } as never);
    expect([is_staff, id]).toEqual([true, 9]);
    expect((await get("/api/projects/@current/")).json).toMatchObject({ id: second.id } as never);
    expect((await get(me)).json as object).toEqual(reply.json);
    const insight = await server.send("POST", "/api/environments/1/insights/", { body: { name: "x" } });
    expect(insight.json).toMatchObject({
      created_by: { first_name: "Ada", hedgehog_config: { color: "red" } },
    } as never);
  });

  test.each([
    [{ email: "nope" }, "email", "invalid_input"],
    [{ first_name: "" }, "first_name", "blank"],
    [{ toolbar_mode: "x" }, "toolbar_mode", "invalid_choice"],
    [{ hedgehog_config: [] }, "hedgehog_config", "invalid_input"],
    [{ set_current_team: 999_999 }, "set_current_team", "does_not_exist"],
  ])("%j is refused", async (body, attr, code) => {
    expect((await server.send("PATCH", me, { body })).json).toMatchObject({ attr, code } as never);
  });

  test("a key limited to projects cannot make another one the current", async () => {
    const key = await server.createKey({ scopes: ["user:write"], scopedTeams: [1] });
    const other = (await server.send("POST", "/api/projects/", { body: {} })).json as { id: number };
    const reply = await server.send("PATCH", me, { key: key.value, body: { set_current_team: other.id } });
    expect(reply.json).toMatchObject({ code: "does_not_exist" } as never);
  });
});

describe("the organisation", () => {
  test("is @current, its id, and the only one in the list", async () => {
    const current = (await get("/api/organizations/@current/")).json as { id: string; name: string };
    expect(current).toMatchObject({ name: "Weir", slug: "weir" });
    expect((await get(`/api/organizations/${current.id}/`)).json as object).toEqual(current);
    expect((await get("/api/organizations/")).json).toMatchObject({ count: 1, results: [{ id: current.id }] } as never);
    expect((await get("/api/organizations/none/")).json).toMatchObject({ detail: "Organization not found." } as never);
    const projects = (await get(`/api/organizations/${current.id}/projects/?limit=1`)).json;
    expect(projects).toMatchObject({ results: [{ id: 1 }] } as never);
  });

  test("is renamed by admins", async () => {
    const member = await server.createKey({ scopes: ["*"], level: "member" });
    const path = "/api/organizations/@current/";
    expect((await server.send("PATCH", path, { key: member.value, body: { name: "x" } })).status).toBe(403);
    expect((await server.send("PATCH", path, { body: { name: "Shop" } })).json).toMatchObject({
      name: "Shop",
    } as never);
    expect((await server.send("PATCH", path, { body: {} })).json).toMatchObject({ code: "required" } as never);
  });
});
