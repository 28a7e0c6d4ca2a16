import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { findProjectByToken } from "../../src/metadata/mod.ts";
import { type ManageServer, startManage } from "../support/manage.ts";
import { ENVIRONMENT_FIELDS, FURTHER_FIELDS } from "./environmentFields.ts";

let server: ManageServer;
beforeAll(async () => {
  server = await startManage();
});
afterAll(() => server.stop());

const environment = "/api/projects/1/environments/1/";

describe("projects and environments", () => {
  test("a new project takes events with its token at once", async () => {
    const created = await server.send("POST", "/api/projects/", { body: { name: "Shop" } });
    expect(created.status).toBe(201);
    const { id, api_token } = created.json as { id: number; api_token: string };
    expect(api_token).toMatch(/^phc_/);
    expect(await findProjectByToken(server.db, api_token)).toMatchObject({ teamId: id });
    expect((await server.send("GET", `/api/projects/${id}/`)).json).toMatchObject({ id, name: "Shop" } as never);
  });

  test("further environments have ids and tokens of their own", async () => {
    const created = await server.send("POST", "/api/projects/1/environments/", { body: { name: "staging" } });
    expect(created.status).toBe(201);
    const { id, project_id, api_token } = created.json as { id: number; project_id: number; api_token: string };
    expect(project_id).toBe(1);
    expect(await findProjectByToken(server.db, api_token)).toMatchObject({ teamId: id });
    const list = (await server.send("GET", "/api/projects/1/environments/")).json as { results: { id: number }[] };
    expect(list.results.map((entry) => entry.id)).toEqual([1, id]);
    expect((await server.send("GET", `/api/projects/1/environments/${id}/`)).status).toBe(200);
    expect((await server.send("GET", `/api/environments/${id}/insights/`)).status).toBe(200);
    // Its id is not that of a project.
    expect((await server.send("GET", `/api/projects/${id}/`)).status).toBe(404);
    const limited = await server.createKey({ scopes: ["project:read"], scopedTeams: [1] });
    const seen = (await server.send("GET", "/api/projects/1/environments/", { key: limited.value }))
      .json as typeof list;
    expect(seen.results.map((entry) => entry.id)).toEqual([1]);
    expect((await server.send("GET", `/api/projects/1/environments/${id}/`, { key: limited.value })).status).toBe(403);
  });

  test("lists come in pages with absolute links", async () => {
    for (let i = 0; i < 3; i++) await server.send("POST", "/api/projects/", { body: { name: `p${i}` } });
    const seen: number[] = [];
    let next: string | null = `${server.url}/api/projects/?limit=2`;
    let count = 0;
    while (next !== null) {
      const page = (await server.send("GET", next.slice(server.url.length))).json as {
        count: number;
        next: string | null;
        previous: string | null;
        results: { id: number }[];
      };
      expect(page.previous === null).toBe(seen.length === 0);
      count = page.count;
      seen.push(...page.results.map((project) => project.id));
      next = page.next;
    }
    expect(seen).toHaveLength(count);
    expect(seen).toEqual([...new Set(seen)].sort((a, b) => a - b));
  });

  test("an environment has exactly the documented fields", async () => {
    const reply = await server.send("GET", environment);
    expect(Object.keys(reply.json as object).sort()).toEqual([...ENVIRONMENT_FIELDS, ...FURTHER_FIELDS].sort());
    expect(reply.json).toMatchObject({
      id: 1,
      project_id: 1,
      timezone: "UTC",
      week_start_day: 0,
      test_account_filters: [],
      data_attributes: ["data-attr"],
      ingested_event: false,
      effective_membership_level: 15,
    } as never);
  });

  test("the id of an environment must be a number and of that project", async () => {
    expect((await server.send("GET", "/api/projects/1/environments/abc/")).json).toMatchObject({
      type: "validation_error",
    } as never);
    expect((await server.send("GET", "/api/projects/1/environments/9999/")).status).toBe(404);
    expect((await server.send("GET", "/api/projects/@current/environments/@current/")).status).toBe(200);
  });
});

