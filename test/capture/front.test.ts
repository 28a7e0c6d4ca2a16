import { afterEach, describe, expect, test } from "bun:test";
import { gzipSync } from "node:zlib";
import LZString from "lz-string";
import { EventFlag, RetryableError, TerminalError } from "../../src/types/mod.ts";
import { type Failure, failureOf, launchFront, NOW_MS, type RunningFront, TEAM, TOKEN } from "./launch.ts";

let front: RunningFront;
const launch = (...overrides: Parameters<typeof launchFront>) => {
  front = launchFront(...overrides);
  return front;
};
afterEach(() => front.stop());

const EVENT = { event: "e", distinct_id: "d" };

async function expectFailure(answer: Response, status: number, failure: Partial<Failure>): Promise<void> {
  expect(answer.status).toBe(status);
  expect(answer.headers.get("content-type")).toContain("application/json");
  expect(await failureOf(answer)).toMatchObject({ ...failure, attr: null });
  expect(front.batches).toEqual([]);
}

describe("routes", () => {
  test("each path takes each shape", async () => {
    launch();
    const shapes = [{ api_key: TOKEN, ...EVENT }, { api_key: TOKEN, batch: [EVENT] }, [{ token: TOKEN, ...EVENT }]];
    for (const path of ["/capture", "/capture/", "/batch", "/batch/", "/batch/?_=1"]) {
      for (const shape of shapes) {
        const answer = await front.post(shape, {}, path);
        expect([path, answer.status, await answer.text()]).toEqual([path, 200, '{"status":"Ok"}']);
      }
    }
    expect(front.events()).toHaveLength(15);
    expect(front.batches[0]).toMatchObject({ teamId: TEAM, lane: "live", dropped: {} });
    expect(front.events()[0]).toMatchObject({ ...{ teamId: TEAM, event: "e", distinctId: "d" }, timestampMs: NOW_MS });
  });

  test("every path of events, with and without a slash", async () => {
    launch();
    for (const path of ["/e", "/i/v0/e", "/track", "/engage"]) {
      for (const spelling of [path, `${path}/`, `${path}?ver=1.2`]) {
        for (const shape of [
          { token: TOKEN, ...EVENT },
          { token: TOKEN, batch: [EVENT] },
        ]) {
          const answer = await front.post(shape, {}, spelling);
          expect([spelling, answer.status, await answer.text()]).toEqual([spelling, 200, '{"status":"Ok"}']);
        }
      }
    }
    expect(front.events()).toHaveLength(24);
  });

  test("only POST where it is documented so", async () => {
    launch();
    for (const path of [
      "/capture",
      "/capture/",
      "/batch",
      "/batch/",
      "/i/v1/analytics/events",
      "/i/v1/analytics/events/",
    ]) {
      for (const method of ["GET", "PUT", "DELETE"]) {
        const answer = await fetch(front.url + path, { method });
        expect(answer.headers.get("allow")).toBe("POST");
        await expectFailure(answer, 405, { code: "method_not_allowed" });
      }
    }
  });

  test("GET with ?data= on paths of old libraries", async () => {
    launch();
    const data = JSON.stringify({ token: TOKEN, ...EVENT });
    for (const encoded of [data, Buffer.from(data).toString("base64")]) {
      const answer = await fetch(`${front.url}/e/?data=${encodeURIComponent(encoded)}`);
      expect(answer.status).toBe(200);
    }
    expect(front.events()).toHaveLength(2);
    expect((await fetch(`${front.url}/e/`)).status).toBe(400);
    const put = await fetch(`${front.url}/e/`, { method: "PUT" });
    expect([put.status, put.headers.get("allow")]).toEqual([405, "GET, POST"]);
  });

  test("an event without a name on /engage is $identify", async () => {
    launch();
    const people = { token: TOKEN, distinct_id: "d", $set: { a: 1 } };
    await front.post(people, {}, "/engage/");
    await front.post({ ...people, event: "own" }, {}, "/engage/");
    await front.post(people, {}, "/e/");
    expect(front.events().map(({ event, properties }) => [event, properties])).toEqual([
      ["$identify", '{"$set":{"a":1}}'],
      ["own", '{"$set":{"a":1}}'],
    ]);
  });

  test("a beacon wants no answer, anything else does", async () => {
    launch();
    const statusOf = async (query: string, body: object = EVENT) =>
      (await front.post({ token: TOKEN, ...body }, {}, `/e/?${query}`)).status;
    expect(await statusOf("beacon=1")).toBe(204);
    expect(await statusOf("beacon=0")).toBe(200);
    expect(await statusOf("beacon=")).toBe(200);
    expect(await statusOf("beacon=1", { event: "$performance_event", distinct_id: "d" })).toBe(200);
    for (const bad of ["beacon=yes", "_=1.5", "_=x", "sent_at=2024-01-01"]) expect(await statusOf(bad)).toBe(400);
  });

  test("the content type does not matter", async () => {
    launch();
    for (const type of ["text/plain", "application/json", "multipart/form-data", "nonsense"]) {
      const answer = await front.post(JSON.stringify({ api_key: TOKEN, ...EVENT }), { "Content-Type": type });
      expect(answer.status).toBe(200);
    }
  });
});

