import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { DAY_MS } from "../../src/types/mod.ts";
import { type ManageServer, startManage } from "../support/manage.ts";

const MINUTE_MS = 60_000;

let server: ManageServer;
let key: string;
beforeAll(async () => {
  server = await startManage({ rateLimits: true });
});
beforeEach(async () => {
  key = (await server.createKey({ scopes: ["*"] })).value;
});
afterAll(() => server.stop());

const get = (path: string, wish: string = key) => server.send("GET", path, { key: wish });

/** Sends until one is refused, or `max` times; gives how many were answered. */
async function answered(send: () => Promise<{ status: number }>, max: number): Promise<number> {
  for (let i = 0; i < max; i++) if ((await send()).status === 429) return i;
  return max;
}

describe("rate limits", () => {
  test("480 a minute and key, in a window that slides", async () => {
    const send = () => get("/api/projects/1/environments/");
    expect(await answered(send, 1000)).toBe(480);
    server.nowMs += MINUTE_MS - 2_500;
    const refused = await send();
    expect(refused.headers.get("retry-after")).toBe("3");
    expect(refused.json as object).toEqual({
      type: "throttled_error",
      code: "throttled",
      detail: "Request was throttled. Expected available in 3 seconds.",
      attr: null,
    });
    const other = await server.createKey({ scopes: ["*"] });
    expect((await get("/api/projects/1/environments/", other.value)).status).toBe(200);
    server.nowMs += 2_500;
    expect((await send()).status).toBe(200);
  });

  test("do not hold a key up after the clock was put back", async () => {
    const send = () => get("/api/projects/1/environments/");
    server.nowMs += DAY_MS;
    expect(await answered(send, 1000)).toBe(480);
    server.nowMs -= DAY_MS;
    expect((await send()).status).toBe(200);
    server.nowMs += DAY_MS + MINUTE_MS;
  });

  test("240 a minute and 1200 an hour for what may calculate, apart from the rest", async () => {
    const send = () => get("/api/environments/1/insights/");
    for (let minute = 0; minute < 5; minute++) {
      expect(await answered(send, 1000)).toBe(240);
      server.nowMs += MINUTE_MS;
    }
    const refused = await send();
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get("retry-after"))).toBe(55 * 60);
    expect((await get("/api/projects/")).status).toBe(200);
  });

  test("120 an hour for HogQL of the caller's own, in a wrapper too", async () => {
    server.runQuery = async () => ({ results: [] }) as never;
    const ask = (query: object) => server.send("POST", "/api/environments/1/query/", { key, body: { query } });
    const hogql = { kind: "HogQLQuery", query: "select 1" };
    expect(await answered(() => ask(hogql), 120)).toBe(120);
    expect((await ask({ kind: "DataTableNode", source: hogql })).status).toBe(429);
    expect((await ask({ kind: "TrendsQuery", series: [] })).status).not.toBe(429);
  });

  test("come after 401 and 403, and refused requests do not count", async () => {
    const reader = await server.createKey({ scopes: ["insight:read"] });
    const refused = () => get("/api/projects/1/environments/", reader.value);
    for (let i = 0; i < 490; i++) expect((await refused()).status).toBe(403);
    expect(await answered(() => get("/api/environments/1/insights/", reader.value), 240)).toBe(240);
    expect((await refused()).status).toBe(403);
  });
});

test("without the setting no key is asked to wait", async () => {
  const free = await startManage();
  try {
    const send = () => free.send("GET", "/api/projects/1/environments/");
    expect(await answered(send, 500)).toBe(500);
  } finally {
    await free.stop();
  }
});
