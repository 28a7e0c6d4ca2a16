import { afterEach, describe, expect, test } from "bun:test";
import { gzipSync } from "node:zlib";
import LZString from "lz-string";
import { expectFailure, launchFront, type RunningFront, TOKEN } from "./launch.ts";

let front: RunningFront;
const launch = (...overrides: Parameters<typeof launchFront>) => {
  front = launchFront(...overrides);
};
afterEach(() => front.stop());

const EVENT = { event: "e", distinct_id: "d" };
describe("invalid payloads", () => {
  test("no JSON, or none of the shapes", async () => {
    launch();
    const whole = JSON.stringify({ api_key: TOKEN, batch: [EVENT, EVENT] });
    for (let length = 1; length < whole.length; length++) {
      await expectFailure(front, await front.post(whole.slice(0, length)), 400, { code: "invalid_payload" });
    }
    const bad = ["", "null", "5", '"x"', "{]", "[}", "}", "]", ",", `${whole}x`, '{"a":1,}', "{'a':1}", '{"\\u00":1}'];
    bad.push(`{"api_key":"${TOKEN}","batch":{}}`, `{"api_key":"${TOKEN}","batch":null}`);
    for (const body of bad) {
      await expectFailure(front, await front.post(body), 400, { type: "validation_error", code: "invalid_payload" });
    }
  });

  test("empty batches", async () => {
    launch();
    for (const body of [{ api_key: TOKEN, batch: [] }, []]) {
      await expectFailure(front, await front.post(body), 400, { code: "empty_batch" });
    }
  });

  test("bytes that are no UTF-8", async () => {
    launch();
    for (const bad of [[0xff], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xe2, 0x82]]) {
      const body = Buffer.concat([Buffer.from(`{"api_key":"${TOKEN}","event":"`), Buffer.from(bad), Buffer.from('"}')]);
      const detail = "failed to decode request: invalid UTF-8";
      await expectFailure(front, await front.post(body), 400, { code: "invalid_payload", detail });
    }
  });

  test("nesting", async () => {
    launch();
    for (const depth of [201, 3_000, 10_000, 1_000_000]) {
      for (const [open, close] of [
        ["[", "]"],
        ['{"a":', "}"],
      ] as const) {
        const body = `{"api_key":"${TOKEN}","event":"e","properties":${open.repeat(depth)}1${close.repeat(depth)}}`;
        const failure = await front.post(body);
        await expectFailure(front, failure, 400, {
          detail: "failed to parse request: nested deeper than 200 levels",
        });
        await expectFailure(front, await front.post(open.repeat(depth)), 400, { code: "invalid_payload" });
      }
    }
    const properties = `{"a":${"[".repeat(190)}"[[[[[[[[[[[["${"]".repeat(190)}}`;
    const fine = `{"api_key":"${TOKEN}","event":"e","distinct_id":"d","properties":${properties}}`;
    expect((await front.post(fine)).status).toBe(200);
    expect(front.events()[0]?.properties).toBe(properties);
  });
});

describe("gzip", () => {
  const text = JSON.stringify({ api_key: TOKEN, batch: [{ ...EVENT, properties: { u: "héé ✓" } }] });

  test("by header or by its first bytes, in one member or several", async () => {
    launch();
    const zipped = gzipSync(text);
    const members = Buffer.concat([gzipSync(text.slice(0, 20)), gzipSync(text.slice(20))]);
    for (const [body, headers] of [
      [zipped, { "Content-Encoding": "gzip" }],
      [zipped, { "Content-Encoding": "GZIP-JS" }],
      [zipped, { "Content-Type": "text/plain" }],
      [zipped, { "Content-Encoding": "unheard of" }],
      [members, {}],
    ] as const) {
      expect((await front.post(body, headers as Record<string, string>)).status).toBe(200);
    }
    expect(front.events().map((event) => event.properties)).toEqual(Array(5).fill('{"u":"héé ✓"}'));
    expect((await front.post(text, { "Content-Encoding": "unheard of" })).status).toBe(200);
  });

  test("damaged", async () => {
    launch();
    const zipped = gzipSync(text);
    const flipped = Buffer.from(zipped);
    flipped[flipped.length - 6]! ^= 1; // the checksum
    for (const body of [zipped.subarray(0, -9), zipped.subarray(0, 3), flipped]) {
      const failure = await front.post(body);
      await expectFailure(front, failure, 400, {
        code: "invalid_payload",
        detail: expect.stringContaining("invalid GZIP data"),
      });
    }
    await expectFailure(front, await front.post(text, { "Content-Encoding": "gzip" }), 400, {
      code: "invalid_payload",
    });
  });

  test("a bomb is stopped at the limit, whatever its trailer says", async () => {
    launch();
    const bomb = gzipSync(Buffer.alloc(400 * 1024 * 1024));
    const forged = Buffer.from(bomb);
    forged.writeUInt32LE(1000, forged.length - 4);
    const before = process.memoryUsage().rss;
    for (const body of [bomb, forged]) {
      await expectFailure(front, await front.post(body, { "Content-Encoding": "gzip" }), 413, {
        code: "payload_too_large",
      });
    }
    expect(process.memoryUsage().rss - before).toBeLessThan(200 * 1024 * 1024);
    expect((await front.post(text)).status).toBe(200);
  });
});