describe("events", () => {
  test("good and bad in one batch", async () => {
    launch();
    const batch = [
      EVENT,
      { event: "", distinct_id: "d" },
      { distinct_id: "d" },
      { event: "no id" },
      { event: "blank id", distinct_id: "  " },
      { event: "null id", distinct_id: null, properties: { distinct_id: null } },
      7,
      [EVENT],
      { ...EVENT, properties: "x" },
      { ...EVENT, uuid: "x" },
      { ...EVENT, properties: { big: "x".repeat(1_000_001) } },
      { event: "e2", properties: { distinct_id: "d2", a: 1 } },
    ];
    const answer = await front.post({ api_key: TOKEN, batch });
    expect(answer.status).toBe(200);
    expect(front.events().map((event) => [event.event, event.distinctId, event.properties])).toEqual([
      ["e", "d", "{}"],
      ["e2", "d2", '{"distinct_id":"d2","a":1}'],
    ]);
    expect(front.batches[0]?.dropped).toEqual({
      missing_event_name: 2,
      missing_distinct_id: 3,
      invalid_event: 3,
      invalid_uuid: 1,
      message_size_too_large: 1,
    });
  });

  test("a request with nothing to store is published for its counts", async () => {
    launch();
    expect((await front.post({ api_key: TOKEN })).status).toBe(200);
    const warnings = [{ type: "missing_event_name", details: {} }];
    expect(front.batches).toEqual([
      { teamId: TEAM, lane: "live", events: [], dropped: { missing_event_name: 1 }, warnings },
    ]);
  });

  test("properties keep the client's text, on one line", async () => {
    launch();
    const body = `{"api_key":"${TOKEN}","batch":[\r\n\t{"event":"e",\n"distinct_id":"d","\\u0070roperties":
{"a":\t1e2,\r\n"b":1.10,"c":12345678901234567890,"d":"ü \\n \\u0000 \\ud800 \\ud83d\\ude00 \0"},"x":{"properties":{}}}]}`;
    expect((await front.post(body.replace("\0", ""))).status).toBe(200);
    expect(front.events()[0]?.properties).toBe(
      '{"a": 1e2,  "b":1.10,"c":12345678901234567890,"d":"ü \\n \\ufffd \\ufffd \\ud83d\\ude00 "}',
    );
    front.batches.length = 0;
    await expectFailure(await front.post(body), 400, { code: "invalid_payload" });
  });

  test("NUL and lone surrogates in name and id", async () => {
    launch();
    const body = `{"api_key":"${TOKEN}","event":"a\\u0000b","distinct_id":"c\\ud800d"}`;
    expect((await front.post(body)).status).toBe(200);
    expect(front.events()[0]).toMatchObject({ event: "a\ufffdb", distinctId: "c\ufffdd" });
  });

  test("the history lane is for true alone", async () => {
    launch();
    for (const historical_migration of [true, false, "true", 1, null, undefined]) {
      await front.post({ api_key: TOKEN, historical_migration, batch: [EVENT] });
    }
    expect(front.batches.map((batch) => batch.lane)).toEqual(["history", "live", "live", "live", "live", "live"]);
  });

  test("times are UTC, uuids canonical", async () => {
    launch();
    const uuid = "0190E0C5-1234-7ABC-8DEF-0123456789AB";
    await front.post({ api_key: TOKEN, batch: [{ ...EVENT, uuid, timestamp: "2023-01-01T12:00:00+03" }, EVENT] });
    const [first, second] = front.events();
    expect(first).toMatchObject({ uuid: uuid.toLowerCase(), timestampMs: Date.UTC(2023, 0, 1, 9), flags: 0 });
    expect(second).toMatchObject({ timestampMs: NOW_MS, flags: EventFlag.ServerUuid | EventFlag.ServerTime });
    expect(second?.uuid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7/);
  });
});

