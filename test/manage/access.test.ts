import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createUser, findOwner } from "../../src/metadata/mod.ts";
import { personIdOf } from "../../src/types/mod.ts";
import { type ManageServer, startManage } from "../support/manage.ts";

let server: ManageServer;
/** A key of somebody else, with every scope. */
let other: string;
beforeAll(async () => {
  server = await startManage();
  const userId = await server.db.write(async (tx) => {
    const { organizationId } = (await findOwner(tx))!;
    const user = { organizationId, level: "member" as const, firstName: "Else", email: "else@example.com", nowMs: 0 };
    return (await createUser(tx, user)).id;
  });
  other = (await server.createKey({ userId, scopes: ["*"], level: "member" })).value;
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

  test("is one level for all", async () => {
    const id = await newInsight();
    for (const more of [{ role: "x" }, { organization_member: "y" }]) {
      const refused = await send("PUT", `${id}/access_controls/`, { access_level: "viewer", ...more });
      expect(refused.json.detail).toBe("A level for all is supported, none for some.");
    }
    expect(await send("PUT", `${id}/access_controls/`, {})).toMatchObject({ json: { code: "required" } });
    const logged = await send("GET", `${id}/activity/`);
    await limit(id, "viewer");
    expect((await send("GET", `${id}/activity/`)).json.results).toHaveLength(logged.json.results.length + 1);
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
