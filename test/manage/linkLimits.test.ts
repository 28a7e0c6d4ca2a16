import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { type ManageServer, startManage } from "../support/manage.ts";

const MINUTE_MS = 60_000;
const LINK_RATE = 5;
const ADDRESS_RATE = 8;

let server: ManageServer;
beforeAll(async () => {
  // A proxy's header tells addresses apart.
  server = await startManage({ sharedLinkRate: LINK_RATE, sharedAddressRate: ADDRESS_RATE, trustProxy: true });
  server.answerQueries(async () => ({ results: [], hasMore: false }));
});
afterAll(() => server.stop());
beforeEach(() => {
  server.nowMs += MINUTE_MS;
});

async function shared(): Promise<{ id: number; token: string }> {
  const body = { query: { kind: "HogQLQuery", query: "select 1" } };
  const { id } = (await server.send("POST", "/api/environments/1/insights/", { body })).json as { id: number };
  const reply = await server.send("PATCH", `/api/environments/1/insights/${id}/sharing/`, { body: { enabled: true } });
  return { id, token: (reply.json as { access_token: string }).access_token };
}

const open = (path: string, address: string) =>
  server.send("GET", path, { key: null, headers: { "X-Forwarded-For": address } });
const statuses = async (paths: string[], address: (i: number) => string) => {
  const seen: number[] = [];
  for (const [i, path] of paths.entries()) seen.push((await open(path, address(i))).status);
  return seen;
};
const times = <T>(count: number, value: T): T[] => Array.from({ length: count }, () => value);

describe("those who have only the link to a shared insight", () => {
  test("are limited by the link, whichever way they take, without any setting about keys", async () => {
    const { id, token } = await shared();
    const paths = [
      `/shared/${token}/`,
      `/shared/${token}.json`,
      `/api/environments/1/insights/${id}/?sharing_access_token=${token}`,
    ];
    const asked = Array.from({ length: LINK_RATE + 1 }, (_, i) => paths[i % 3]!);
    expect(await statuses(asked, (i) => `10.0.0.${i}`)).toEqual([...times(LINK_RATE, 200), 429]);
    const refused = await open(paths[0]!, "10.0.0.99");
    expect(refused.headers.get("retry-after")).toBe("60");
    const { token: other } = await shared();
    expect((await open(`/shared/${other}/`, "10.0.0.99")).status).toBe(200);
    server.nowMs += MINUTE_MS;
    expect((await open(paths[0]!, "10.0.0.1")).status).toBe(200);
  });

  test("and by their address, wrong links included", async () => {
    const wrong = Array.from({ length: ADDRESS_RATE + 1 }, (_, i) => `/shared/${"x".repeat(31)}${i}/`);
    expect(await statuses(wrong, () => "10.1.0.1")).toEqual([...times(ADDRESS_RATE, 404), 429]);
    const { token } = await shared();
    expect((await open(`/shared/${token}/`, "10.1.0.1")).status).toBe(429);
    expect((await open(`/shared/${token}/`, "10.1.0.2")).status).toBe(200);
  });

  test("of IPv6 by their network: one client has all of it", async () => {
    const wrong = Array.from({ length: ADDRESS_RATE + 1 }, (_, i) => `/shared/${"y".repeat(31)}${i}/`);
    expect(await statuses(wrong, (i) => `2001:db8:1:2::${i}`)).toEqual([...times(ADDRESS_RATE, 404), 429]);
    expect((await open(wrong[0]!, "2001:db8:1:3::1")).status).toBe(404);
  });

  test("may ask for the tiles of a dashboard ten times as often", async () => {
    const { json } = await server.send("POST", "/api/environments/1/dashboards/", { body: { name: "d" } });
    const path = `/api/environments/1/dashboards/${(json as { id: number }).id}/sharing/`;
    const reply = await server.send("PATCH", path, { body: { enabled: true } });
    const { access_token } = reply.json as { access_token: string };
    const tiles = times(LINK_RATE * 10 + 1, `/shared/${access_token}/insights/1/`);
    expect(await statuses(tiles, (i) => `10.2.0.${i}`)).toEqual([...times(LINK_RATE * 10, 404), 429]);
    expect((await open(`/shared/${access_token}/`, "10.2.0.99")).status).toBe(200);
    // Each other date is another calculation.
    const dated = times(LINK_RATE * 2 + 1, `/shared/${access_token}/insights/1/?date_from=-9d`);
    expect(await statuses(dated, (i) => `10.3.0.${i}`)).toEqual([...times(LINK_RATE * 2, 404), 429]);
  });
});
