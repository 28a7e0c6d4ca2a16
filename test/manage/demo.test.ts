import { afterAll, beforeAll, expect, test } from "bun:test";
import { setDemoUntil } from "../../src/metadata/mod.ts";
import { TerminalError } from "../../src/types/mod.ts";
import { type ManageServer, startManage } from "../support/manage.ts";

let server: ManageServer;
beforeAll(async () => {
  server = await startManage();
});
afterAll(() => server.stop());

interface Demo {
  id: number;
  name: string;
  api_token: string;
  primary_dashboard: number;
}

const begin = async () => server.send("POST", "/api/projects/demo/");
const get = async (path: string) => (await server.send("GET", path)).json as Record<string, never>;
const count = async () => Number((await get("/api/projects/")).count);

test("a demo project has a dashboard from the first moment on, one at a time", async () => {
  let sent = 0;
  const end = Promise.withResolvers<void>();
  server.deps.demo =
    () =>
    async ({ id }) => {
      sent++;
      await end.promise;
      await server.db.write((tx) => setDemoUntil(tx, id, 0));
    };
  const reply = await begin();
  expect(reply.status).toBe(201);
  const made = reply.json as Demo;
  expect(made).toEqual({
    id: expect.any(Number),
    name: "Lantern (demo)",
    api_token: expect.stringMatching(/^phc_/),
    primary_dashboard: expect.any(Number),
  });
  const environment = `/api/environments/${made.id}/`;
  expect(await get(environment)).toMatchObject({ is_demo: true, primary_dashboard: made.primary_dashboard });
  const { tiles } = await get(`${environment}dashboards/${made.primary_dashboard}/`);
  expect(tiles).toHaveLength(8);
  expect(await get(`${environment}is_generating_demo_data/`)).toMatchObject({ is_generating_demo_data: true });
  const before = await count();
  expect(await begin()).toMatchObject({ status: 409, json: { code: "demo_busy" } } as never);
  expect([await count(), sent]).toEqual([before, 1]);
  end.resolve();
  server.nowMs += 1_000_000;
  expect((await begin()).status).toBe(201);
});

test("without a front nothing is made", async () => {
  server.deps.demo = () => {
    throw new TerminalError("not_running", "no front");
  };
  server.nowMs += 1_000_000;
  const before = await count();
  expect(await begin()).toMatchObject({ status: 503, json: { code: "not_running" } } as never);
  expect(await count()).toBe(before);
});

test("events that cannot be sent are told in the log", async () => {
  server.deps.demo = () => () => Promise.reject(new Error("the front is away"));
  server.nowMs += 1_000_000;
  expect((await begin()).status).toBe(201);
  expect(server.logged.join("\n")).toContain("the front is away");
});