describe("keys", () => {
  test("where they are looked for", async () => {
    launch();
    for (const body of [
      { token: TOKEN, ...EVENT },
      { $token: TOKEN, ...EVENT },
      { api_key: ` ${TOKEN} `, ...EVENT },
      { ...EVENT, properties: { token: TOKEN } },
      { token: TOKEN, ...EVENT, properties: { token: "another" } },
      { token: TOKEN, batch: [{ ...EVENT, token: "another" }] },
      [EVENT, { ...EVENT, token: TOKEN }, { ...EVENT, properties: { token: TOKEN } }, 5],
    ]) {
      expect([body, (await front.post(body)).status]).toEqual([body, 200]);
    }
  });

  test("missing", async () => {
    launch();
    for (const body of [EVENT, [EVENT], { batch: [{ ...EVENT, api_key: TOKEN }] }, { api_key: null, ...EVENT }, {}]) {
      await expectFailure(await front.post(body), 401, { type: "authentication_error", code: "missing_api_key" });
    }
  });

  test("malformed, unknown and contradicting", async () => {
    launch();
    for (const [api_key, reason] of [
      ["", "empty"],
      ["  ", "empty"],
      ["x".repeat(65), "too_long"],
      ["phc_🦀", "not_ascii"],
      ["phx_mine", "personal_api_key"],
      ["a\0b", "null_byte"],
      [5, "not_a_string"],
      ["phc_unknown", "unknown"],
    ] as const) {
      const failure = {
        type: "authentication_error",
        code: "invalid_api_key",
        detail: `API key is not valid: ${reason}`,
      };
      await expectFailure(await front.post({ api_key, ...EVENT }), 401, failure);
      await expectFailure(await front.post({ api_key, batch: [EVENT] }), 401, failure);
    }
    const two = [
      { token: TOKEN, ...EVENT },
      { token: "other", ...EVENT },
    ];
    await expectFailure(await front.post(two), 401, { code: "invalid_api_key" });
  });

  test("without records a new key must wait", async () => {
    launch({ projects: { findByToken: () => Promise.reject(new Error("gone")) } });
    const answer = await front.post({ api_key: TOKEN, ...EVENT });
    expect(answer.headers.get("retry-after")).toMatch(/^\d+$/);
    await expectFailure(answer, 503, { type: "server_error", code: "records_unavailable" });
  });
});

describe("pages of other origins", () => {
  const ORIGIN = "https://shop.example";
  test("may ask before they send", async () => {
    launch();
    for (const path of ["/e/", "/capture/", "/batch", "/i/v0/e/?compression=gzip-js", "/i/v1/analytics/events"]) {
      const answer = await fetch(front.url + path, {
        method: "OPTIONS",
        headers: {
          Origin: ORIGIN,
          "Access-Control-Request-Method": "POST",
          "Access-Control-Request-Headers": "content-type,x-custom",
        },
      });
      expect([answer.status, await answer.text()]).toEqual([200, ""]);
      expect(Object.fromEntries(answer.headers)).toMatchObject({
        "access-control-allow-origin": ORIGIN,
        "access-control-allow-credentials": "true",
        "access-control-allow-headers": "content-type,x-custom",
        "access-control-allow-methods": "GET, POST, OPTIONS",
      });
    }
    const bare = await fetch(`${front.url}/e/`, { method: "OPTIONS" });
    expect([bare.status, await bare.text()]).toEqual([200, '{"status":"Ok"}']);
  });

  test("may read every answer, of a failure too", async () => {
    launch();
    for (const [body, status] of [
      [{ token: TOKEN, ...EVENT }, 200],
      ["no JSON", 400],
      [EVENT, 401],
    ] as const) {
      const answer = await front.post(body, { Origin: ORIGIN }, "/e/");
      expect(answer.status).toBe(status);
      expect(answer.headers.get("access-control-allow-origin")).toBe(ORIGIN);
      expect(answer.headers.get("access-control-allow-credentials")).toBe("true");
      expect(answer.headers.get("vary")).toBe("Origin");
    }
    const get = await fetch(`${front.url}/batch/`, { headers: { Origin: ORIGIN } });
    expect(get.headers.get("access-control-allow-origin")).toBe(ORIGIN);
    expect((await front.post({ token: TOKEN, ...EVENT })).headers.get("access-control-allow-origin")).toBeNull();
  });
});

