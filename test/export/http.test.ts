import { afterAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { HTTP } from "../../src/export/destinations/http.ts";
import { groupsOfLines } from "../../src/export/destinations/lines.ts";
import { HANG_MS, until } from "../support/processes.ts";
import { startWeir } from "../support/weir.ts";
import { endless, envOf, eventLine, NEVER, partOf, RANGE } from "./rows.ts";

const folder = mkdtempSync(join(tmpdir(), "weir-http-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const open = (url: string, token = "phc_x", allowPrivate = true) =>
  HTTP.open({ url, token }, RANGE, { ...envOf(folder), allowPrivate });

/** A receiver that answers in turn, then 200; what it was sent. */
function receiver(answers: (() => Response)[] = []) {
  const requests: { key: string | null; text: string }[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      requests.push({ key: request.headers.get("idempotency-key"), text: await request.text() });
      return answers.shift()?.() ?? Response.json({ status: "Ok" });
    },
  });
  return { url: `http://127.0.0.1:${server.port}/batch/`, requests, [Symbol.dispose]: () => void server.stop(true) };
}

test("events go into another Weir once, however often they are sent", async () => {
  await using weir = await startWeir();
  const key = (await weir.manage("GET", "/api/projects/@current/")).json as { api_token: string };
  const to = await open(`${weir.url}/batch/`, key.api_token);
  await to.test!(NEVER);
  const chain = 'button:text="Buy"';
  const lines = [
    ...Array.from({ length: 1500 }, (_, i) => eventLine(i)),
    eventLine(2000, {
      properties: '{"digits":12345678901234567890,"$ip":"1.2.3.4"}',
      chain,
      distinctId: 'a "b"\u2028c',
    }),
  ];
  for (const _ of [1, 2]) await to.put(partOf(folder, 0, lines), NEVER);
  await weir.waitStored();
  const { results } = await weir.query(
    "SELECT count(), uniq(uuid), countIf(distinct_id = 'a \"b\"\u2028c'), min(timestamp) FROM events",
  );
  expect(results).toEqual([[1501, 1501, 1, "2026-01-01T00:00:00.123000Z"]]);
  const one = await weir.query("SELECT properties, elements_chain FROM events WHERE properties.$ip = '1.2.3.4'");
  const [[properties, elements]] = one.results as [[string, string]];
  expect(properties).toContain('"digits":12345678901234567890');
  expect(properties).toContain('"$geoip_disable":true');
  expect(elements).toBe(chain);
  await expect((await open(`${weir.url}/batch/`, "phc_nobody")).test!(NEVER)).rejects.toMatchObject({
    code: "destination_refused",
  });
});

test("a batch has the same key whenever it is sent, and no two have one", async () => {
  using double = receiver();
  const lines = Array.from({ length: 2500 }, (_, i) => eventLine(i));
  const to = await open(double.url);
  for (const number of [0, 1, 0]) await to.put(partOf(folder, number, lines), NEVER);
  const keys = double.requests.map(({ key }) => key);
  expect(keys).toHaveLength(9);
  expect(keys.slice(6)).toEqual(keys.slice(0, 3));
  expect(new Set(keys).size).toBe(6);
  const sizes = double.requests.slice(0, 3).map(({ text }) => JSON.parse(text).batch.length);
  expect(sizes).toEqual([1000, 1000, 500]);
  expect(JSON.parse(double.requests[0]!.text)).toMatchObject({ api_key: "phc_x", historical_migration: true });
});

test("a receiver that asks for a pause gets it, and the batch again", async () => {
  const busy = () => new Response("later", { status: 503, headers: { "Retry-After": "0" } });
  using double = receiver([busy, () => new Response("slow down", { status: 429, headers: { "Retry-After": "0" } })]);
  await (await open(double.url)).put(partOf(folder, 0, [eventLine(1)]), NEVER);
  expect(double.requests).toHaveLength(3);
  expect(new Set(double.requests.map(({ text }) => text)).size).toBe(1);
});

test.each([
  ["taken", 200, null],
  ["refused", 400, { code: "destination_refused", message: `The receiver answered 400: ${"x".repeat(500)}` }],
])("a batch is %s by an answer of which no end comes", async (_, status, problem) => {
  using double = endless(status);
  const put = (await open(`${double.url}/batch/`)).put(partOf(folder, 0, [eventLine(1)]), NEVER);
  if (problem === null) expect(await put).toBeGreaterThan(0);
  else await expect(put).rejects.toMatchObject(problem);
  await until("the end of the answer", HANG_MS, () => double.seen.ended === 1);
});

describe("a problem", () => {
  test("that lasts ends the try, but not the run", async () => {
    const busy = () => new Response("later", { status: 503, headers: { "Retry-After": "0" } });
    using double = receiver(Array(9).fill(busy));
    const put = (await open(double.url)).put(partOf(folder, 0, [eventLine(1)]), NEVER);
    await expect(put).rejects.toMatchObject({ code: "destination_unavailable", retryable: true });
    expect(double.requests).toHaveLength(5);
  });

  test.each([401, 400, 404, 302])("of status %p ends the run", async (status) => {
    using double = receiver([() => new Response("no", { status })]);
    const put = (await open(double.url)).put(partOf(folder, 0, [eventLine(1)]), NEVER);
    await expect(put).rejects.toMatchObject({
      ...{ code: "destination_refused", retryable: false },
      message: `The receiver answered ${status}: no`,
    });
  });

  test("of the network is waited out until the run is cancelled", async () => {
    const cancel = new AbortController();
    const put = (await open("http://127.0.0.1:1/batch/")).put(partOf(folder, 0, [eventLine(1)]), cancel.signal);
    setTimeout(() => cancel.abort(new Error("cancelled")), 50);
    await expect(put).rejects.toThrow("cancelled");
  });

  test("a private host, where none is allowed", async () => {
    const to = await open("http://127.0.0.1:1/batch/", "x", false);
    await expect(to.put(partOf(folder, 0, [eventLine(1)]), NEVER)).rejects.toMatchObject({ code: "host_not_allowed" });
  });

  test.each([
    [{ url: "ftp://x", token: "t" }, "url"],
    [{ url: "http://a:b@x/", token: "t" }, "url"],
    [{ url: "http://x/" }, "token"],
    [{ url: "http://x/", token: 7 }, "token"],
    [{ url: "http://x/", token: "t", colour: "red" }, "colour"],
  ])("of settings: %p", (config, member) => {
    expect(() => HTTP.check(config)).toThrow(new RegExp(`^${member}: `));
  });
});

test("lines come in groups whole, whatever they hold", async () => {
  const lines = ["a\u2028b", "x".repeat(300_000), "\u0085", "ä".repeat(70_000), "", "end"];
  const { path } = partOf(folder, 9, lines);
  const groups = await Array.fromAsync(groupsOfLines(path, { lines: 2, units: 100_000 }));
  expect(groups.flat()).toEqual(lines);
  expect(groups.every((group) => group.length <= 2)).toBe(true);
});
