import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { sdkPlugin, sharedBy } from "../../src/capture/mod.ts";
import { loadConfig } from "../../src/config.ts";
import { documented } from "../support/documented.ts";

const TOKEN = "phc_known";
const ORIGIN = "https://shop.example";

let server: ReturnType<typeof Bun.serve>;
let url: string;
let isRecordsDown = false;

beforeAll(() => {
  const config = { ...loadConfig({}), keyCacheTtlMs: 0 };
  const shared = sharedBy(config, {
    findByToken: async (token) => {
      if (isRecordsDown) throw new Error("records are away");
      return token === TOKEN ? { teamId: 1, anonymizeIps: false } : null;
    },
  });
  const app = sdkPlugin({ ...shared, config, now: () => 1_777_777_777_000 });
  server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: app.fetch });
  url = `http://127.0.0.1:${server.port}`;
});
afterAll(() => server.stop(true));

const get = async (path: string, headers: Record<string, string> = {}) =>
  documented("GET", await fetch(url + path, { headers: { origin: ORIGIN, ...headers } }));

async function post(path: string, body: BodyInit, headers: Record<string, string> = {}) {
  return documented("POST", await fetch(url + path, { method: "POST", body, headers: { origin: ORIGIN, ...headers } }));
}

const question = JSON.stringify({ token: TOKEN, distinct_id: "me" });
const form = (text: string) => new URLSearchParams({ data: Buffer.from(text).toString("base64") }).toString();

describe("flags", () => {
  test.each([
    ["JSON", question, { "content-type": "application/json" }],
    ["a form of base64", form(question), { "content-type": "application/x-www-form-urlencoded" }],
    ["gzip", gzipSync(question), { "content-encoding": "gzip", "content-type": "application/json" }],
    ["gzip that nothing announces", gzipSync(question), { "content-type": "text/plain" }],
    ["an api_key", JSON.stringify({ api_key: TOKEN }), {}],
    ["much JSON", JSON.stringify({ person_properties: Array(50_000).fill("x"), token: TOKEN }), {}],
    ["much gzip", gzipSync(JSON.stringify({ person_properties: Array(50_000).fill("x"), token: TOKEN })), {}],
  ])("a question in %s is answered", async (_name, body, headers) => {
    for (const path of ["/flags?v=2", "/flags/?v=2"]) {
      const answer = await post(path, body as BodyInit, headers as Record<string, string>);
      expect(answer.status).toBe(200);
      expect(await answer.json()).toEqual({
        flags: {},
        errorsWhileComputingFlags: false,
        requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
        evaluatedAt: 1_777_777_777_000,
      });
    }
  });

  test("config=true adds the remote config", async () => {
    const answer = (await (await post("/flags/?v=2&config=true", question)).json()) as Record<string, unknown>;
    expect(answer).toMatchObject({ flags: {}, sessionRecording: false, hasFeatureFlags: false });
    expect(answer.supportedCompression).toContain("gzip-js");
  });

  test("each version of /decide gets its own form", async () => {
    const forms = await Promise.all(
      ["", "?v=1", "?v=2", "?v=3", "?v=4"].map(async (query) => (await post(`/decide/${query}`, question)).json()),
    );
    expect(forms[0]).toMatchObject({ featureFlags: [], config: { enable_collect_everything: true } });
    expect(forms[1]).toMatchObject({ featureFlags: [] });
    expect(forms[2]).toMatchObject({ featureFlags: {} });
    expect(forms[3]).toMatchObject({ featureFlags: {}, featureFlagPayloads: {}, errorsWhileComputingFlags: false });
    expect(forms[4]).toMatchObject({ flags: {} });
  });

  test.each([
    ["an unknown key", JSON.stringify({ token: "phc_unknown" }), 401],
    ["a personal key", JSON.stringify({ token: "phx_secret" }), 401],
    ["no key", "{}", 401],
    ["no JSON", "nonsense", 400],
    ["an array", "[]", 400],
    ["nothing", "", 400],
    ["broken gzip", new Uint8Array([0x1f, 0x8b, 8, 0]), 400],
    ["a form of nonsense", form("nonsense"), 400],
    ["too much", "x".repeat(3 * 1024 * 1024), 413],
    ["too much, inflated", gzipSync(JSON.stringify({ token: TOKEN, a: "x".repeat(3 * 1024 * 1024) })), 413],
  ])("%s is refused", async (_name, body, status) => {
    const answer = await post("/flags/?v=2", body as BodyInit);
    expect(answer.status).toBe(status as number);
    expect(await answer.json()).toMatchObject({ detail: expect.any(String) });
  });

  test("503 while keys cannot be read", async () => {
    isRecordsDown = true;
    const answer = await post("/flags/?v=2", JSON.stringify({ token: "phc_never_seen" }));
    isRecordsDown = false;
    expect(answer.status).toBe(503);
    expect(answer.headers.get("retry-after")).not.toBeNull();
  });
});