describe("addresses", () => {
  const ipOf = async (trustProxy: boolean, headers: Record<string, string>) => {
    launch({
      config: { trustProxy },
      projects: { findByToken: async () => ({ teamId: TEAM, anonymizeIps: false }) },
    });
    await front.post({ token: TOKEN, ...EVENT }, headers);
    const { $ip } = JSON.parse(front.events()[0]!.properties) as Record<string, string>;
    await front.stop();
    return $ip;
  };
  test("are those of the connection, or what a trusted proxy says", async () => {
    const forwarded = { "X-Forwarded-For": "203.0.113.7, 10.0.0.1" };
    expect(await ipOf(false, forwarded)).toBe("127.0.0.1");
    expect(await ipOf(true, forwarded)).toBe("203.0.113.7");
    expect(await ipOf(true, {})).toBe("127.0.0.1");
  });
});

describe("warnings", () => {
  test("name what was set aside or changed, few a request", async () => {
    launch({ config: { warningsMaxPerRequest: 3 } });
    const batch = [
      EVENT,
      { ...EVENT, uuid: "x".repeat(500) },
      { ...EVENT, timestamp: "never" },
      { event: "e" },
      { event: "e" },
    ];
    await front.post({ api_key: TOKEN, batch });
    expect(front.batches[0]!.warnings).toEqual([
      { type: "invalid_uuid", details: { event: "e", distinct_id: "d", uuid: "x".repeat(200) } },
      { type: "ignored_invalid_timestamp", details: { event: "e", distinct_id: "d", timestamp: '"never"' } },
      { type: "missing_distinct_id", details: { event: "e" } },
    ]);
    expect(front.batches[0]!.dropped).toEqual({ invalid_uuid: 1, missing_distinct_id: 2 });
    await front.post({ api_key: TOKEN, batch: [EVENT, { event: "$performance_event" }] });
    expect(front.batches[1]).toMatchObject({ dropped: { performance_event: 1 } });
    expect(front.batches[1]!.warnings).toBeUndefined();
  });
});

describe("Idempotency-Key", () => {
  const uuidsOf = async (body: object | string | Uint8Array<ArrayBuffer>, key?: string) => {
    const from = front.events().length;
    const answer = await front.post(body, key === undefined ? {} : { "Idempotency-Key": key });
    expect(answer.status).toBe(200);
    return front
      .events()
      .slice(from)
      .map(({ uuid }) => uuid);
  };
  test("the same key and body give the same uuids, so that a copy is known", async () => {
    launch();
    const own = "0190e0c5-1234-7abc-8def-0123456789ab";
    const body = JSON.stringify({ api_key: TOKEN, batch: [EVENT, EVENT, { ...EVENT, uuid: own }] });
    const first = await uuidsOf(body, "key 1");
    expect(new Set(first).size).toBe(3);
    expect(first[2]).toBe(own);
    expect(await uuidsOf(body, "key 1")).toEqual(first);
    expect(await uuidsOf(gzipSync(body), "key 1")).toEqual(first);
    expect(front.events().map(({ flags }) => flags & EventFlag.ServerUuid)).toEqual(Array(9).fill(0));
    expect(front.events()[0]!.flags).toBe(EventFlag.ServerTime);
    const others = [
      await uuidsOf(body, "key 2"),
      await uuidsOf(`${body} `, "key 1"),
      await uuidsOf(body),
      await uuidsOf(body, ""),
    ];
    for (const other of others) expect(other.slice(0, 2).filter((uuid) => first.includes(uuid))).toEqual([]);
    expect(front.events().at(-3)!.flags).toBe(EventFlag.ServerTime | EventFlag.ServerUuid);
  });
});

