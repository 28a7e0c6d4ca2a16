import { afterEach, describe, expect, test } from "bun:test";
import { gzipSync } from "node:zlib";
import { EventFlag } from "../../src/types/mod.ts";
import { expectFailure, launchFront, NOW_MS, type RunningFront, TEAM, TOKEN } from "./launch.ts";

let front: RunningFront;
const launch = (...overrides: Parameters<typeof launchFront>) => {
  front = launchFront(...overrides);
};
afterEach(() => front.stop());

const EVENT = { event: "e", distinct_id: "d" };
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
      '{"a": 1e2,  "b":1.1 ,"c":12345678901234567890,"d":"ü \\n \\ufffd \\ufffd \\ud83d\\ude00 "}',
    );
    front.batches.length = 0;
    await expectFailure(front, await front.post(body), 400, { code: "invalid_payload" });
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
    const misread = (text: string) => [
      { type: "invalid_historical_migration", details: { historical_migration: text } },
    ];
    expect(front.batches.map((batch) => batch.warnings)).toEqual([
      undefined,
      undefined,
      misread('"true"'),
      misread("1"),
      undefined,
      undefined,
    ]);
  });

  test("items that say nothing are set aside, however many", async () => {
    launch();
    const items = [1, {}, {}, "x", null, [], [EVENT], { ...EVENT }, { unknown: 1 }, ...Array(10_000).fill({})];
    expect((await front.post({ api_key: TOKEN, batch: items })).status).toBe(200);
    expect(front.events()).toHaveLength(1);
    expect(front.batches.at(-1)).toMatchObject({
      dropped: { invalid_event: 5, missing_event_name: 10_003 },
      warnings: [
        { type: "invalid_event", details: {}, count: 5 },
        { type: "missing_event_name", details: {}, count: 10_003 },
      ],
    });
    front.batches.length = 0;
    expect((await front.post({ api_key: TOKEN, batch: [{}, 1] }, {}, "/engage/")).status).toBe(200);
    expect(front.batches[0]!.dropped).toEqual({ missing_distinct_id: 1, invalid_event: 1 });
  });

  test("a large batch is published in parts, in order, its counts with the last", async () => {
    launch({ config: { overflowRate: 0 } });
    const items = Array.from({ length: 10_000 }, (_, i) => ({ ...EVENT, event: `e${i}` }));
    expect((await front.post({ api_key: TOKEN, batch: [{}, ...items] })).status).toBe(200);
    expect(front.events().map(({ event }) => event)).toEqual(items.map(({ event }) => event));
    expect(front.batches.length).toBeGreaterThan(1);
    expect(front.batches.map(({ dropped }) => dropped)).toEqual([
      ...Array(front.batches.length - 1).fill({}),
      { missing_event_name: 1 },
    ]);
  });

  test("large and small bodies, plain and packed, give the same", async () => {
    launch();
    const properties = { a: [1.5, "x\u0000y", { b: "é😀" }], $set: { c: 1 } };
    const item = { ...EVENT, uuid: "0190e0c5-1234-7abc-8def-0123456789ab", $set_once: { d: 2 }, properties };
    const odd = (pad: number) => ({ ...item, properties: { ...properties, pad: "\u0001".repeat(pad) } });
    const textOf = (pad: number, count: number) =>
      JSON.stringify({ api_key: TOKEN, batch: Array(count).fill(odd(pad)), sent_at: "2026-05-03T12:00:10Z" });
    for (const [pad, count] of [
      [0, 2],
      [10_000, 2],
      [10, 30_000],
      [100_000, 30],
    ] as const) {
      const text = textOf(pad, count);
      const small = textOf(pad, 1).replace(/"pad":"[^"]*"/, '"pad":"P"');
      await front.post(small);
      const [expected] = front.events();
      front.batches.length = 0;
      for (const body of [text, gzipSync(text)]) {
        expect((await front.post(body)).status).toBe(200);
        const events = front.events();
        expect(events).toHaveLength(count);
        const last = { ...events.at(-1)! };
        last.properties = last.properties.replace(/"pad":"[^"]*"/, '"pad":"P"');
        expect(last).toEqual(expected!);
        front.batches.length = 0;
      }
    }
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
      { type: "missing_distinct_id", details: { event: "e" }, count: 2 },
      { type: "ignored_invalid_timestamp", details: { event: "e", distinct_id: "d", timestamp: '"never"' } },
    ]);
    expect(front.batches[0]!.dropped).toEqual({ invalid_uuid: 1, missing_distinct_id: 2 });
    await front.post({ api_key: TOKEN, batch: [EVENT, { event: "$performance_event" }] });
    expect(front.batches[1]).toMatchObject({ dropped: { performance_event: 1 } });
    expect(front.batches[1]!.warnings).toBeUndefined();
  });

  test("many of one cause hide no other", async () => {
    launch({ config: { warningsMaxPerRequest: 4, overflowRate: 1, overflowBurst: 40 }, clockMs: () => 0 });
    const batch = [
      ...Array(20).fill({ ...EVENT, timestamp: "never" }),
      ...Array.from({ length: 20 }, (_, i) => ({ event: "$pageview", distinct_id: `d${i}` })),
      ...Array(21).fill(EVENT),
      ...Array.from({ length: 20 }, (_, i) => ({ ...EVENT, distinct_id: `d${i}`, uuid: "x" })),
    ];
    await front.post({ api_key: TOKEN, batch });
    expect(front.batches[0]!.warnings).toEqual([
      { type: "invalid_uuid", details: { ...EVENT, distinct_id: "d0", uuid: "x" } },
      { type: "overflow", details: { distinct_id: "d" } },
      { type: "ignored_invalid_timestamp", details: { ...EVENT, timestamp: '"never"' }, count: 20 },
      { type: "missing_current_url", details: { event: "$pageview", distinct_id: "d0" } },
    ]);
    front.batches.length = 0;
    await front.post({ api_key: TOKEN, batch: batch.slice(-20) });
    expect(front.batches[0]!.warnings!.map(({ details }) => details.distinct_id)).toEqual(["d0", "d1", "d2", "d3"]);
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
