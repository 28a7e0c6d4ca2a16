import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type ManageServer, startManage } from "../support/manage.ts";

interface Sharing {
  enabled: boolean;
  access_token: string;
  created_at: string | null;
  settings: { viewer_dates: boolean; annotations: boolean };
}

let server: ManageServer;
beforeAll(async () => {
  server = await startManage();
  server.answerQueries(async () => ({
    results: [{ label: "<b>visits</b>", labels: ["1-Jan-2026"], data: [7], count: 7 }],
    hasMore: false,
  }));
});
afterAll(() => server.stop());

const insights = "/api/environments/1/insights/";
const query = { kind: "TrendsQuery", series: [{ kind: "EventsNode", event: "shared" }] };
const create = async () => {
  const body = { name: "A <script>", description: "x & y", query };
  return ((await server.send("POST", insights, { body })).json as { id: number }).id;
};
const sharingOf = async (id: number) => (await server.send("GET", `${insights}${id}/sharing/`)).json as Sharing;
const share = async (id: number, enabled = true) =>
  (await server.send("PATCH", `${insights}${id}/sharing/`, { body: { enabled } })).json as Sharing;
/** As anybody on the internet. */
const open = (path: string, method = "GET") => server.send(method, path, { key: null });

describe("sharing an insight", () => {
  test("is off at first, with a token that stays", async () => {
    const id = await create();
    const first = await sharingOf(id);
    expect(first).toEqual({
      enabled: false,
      created_at: null,
      access_token: expect.stringMatching(/^[\w-]{32}$/),
      settings: { viewer_dates: false, annotations: true },
    });
    expect(await sharingOf(id)).toEqual(first);
    expect((await open(`/shared/${first.access_token}/`)).status).toBe(404);
    const on = await share(id);
    expect(on).toEqual({ ...first, enabled: true, created_at: new Date(server.nowMs).toISOString() });
    expect(await share(id)).toEqual(on);
  });

  test("can be switched off, and its token replaced", async () => {
    const id = await create();
    const { access_token } = await share(id);
    expect((await open(`/shared/${access_token}/`)).status).toBe(200);
    const renewed = (await server.send("POST", `${insights}${id}/sharing/refresh/`)).json as Sharing;
    expect(renewed).toMatchObject({ enabled: true });
    expect(renewed.access_token).not.toBe(access_token);
    expect((await open(`/shared/${access_token}/`)).status).toBe(404);
    expect((await open(`/shared/${renewed.access_token}/`)).status).toBe(200);
    await share(id, false);
    expect((await open(`/shared/${renewed.access_token}/`)).status).toBe(404);
  });

  test("ends with the insight", async () => {
    const id = await create();
    const { access_token } = await share(id);
    await server.send("PATCH", `${insights}${id}/`, { body: { deleted: true } });
    expect((await open(`/shared/${access_token}/`)).status).toBe(404);
    expect((await server.send("GET", `${insights}${id}/sharing/`)).json).toMatchObject({
      detail: "Insight not found.",
    } as never);
  });

  test("is logged, without the token", async () => {
    const id = await create();
    await share(id);
    await server.send("POST", `${insights}${id}/sharing/refresh/`);
    const { access_token } = await share(id, false);
    const log = await server.send("GET", `${insights}${id}/activity/`);
    const { results } = log.json as { results: { activity: string; detail: { changes: object[] | null } }[] };
    expect(results.map((entry) => [entry.activity, entry.detail.changes])).toEqual([
      ["sharing disabled", [{ type: "Insight", action: "changed", field: "sharing", before: true, after: false }]],
      ["access token refreshed", null],
      ["sharing enabled", [{ type: "Insight", action: "changed", field: "sharing", before: false, after: true }]],
      ["created", null],
    ]);
    expect(log.text).not.toContain(access_token);
  });
});

describe("what a link opens", () => {
  test.each(["/", "", ".json", ".json/", "/?format=json"])("JSON by %j, without saying who made it", async (suffix) => {
    const { access_token } = await share(await create());
    // The front answers browsers that open an address with a page.
    const headers = { Accept: "*/*" };
    const reply = await server.send("GET", `/shared/${access_token}${suffix}`, { key: null, headers });
    expect(reply.headers.get("content-type")).toBe("application/json;charset=utf-8");
    expect(reply.json).toMatchObject({
      type: "insight",
      settings: { viewer_dates: false },
      insight: {
        name: "A <script>",
        result: [{ data: [7] }],
        created_by: null,
        last_modified_by: null,
        effective_restriction_level: 37,
        effective_privilege_level: 21,
        user_access_level: "viewer",
      },
    } as never);
    expect(reply.text).not.toContain("owner@");
  });

  test("the insight alone through the API, to read only", async () => {
    const id = await create();
    const other = await create();
    const { access_token } = await share(id);
    const token = `?sharing_access_token=${access_token}`;
    const reply = await open(`${insights}${id}/${token}&refresh=blocking`);
    expect(reply.json).toMatchObject({ id, result: [{ data: [7] }], created_by: null } as never);
    const file = await open(`${insights}${id}/${token}&format=csv`);
    expect([file.status, file.text]).toEqual([200, "series,1-Jan-2026,total\r\n<b>visits</b>,7,7\r\n"]);
    expect((await open(`${insights}${token}`)).json).toMatchObject({ count: 1, results: [{ id }] } as never);
    expect((await open(`${insights}${other}/${token}`)).status).toBe(404);
    expect((await open(`${insights}${id}/?sharing_access_token=wrong`)).status).toBe(401);
    expect((await open(`${insights}${id}/${token}`, "PATCH")).status).toBe(401);
    expect((await open(`${insights}${id}/sharing/${token}`)).status).toBe(401);
    expect((await open(`/api/environments/1/query/x/${token}`)).status).toBe(401);
  });

  test("nothing in another project", async () => {
    const { access_token } = await share(await create());
    const made = (await server.send("POST", "/api/projects/", { body: {} })).json as { id: number };
    const path = `/api/environments/${made.id}/insights/?sharing_access_token=${access_token}`;
    expect((await open(path)).status).toBe(404);
  });

  test("no filters of the visitor's own, and no forced calculation", async () => {
    const id = await create();
    const { access_token } = await share(id);
    const over = encodeURIComponent(JSON.stringify({ date_from: "2020-01-01" }));
    const path = `${insights}${id}/?sharing_access_token=${access_token}&refresh=force_blocking&filters_override=${over}`;
    await open(path);
    expect((await open(path)).json).toMatchObject({ query, is_cached: true } as never);
  });
});