describe("deleting", () => {
  const exists = async (token: string) => (await findProjectByToken(server.db, token)) !== null;

  test("an environment hides it and its data at once, and ends its token", async () => {
    const created = await server.send("POST", "/api/projects/1/environments/", { body: { name: "short-lived" } });
    const { id, api_token } = created.json as { id: number; api_token: string };
    const insight = await server.send("POST", `/api/environments/${id}/insights/`, { body: { name: "in it" } });
    await server.send("PATCH", "/api/users/@me/", { body: { set_current_team: id } });
    const path = `/api/projects/1/environments/${id}/`;
    expect(await exists(api_token)).toBe(true);
    const deleted = await server.send("DELETE", path);
    expect([deleted.status, deleted.text]).toEqual([204, ""]);
    expect(await exists(api_token)).toBe(false);
    const { id: insightId } = insight.json as { id: number };
    const gone = [
      path,
      `${path}activity/`,
      `/api/environments/${id}/`,
      `/api/environments/${id}/insights/${insightId}/`,
    ];
    for (const url of gone) expect((await server.send("GET", url)).status).toBe(404);
    expect((await server.send("DELETE", path)).status).toBe(404);
    expect((await server.send("PATCH", path, { body: { name: "x" } })).status).toBe(404);
    const listed = (await server.send("GET", "/api/projects/1/environments/")).text;
    expect(listed).not.toContain("short-lived");
    expect((await server.send("GET", "/api/projects/@current/")).json).toMatchObject({ id: 1 } as never);
    const next = await server.send("POST", "/api/projects/1/environments/", { body: {} });
    expect((next.json as { id: number }).id).toBeGreaterThan(id);
  });

  test("the last environment takes its project with it; a project takes all of its environments", async () => {
    const make = async () => (await server.send("POST", "/api/projects/", { body: {} })).json as { id: number };
    const count = async () => ((await server.send("GET", "/api/projects/")).json as { count: number }).count;
    const before = await count();
    const [one, two] = [(await make()).id, (await make()).id];
    const second = await server.send("POST", `/api/projects/${two}/environments/`, { body: {} });
    const { id, api_token } = second.json as { id: number; api_token: string };
    expect((await server.send("DELETE", `/api/projects/${one}/environments/${one}/`)).status).toBe(204);
    expect((await server.send("GET", `/api/projects/${one}/`)).status).toBe(404);
    // A key that cannot see one of the environments cannot delete it with the project.
    const limited = await server.createKey({ scopes: ["*"], scopedTeams: [two] });
    expect((await server.send("DELETE", `/api/projects/${two}/`, { key: limited.value })).status).toBe(403);
    expect((await server.send("DELETE", `/api/projects/${two}/`)).status).toBe(204);
    expect([await exists(api_token), await count()]).toEqual([false, before]);
    expect((await server.send("GET", `/api/environments/${id}/`)).status).toBe(404);
  });

  test("a key that is limited to a deleted first environment does not see its siblings", async () => {
    const { id } = (await server.send("POST", "/api/projects/", { body: {} })).json as { id: number };
    await server.send("POST", `/api/projects/${id}/environments/`, { body: { name: "sibling" } });
    const limited = await server.createKey({ scopes: ["*"], scopedTeams: [id] });
    await server.send("DELETE", `/api/projects/${id}/environments/${id}/`);
    expect((await server.send("GET", `/api/projects/${id}/`)).json).toMatchObject({ id, project_id: id } as never);
    expect((await server.send("GET", `/api/projects/${id}/`, { key: limited.value })).status).toBe(404);
    expect((await server.send("PATCH", `/api/projects/${id}/`, { key: limited.value, body: {} })).status).toBe(404);
  });
});
