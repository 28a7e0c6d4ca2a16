import { test, expect } from "bun:test";
import { Elysia } from "elysia";
import { managePlugin } from "../../src/manage/mod.ts";
import { startManage } from "../support/manage.ts";
test("slow", async () => {
  const s = await startManage();
  s.runQuery = (async () => { await Bun.sleep(9000); return { results: [] }; }) as never;
  const app = new Elysia({ serve: { idleTimeout: 2 } }).use(managePlugin(s.deps)).get("/slow", async () => { await Bun.sleep(9000); return "x"; }).listen({ port: 0, idleTimeout: 2 });
  const b = `http://127.0.0.1:${app.server!.port}`;
  const [a, c] = await Promise.all([fetch(`${b}/api/environments/1/query/`, { method: "POST", headers: { authorization: `Bearer ${s.key}` }, body: JSON.stringify({ query: { kind: "HogQLQuery", query: "1" } }) }).then(r => r.status, String), fetch(`${b}/slow`).then(r => r.status, String)]);
  console.log(a, c);
  await app.stop(true); await s.stop();
}, 30000);