test.each([
  ["/api/surveys/", { surveys: [] }],
  ["/api/early_access_features/", { earlyAccessFeatures: [] }],
  ["/api/web_experiments/", { experiments: [] }],
  ["/api/product_tours/", { product_tours: [] }],
])("%s is an empty list, for known projects", async (path, list) => {
  const answer = await get(`${path}?token=${TOKEN}`);
  expect(answer.status).toBe(200);
  expect(answer.headers.get("access-control-allow-origin")).toBe(ORIGIN);
  expect(await answer.json()).toEqual(list);
  expect((await get(`${path}?token=phc_unknown`)).status).toBe(401);
  expect((await get(path)).status).toBe(401);
});

describe("remote config", () => {
  test("says that what Weir does not do is off", async () => {
    const answer = await get(`/array/${TOKEN}/config`);
    expect(answer.status).toBe(200);
    expect(answer.headers.get("cache-control")).toContain("max-age");
    expect(await answer.json()).toMatchObject({
      token: TOKEN,
      sessionRecording: false,
      surveys: false,
      heatmaps: false,
      analytics: { endpoint: "/i/v0/e/" },
    });
  });

  test("as a script it sets what posthog-js looks for", async () => {
    const answer = await get(`/array/${TOKEN}/config.js`);
    expect(answer.headers.get("content-type")).toStartWith("text/javascript");
    const window: { _POSTHOG_REMOTE_CONFIG?: Record<string, unknown> } = {};
    new Function("window", await answer.text())(window);
    expect(window._POSTHOG_REMOTE_CONFIG?.[TOKEN]).toMatchObject({ config: { token: TOKEN }, siteApps: [] });
  });

  test("with the SDK in one file", async () => {
    const text = await (await get(`/array/${TOKEN}/array.js`)).text();
    expect(text).toStartWith("(window._POSTHOG_REMOTE_CONFIG");
    expect(text).toEndWith(await (await get("/static/array.js")).text());
  });

  test("a malformed token is 400, an unknown one 404", async () => {
    for (const file of ["config", "config.js", "array.js"]) {
      const malformed = await get(`/array/phx_secret/${file}`);
      expect(malformed.status).toBe(400);
      expect(await malformed.json()).toMatchObject({ detail: "Invalid token" });
      expect((await get(`/array/phc_unknown/${file}`)).status).toBe(404);
    }
  });
});

