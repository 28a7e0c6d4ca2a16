import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { gzipSync } from "node:zlib";
import { startWeir, type Weir } from "../support/weir.ts";

const MB = 1_000_000;
const REPLACEMENT = "\ufffd";

function nested(depth: number): string {
  return `${"[".repeat(depth)}${"]".repeat(depth)}`;
}

describe("bad input costs only itself", () => {
  let weir: Weir;
  let good = 0;
  beforeAll(async () => {
    weir = await startWeir();
  });
  afterAll(() => weir[Symbol.asyncDispose]());

  const single = (inner: string) => `{"api_key":"${weir.projectKey}","distinct_id":"x",${inner}}`;

  async function expectRefused(
    status: number,
    body: string | Uint8Array<ArrayBuffer>,
    options: { path?: string; headers?: Record<string, string> } = {},
  ): Promise<void> {
    const response = await weir.post(options.path ?? "/batch/", body, options.headers);
    expect(response.status).toBe(status);
    const error = JSON.parse(await response.text()) as Record<string, unknown>;
    expect(error).toMatchObject({ type: expect.any(String), code: expect.any(String), detail: expect.any(String) });
    // The very next good event is taken.
    expect((await weir.batch([{ event: "good", distinct_id: "x" }])).status).toBe(200);
    good++;
  }

  for (const path of ["/capture", "/capture/", "/batch", "/batch/"]) {
    test(`truncated JSON is 400 on ${path}`, () => expectRefused(400, single('"event":"cut').slice(0, -3), { path }));
  }
  for (const path of ["/", "/batch/", "/api/users/@me/", "/assets/icon.svg"]) {
    test.each(["x y", "a/b", "a@b", "[::"])(`a Host header of "%s" is 400 on ${path}`, (host) =>
      expectRefused(400, single('"event":"e"'), { path, headers: { host } }),
    );
  }
  test("an empty body is 400", () => expectRefused(400, ""));
  test("a JSON value that is no event is 400", () => expectRefused(400, "17"));
  test("a raw NUL in JSON is 400", () => expectRefused(400, single('"event":"a\0b"')));
  test("text that is not UTF-8 is 400", () => expectRefused(400, Buffer.from(single('"event":"\xff"'), "latin1")));
  test("a body of 25 MB is 413", () => expectRefused(413, single(`"event":"${"x".repeat(25 * MB)}"`)));
  test("a body of exactly the limit is 413, one byte less is taken", async () => {
    const limit = 20 * 1024 * 1024;
    const frame = single('"event":"padded","properties":{}');
    await expectRefused(413, frame + " ".repeat(limit - frame.length));
    expect((await weir.post("/batch/", frame + " ".repeat(limit - frame.length - 1))).status).toBe(200);
    good++;
  });
  test("a gzip bomb is 413", async () => {
    const bomb = gzipSync(Buffer.alloc(500 * MB));
    expect(bomb.length).toBeLessThan(MB);
    await expectRefused(413, bomb, { headers: { "content-encoding": "gzip" } });
  });
  test("broken gzip is 400", async () => {
    const whole = gzipSync(single('"event":"e"'));
    await expectRefused(400, whole.subarray(0, whole.length - 12), { headers: { "content-encoding": "gzip" } });
  });
  for (const depth of [3_000, 10_000]) {
    test(`nesting ${depth} deep is 400`, async () => {
      await expectRefused(400, single(`"event":"deep","properties":{"a":${nested(depth)}}`));
      await expectRefused(400, nested(depth));
    });
  }
  test("a million opening brackets are 400", () => expectRefused(400, "[".repeat(MB)));
  test("a missing key is 401", () => expectRefused(401, '{"event":"e","distinct_id":"x"}', { path: "/capture/" }));
  test("an unknown key is 401", () =>
    expectRefused(401, '{"api_key":"phc_nobody","event":"e","distinct_id":"x"}', { path: "/capture/" }));
  test("a personal key is 401 for events", () =>
    expectRefused(401, `{"api_key":"${weir.personalKey}","event":"e","distinct_id":"x"}`, { path: "/capture/" }));

  test("events without a name or a distinct_id are set aside and counted, the others stored", async () => {
    const before = await weir.waitStored();
    const bad = [
      { distinct_id: "x" },
      { event: "", distinct_id: "x" },
      { event: "e" },
      { event: "e", distinct_id: null },
      { event: "e", distinct_id: "" },
      { event: "e", distinct_id: "  " },
    ];
    const huge = { event: "huge", distinct_id: "x", properties: { text: "x".repeat(1.5 * MB) } };
    const response = await weir.batch([...bad, huge, { event: "good", distinct_id: "x" }]);
    good++;
    expect(response.status).toBe(200);
    const after = await weir.waitStored();
    expect(after.dropped - before.dropped).toBe(bad.length + 1);
    expect(after.stored - before.stored).toBe(1);
    expect(after.dropped_by_cause).toMatchObject({
      missing_event_name: 2,
      missing_distinct_id: 4,
      message_size_too_large: 1,
    });
  });

  test("a NUL and a lone surrogate are stored as U+FFFD", async () => {
    const texts = { nul: "\\u0000", high: "\\ud800", low: "\\udc00", reversed: "\\udc00\\ud800" };
    for (const [name, text] of Object.entries(texts)) {
      const event = `"event":"odd ${name} <${text}>","properties":{"value":"<${text}>"}`;
      const response = await weir.post(
        "/capture/",
        `{"api_key":"${weir.projectKey}","distinct_id":"id ${text}",${event}}`,
      );
      expect(response.status).toBe(200);
    }
    await weir.waitStored();
    const { results } = await weir.query(
      "SELECT event, distinct_id, properties.value FROM events WHERE event LIKE 'odd %' ORDER BY event",
    );
    const expected = Object.keys(texts).map((name) => {
      const replaced = REPLACEMENT.repeat(name === "reversed" ? 2 : 1);
      return [`odd ${name} <${replaced}>`, `id ${replaced}`, `<${replaced}>`];
    });
    expect(results).toEqual(expected.sort((a, b) => (a[0]! < b[0]! ? -1 : 1)));
  });

  test("a host of few letters finds every path", async () => {
    const event = { api_key: weir.projectKey, event: "good", distinct_id: "x" };
    for (const host of ["api", "ph", "a", "weir.example"]) {
      for (const path of ["/e/", "/capture", "/batch/"]) {
        const response = await weir.post(path, JSON.stringify(event), { host });
        expect([host, path, response.status]).toEqual([host, path, 200]);
        good++;
      }
      const headers = { host, authorization: `Bearer ${weir.personalKey}` };
      for (const path of ["/api/projects/", "/api/environments/1/ingestion_status/", "/_liveness"]) {
        const response = await fetch(weir.url + path, { headers });
        expect([host, path, response.status]).toEqual([host, path, 200]);
      }
      const missing = await fetch(`${weir.url}/api/nothing/`, { headers });
      expect([missing.status, await missing.json()]).toEqual([404, expect.objectContaining({ code: "not_found" })]);
    }
  });

  test("a bad query is an error with its reason, never a process", async () => {
    const main = weir.pid;
    for (const query of [
      "SELECT",
      "SELECT nope FROM events",
      "SELECT 1; DROP TABLE events",
      "SELECT * FROM read_csv('/etc/passwd')",
    ]) {
      const response = await weir.api("/query/", { body: { query: { kind: "HogQLQuery", query } } });
      expect(response.status).toBe(400);
      expect(await response.json()).toMatchObject({ type: expect.any(String), detail: expect.any(String) });
    }
    const placed = await weir.api("/query/", {
      body: { query: { kind: "HogQLQuery", query: "SELECT nope FROM events" } },
    });
    expect(await placed.json()).toMatchObject({
      detail: "Unable to resolve field: nope",
      extra: { start: 7, end: 11 },
    });
    expect(weir.pid).toBe(main);
    expect(await weir.number("SELECT 1")).toBe(1);
  });

  test("every good event between is stored, once", async () => {
    await weir.waitStored();
    expect(await weir.number("SELECT count() FROM events WHERE event IN ('good', 'padded')")).toBe(good);
  });
});