describe("invalid payloads", () => {
  test("no JSON, or none of the shapes", async () => {
    launch();
    const whole = JSON.stringify({ api_key: TOKEN, batch: [EVENT, EVENT] });
    for (let length = 1; length < whole.length; length++) {
      await expectFailure(await front.post(whole.slice(0, length)), 400, { code: "invalid_payload" });
    }
    const bad = ["", "null", "5", '"x"', "{]", "[}", "}", "]", ",", `${whole}x`, '{"a":1,}', "{'a':1}", '{"\\u00":1}'];
    bad.push(`{"api_key":"${TOKEN}","batch":{}}`, `{"api_key":"${TOKEN}","batch":null}`);
    for (const body of bad) {
      await expectFailure(await front.post(body), 400, { type: "validation_error", code: "invalid_payload" });
    }
  });

  test("empty batches", async () => {
    launch();
    for (const body of [{ api_key: TOKEN, batch: [] }, []]) {
      await expectFailure(await front.post(body), 400, { code: "empty_batch" });
    }
  });

  test("bytes that are no UTF-8", async () => {
    launch();
    for (const bad of [[0xff], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xe2, 0x82]]) {
      const body = Buffer.concat([Buffer.from(`{"api_key":"${TOKEN}","event":"`), Buffer.from(bad), Buffer.from('"}')]);
      const detail = "failed to decode request: invalid UTF-8";
      await expectFailure(await front.post(body), 400, { code: "invalid_payload", detail });
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
        await expectFailure(failure, 400, {
          detail: "failed to parse request: nested deeper than 200 levels",
        });
        await expectFailure(await front.post(open.repeat(depth)), 400, { code: "invalid_payload" });
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
      await expectFailure(failure, 400, {
        code: "invalid_payload",
        detail: expect.stringContaining("invalid GZIP data"),
      });
    }
    await expectFailure(await front.post(text, { "Content-Encoding": "gzip" }), 400, { code: "invalid_payload" });
  });

  test("a bomb is stopped at the limit, whatever its trailer says", async () => {
    launch();
    const bomb = gzipSync(Buffer.alloc(400 * 1024 * 1024));
    const forged = Buffer.from(bomb);
    forged.writeUInt32LE(1000, forged.length - 4);
    const before = process.memoryUsage().rss;
    for (const body of [bomb, forged]) {
      await expectFailure(await front.post(body, { "Content-Encoding": "gzip" }), 413, { code: "payload_too_large" });
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
      await expectFailure(await front.post(sent, headers, path), 400, { code: "invalid_payload" });
    }
  });

  test("an lz64 bomb is stopped at the limit", async () => {
    launch({ config: { batchMaxBytes: 1_000_000 } });
    const bomb = LZString.compressToBase64("x".repeat(2_000_000));
    expect(bomb.length).toBeLessThan(50_000);
    const answer = await front.post(bomb, {}, "/e/?compression=lz64");
    await expectFailure(answer, 413, { code: "payload_too_large" });
  });
});

describe("size", () => {
  const padded = (bytes: number) => {
    const start = `{"api_key":"${TOKEN}","event":"e","distinct_id":"d","pad":"`;
    return `${start}${"x".repeat(bytes - start.length - 2)}"}`;
  };
  const chunked = (text: string) =>
    new ReadableStream({
      start(controller) {
        for (let at = 0; at < text.length; at += 65_536) controller.enqueue(Buffer.from(text.slice(at, at + 65_536)));
        controller.close();
      },
    });

  test("smaller than the limit, as sent and inflated", async () => {
    launch({ config: { batchMaxBytes: 100_000 } });
    for (const encode of [(text: string) => text, (text: string) => gzipSync(text), chunked]) {
      const tooLarge = await front.post(encode(padded(100_000)));
      await expectFailure(tooLarge, 413, { type: "validation_error", code: "payload_too_large" });
      expect((await front.post(encode(padded(99_999)))).status).toBe(200);
      front.batches.length = 0;
    }
  });

  test("other paths than /batch have a limit of their own", async () => {
    launch();
    const limit = 2 * 1024 * 1024;
    for (const path of ["/e/", "/capture/", "/i/v0/e", "/track", "/engage"]) {
      await expectFailure(await front.post(padded(limit), {}, path), 413, { code: "payload_too_large" });
      expect((await front.post(padded(limit - 1), {}, path)).status).toBe(200);
      expect((await front.post(gzipSync(padded(limit)), {}, path)).status).toBe(200);
      front.batches.length = 0;
    }
  });

  test("25 MB", async () => {
    launch();
    const text = padded(25_000_000);
    for (const body of [text, chunked(text), gzipSync(text)]) {
      await expectFailure(await front.post(body), 413, { code: "payload_too_large" });
    }
  });

  test("300,000 events in 19.9 MB", async () => {
    launch();
    const items = Array.from({ length: 300_000 }, (_, i) => `{"event":"minimal","distinct_id":"user number ${i}"}`);
    const text = `{"api_key":"${TOKEN}","batch":[${items.join(",")}]}`;
    const body = text.replace("]}", `${" ".repeat(19_900_000 - text.length)}]}`);
    expect((await front.post(body)).status).toBe(200);
    expect(front.events()).toHaveLength(300_000);
    expect(front.events()[299_999]).toMatchObject({ distinctId: "user number 299999", properties: "{}" });
    expect(new Set(front.events().map((event) => event.uuid)).size).toBe(300_000);
  });
});