describe("scripts", () => {
  const packageFile = Bun.resolveSync("posthog-js/package.json", import.meta.dir);
  const { version } = JSON.parse(readFileSync(packageFile, "utf8")) as { version: string };

  test("are the package's own, whole, plain and gzip", async () => {
    const expected = readFileSync(packageFile.replace("package.json", "dist/array.js"), "utf8");
    for (const encoding of ["identity", "gzip"]) {
      const answer = await get("/static/array.js", { "accept-encoding": encoding });
      expect(answer.status).toBe(200);
      expect(answer.headers.get("content-type")).toBe("text/javascript; charset=utf-8");
      expect(answer.headers.get("access-control-allow-origin")).toBe(ORIGIN);
      expect(answer.headers.get("vary")).toBe("Accept-Encoding, Origin");
      expect(await answer.text()).toBe(expected);
    }
  });

  test("are asked for again cheaply", async () => {
    for (const encoding of ["identity", "gzip"]) {
      const first = await get(`/static/recorder.js?v=${version}`, { "accept-encoding": encoding });
      await first.arrayBuffer();
      const etag = first.headers.get("etag")!;
      const again = await get("/static/recorder.js", { "accept-encoding": encoding, "if-none-match": etag });
      expect(again.status).toBe(304);
      expect(await again.text()).toBe("");
    }
  });

  test("under a version's path only that version, which never changes", async () => {
    const own = await get(`/static/${version}/surveys.js`);
    expect(own.status).toBe(200);
    expect(own.headers.get("cache-control")).toContain("31536000");
    expect((await get("/static/0.0.1/surveys.js")).status).toBe(404);
  });

  test.each([
    "/static/package.json",
    "/static/array.d.ts",
    "/static/..%2fpackage.json",
    "/static/..%2f..%2f..%2fpackage.json",
    "/static/%2e%2e/package.json",
    `/static/${version}/..%2f..%2fpackage.json`,
    "/static/%2fetc%2fpasswd",
    "/static/array.js%00",
    "/static/toolbar.js",
    "/static/constructor",
    "/static/",
  ])("%s is no file", async (path) => {
    // Not through fetch alone, which would tidy the path.
    const socket = await rawGet(path);
    expect(socket).toStartWith("HTTP/1.1 404");
  });
});

/** The answer's first line to a path that is sent exactly as given. */
async function rawGet(path: string): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  const socket = await Bun.connect({
    hostname: "127.0.0.1",
    port: server.port!,
    socket: { data: (_socket, data) => resolve(data.toString()) },
  });
  socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
  const answer = await promise;
  socket.end();
  return answer;
}

describe("what Weir does not take", () => {
  test.each([
    ["/s/", "recordings"],
    ["/s/?ver=1&compression=gzip-js", "recordings"],
    ["/i/v1/logs?token=x", "logs"],
    ["/i/v1/metrics?token=x", "metrics"],
    ["/i/v1/traces", undefined],
    ["/i/v0/ai", undefined],
    ["/i/v0/ai/batch/", undefined],
    ["/i/v1/ai/events", undefined],
  ])("%s is refused in words", async (path, batchKey) => {
    const answer = await post(path, "x".repeat(100_000));
    expect(answer.status).toBe(404);
    expect(answer.headers.get("access-control-allow-origin")).toBe(ORIGIN);
    const body = (await answer.json()) as Record<string, unknown>;
    expect(body).toMatchObject({ code: "not_supported", detail: expect.stringContaining("nothing was stored") });
    expect(body.quota_limited).toEqual(batchKey === undefined ? undefined : [batchKey]);
  });
});

test("pages of any origin may ask", async () => {
  for (const path of ["/flags/?v=2", "/s/", "/static/array.js", `/array/${TOKEN}/config`, "/api/surveys/"]) {
    const answer = await fetch(url + path, {
      method: "OPTIONS",
      headers: {
        origin: ORIGIN,
        "access-control-request-method": "POST",
        "access-control-request-headers": "content-type,x-custom",
      },
    });
    expect(answer.status).toBe(200);
    expect(answer.headers.get("access-control-allow-origin")).toBe(ORIGIN);
    expect(answer.headers.get("access-control-allow-credentials")).toBe("true");
    expect(answer.headers.get("access-control-allow-headers")).toBe("content-type,x-custom");
  }
});

test("another method is 405", async () => {
  const answer = await get("/flags/?v=2");
  expect(answer.status).toBe(405);
  expect(answer.headers.get("allow")).toBe("POST");
  expect((await post("/static/array.js", "")).status).toBe(405);
});