describe("other wrappings", () => {
  const body = { api_key: TOKEN, ...EVENT, properties: { u: "héé ✓" } };
  const json = JSON.stringify(body);
  const base64 = (data: string | Uint8Array) => Buffer.from(data as string).toString("base64");
  const form = (data: string) => `data=${encodeURIComponent(data)}`;
  const FORM = { "Content-Type": "application/x-www-form-urlencoded" };

  test.each<[string, string | Uint8Array<ArrayBuffer>, string, Record<string, string>]>([
    ["base64 without a hint", base64(json), "/e/", {}],
    ["base64 with a hint", base64(json), "/batch/?compression=base64", {}],
    ["base64 by header", base64(json), "/batch/", { "Content-Encoding": "b64" }],
    ["base64 of gzip", base64(gzipSync(json)), "/batch/", {}],
    ["base64 in gzip", gzipSync(base64(json)), "/e/", {}],
    ["a form of JSON", form(json), "/e/", FORM],
    ["a form of base64", form(base64(json)), "/batch/", FORM],
    ["a form with pluses as they are", `data=${base64(`${json}${" ".repeat(3)}`)}`, "/e/", FORM],
    ["a form with a hint", `ip=1&${form(base64(json))}&compression=base64`, "/e/", FORM],
    [
      "a form with a charset",
      form(json),
      "/e/",
      { "Content-Type": "application/x-www-form-urlencoded; charset=UTF-8" },
    ],
    ["a form of base64 of gzip", form(base64(gzipSync(json))), "/e/?compression=gzip-js", FORM],
    ["lz64", LZString.compressToBase64(json), "/e/?compression=lz64", { "Content-Type": "text/plain" }],
    ["a form of lz64", `${form(LZString.compressToBase64(json))}&compression=lz64`, "/e/", FORM],
    ["data in the query", "", `/e/?data=${encodeURIComponent(base64(json))}`, {}],
    ["data in the query wins", "no JSON", `/batch/?data=${encodeURIComponent(json)}`, {}],
    ["gzip in the query's words", gzipSync(json), "/e/?compression=GZIP-JS", { "Content-Type": "text/plain" }],
    ["an unknown hint", json, "/e/?compression=foobar", {}],
    ["a byte order mark", `\ufeff${json}`, "/e/", {}],
  ])("%s", async (_name, sent, path, headers) => {
    launch();
    const answer = await front.post(sent, headers, path);
    expect([answer.status, await answer.text()]).toEqual([200, '{"status":"Ok"}']);
    expect(front.events()[0]).toMatchObject({ event: "e", distinctId: "d", properties: '{"u":"héé ✓"}' });
  });

  test("what is broken is 400", async () => {
    launch();
    for (const [sent, path, headers] of [
      [json, "/e/", FORM],
      ["data=", "/e/", FORM],
      ["data=%7B", "/e/", FORM],
      [base64("no JSON at all"), "/e/", {}],
      ["%%%", "/e/?compression=lz64", {}],
      [LZString.compressToBase64(json).slice(0, 20), "/e/?compression=lz64", {}],
    ] as const) {
      await expectFailure(front, await front.post(sent, headers, path), 400, { code: "invalid_payload" });
    }
  });

  test("an lz64 bomb is stopped at the limit", async () => {
    launch({ config: { batchMaxBytes: 1_000_000 } });
    const bomb = LZString.compressToBase64("x".repeat(2_000_000));
    expect(bomb.length).toBeLessThan(50_000);
    const answer = await front.post(bomb, {}, "/e/?compression=lz64");
    await expectFailure(front, answer, 413, { code: "payload_too_large" });
  });
});