describe("refusals that pass", () => {
  test("of the admission, before the body is read", async () => {
    launch({ admission: { check: () => new RetryableError("disk_full", "the disk is full") } });
    const answer = await front.post("not even JSON");
    expect(answer.headers.get("retry-after")).toMatch(/^\d+$/);
    await expectFailure(answer, 503, { type: "server_error", code: "disk_full", detail: "the disk is full" });
  });

  test("of the publisher", async () => {
    launch({ publisher: { publish: () => Promise.reject(new RetryableError("broker_unavailable", "no broker")) } });
    await expectFailure(await front.post({ api_key: TOKEN, ...EVENT }), 503, { code: "broker_unavailable" });
  });

  test("what nobody foresaw is our fault, logged and not shown", async () => {
    const lines: string[] = [];
    const publish = () => Promise.reject(new TerminalError("surprise", "secret"));
    launch({ publisher: { publish }, log: (line) => lines.push(line) });
    const answer = await front.post({ api_key: TOKEN, ...EVENT });
    await expectFailure(answer, 500, { code: "internal_error", detail: expect.not.stringContaining("secret") });
    expect(lines).toEqual(["capture: secret"]);
  });

  test("no answer before the publisher's", async () => {
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    launch({ publisher: { publish: () => held } });
    const answer = front.post({ api_key: TOKEN, ...EVENT });
    expect(await Promise.race([answer, Bun.sleep(50).then(() => "waiting")])).toBe("waiting");
    release();
    expect((await answer).status).toBe(200);
  });

  test("bytes in flight are bounded, and given back", async () => {
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    launch({ publisher: { publish: () => held }, config: { inflightMaxBytes: 2_000 } });
    const body = (pad: number) => JSON.stringify({ api_key: TOKEN, ...EVENT, pad: "x".repeat(pad) });
    const first = front.post(body(3_000)); // more than the bound, but alone
    await Bun.sleep(50);
    const refused = await front.post(body(10));
    expect(refused.headers.get("retry-after")).toMatch(/^\d+$/);
    await expectFailure(refused, 503, { code: "too_many_bytes_in_flight" });
    release();
    expect((await first).status).toBe(200);
    const both = await Promise.all([front.post(body(900)), front.post(gzipSync(body(900)))]);
    expect(both.map((answer) => answer.status)).toEqual([200, 200]);
    for (const bad of ["x".repeat(1_900), gzipSync("x".repeat(1_900))]) {
      expect((await front.post(bad)).status).toBe(400);
    }
    expect((await front.post(body(1_800))).status).toBe(200);
  });

  test("a client that goes away in the middle gives back its bytes", async () => {
    launch({ config: { inflightMaxBytes: 2_000 } });
    const head = `POST /batch/ HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1999\r\n\r\n{`;
    const socket = await Bun.connect({
      hostname: "127.0.0.1",
      port: Number(new URL(front.url).port),
      socket: { data() {} },
    });
    socket.write(head);
    const body = JSON.stringify({ api_key: TOKEN, ...EVENT });
    while ((await front.post(body)).status !== 503) await Bun.sleep(5);
    socket.terminate();
    while ((await front.post(body)).status !== 200) await Bun.sleep(5);
  });
});
