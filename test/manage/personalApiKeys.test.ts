import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type ManageServer, startManage } from "../support/manage.ts";

let server: ManageServer;
beforeAll(async () => {
  server = await startManage();
});
afterAll(() => server.stop());

const environment = "/api/projects/1/environments/1/";

describe("personal API keys", () => {
  const path = "/api/personal_api_keys/";
  const create = (body: object, key?: string) => server.send("POST", path, { body, key });

  test("show their value once", async () => {
    const created = await create({ label: "reader", scopes: ["insight:read"], scoped_teams: [1], level: "admin" });
    expect(created.status).toBe(201);
    const { id, value, ...rest } = created.json as { id: string; value: string };
    expect(value).toMatch(/^phx_/);
    expect(rest).toMatchObject({
      label: "reader",
      scopes: ["insight:read"],
      scoped_teams: [1],
      scoped_organizations: [],
      level: "admin",
      last_used_at: null,
      mask_value: `phx_...${value.slice(-4)}`,
    });
    expect((await server.send("GET", "/api/projects/1/insights/", { key: value })).status).toBe(200);
    const listed = await server.send("GET", path);
    expect(listed.text).not.toContain(value);
    const { results } = listed.json as { results: { id: string; value: null; last_used_at: string | null }[] };
    expect(results.find((key) => key.id === id)).toMatchObject({ value: null, last_used_at: expect.any(String) });
    expect((await server.send("DELETE", `${path}${id}/`)).status).toBe(204);
    expect((await server.send("GET", "/api/projects/1/insights/", { key: value })).status).toBe(401);
    expect((await server.send("DELETE", `${path}${id}/`)).status).toBe(404);
  });

  test.each([
    [{ scopes: ["*"] }, "required", "label"],
    [{ label: " ", scopes: ["*"] }, "blank", "label"],
    [{ label: "x" }, "required", "scopes"],
    [{ label: "x", scopes: ["insight:fly"] }, "invalid_input", "scopes"],
    [{ label: "x", scopes: [], scoped_teams: [999] }, "does_not_exist", "scoped_teams"],
    [{ label: "x", scopes: [], level: "god" }, "invalid_choice", "level"],
  ])("%j is refused as %s", async (body, code, attr) => {
    expect((await create(body)).json).toMatchObject({ type: "validation_error", code, attr } as never);
  });

  test("can be changed and rolled", async () => {
    const made = await create({ label: "a", scopes: ["insight:read"] });
    const { id, value: first } = made.json as { id: string; value: string };
    const wish = { label: "b", scopes: ["project:read"], scoped_teams: [1], level: "member" };
    const changed = await server.send("PATCH", `${path}${id}/`, { body: { ...wish, mask_value: "x", value: "y" } });
    expect(changed.json).toMatchObject({ ...wish, id, value: null } as never);
    expect((await server.send("GET", "/api/projects/1/insights/", { key: first })).status).toBe(403);
    server.nowMs += 1000;
    const rolled = await server.send("POST", `${path}${id}/roll/`);
    const { value } = rolled.json as { value: string };
    expect(rolled.status).toBe(200);
    expect(rolled.json).toMatchObject({
      ...wish,
      id,
      mask_value: `phx_...${value.slice(-4)}`,
      last_rolled_at: new Date(server.nowMs).toISOString(),
    } as never);
    expect((await server.send("GET", environment, { key: first })).status).toBe(401);
    expect((await server.send("GET", environment, { key: value })).status).toBe(200);
    expect((await server.send("PATCH", `${path}${id}/`, { body: { scopes: ["no:such"] } })).status).toBe(400);
  });

  test("a key reads itself, and others only where it may do everything", async () => {
    const reader = await server.createKey({ label: "self", scopedTeams: [1] });
    const other = await server.createKey({ label: "other", scopes: ["insight:read"] });
    const get = (id: string, key?: string) => server.send("GET", `${path}${id}/`, { key });
    for (const id of ["@current", reader.id]) {
      const reply = await get(id, reader.value);
      expect(reply.json).toMatchObject({ id: reader.id, label: "self", value: null } as never);
    }
    expect((await get(other.id, reader.value)).json).toMatchObject({
      detail: "This action does not support personal API key access",
    } as never);
    expect((await get(other.id)).json).toMatchObject({ label: "other" } as never);
  });

  test("can be limited to the organisation, not to another one", async () => {
    const { organization } = (await server.send("GET", "/api/projects/@current/")).json as { organization: string };
    const wish = { label: "x", scopes: ["project:read"], scoped_organizations: [organization] };
    const made = await create(wish);
    expect(made.json).toMatchObject(wish as never);
    const { id, value } = made.json as { id: string; value: string };
    expect((await server.send("GET", "/api/projects/", { key: value })).status).toBe(200);
    const changed = await server.send("PATCH", `${path}${id}/`, { body: { scoped_organizations: null } });
    expect(changed.json).toMatchObject({ scoped_organizations: [] } as never);
    const other = [crypto.randomUUID()];
    for (const reply of [
      await create({ ...wish, scoped_organizations: other }),
      await server.send("PATCH", `${path}${id}/`, { body: { scoped_organizations: other } }),
    ]) {
      expect(reply.json).toMatchObject({ code: "does_not_exist", attr: "scoped_organizations" } as never);
    }
  });

  test("are stored as hashes", async () => {
    const { value } = (await create({ label: "x", scopes: [] })).json as { value: string };
    const rows: { secure_value: string }[] = await server.db.read(async (tx) => tx`select * from personal_api_keys`);
    expect(JSON.stringify(rows)).not.toContain(value.slice(4, -4));
    for (const row of rows) expect(row.secure_value).toMatch(/^sha256\$[0-9a-f]{64}$/);
  });

  test("are limited in number", async () => {
    const small = await startManage({ personalKeysMax: 3 });
    try {
      const make = () => small.send("POST", path, { body: { label: "k", scopes: [] } });
      const made = [await make(), await make()];
      expect((await make()).json).toMatchObject({
        type: "validation_error",
        detail: "You can only have 3 personal API keys. Remove one first.",
      } as never);
      const { id } = made[0]!.json as { id: string };
      await small.send("DELETE", `${path}${id}/`);
      expect((await make()).status).toBe(201);
    } finally {
      await small.stop();
    }
  });

  test("cannot rise above the key that makes or revokes them", async () => {
    const member = await server.createKey({ scopes: ["*"], level: "member" });
    expect((await create({ label: "x", scopes: ["*"], level: "owner" }, member.value)).status).toBe(403);
    expect((await create({ label: "x", scopes: ["*"] }, member.value)).json).toMatchObject({
      level: "member",
    } as never);
    const admin = await server.createKey({ level: "admin" });
    const asMember = (method: string, url: string, body?: object) =>
      server.send(method, url, { key: member.value, body });
    expect((await asMember("DELETE", `${path}${admin.id}/`)).status).toBe(403);
    expect((await asMember("POST", `${path}${admin.id}/roll/`)).status).toBe(403);
    expect((await asMember("PATCH", `${path}${admin.id}/`, { scopes: ["*"] })).status).toBe(403);
    expect((await asMember("PATCH", `${path}${member.id}/`, { level: "admin" })).status).toBe(403);
  });
});
