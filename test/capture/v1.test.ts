import { afterEach, describe, expect, test } from "bun:test";
import { randomUUID } from "node:crypto";
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import { EventFlag, RetryableError, TerminalError } from "../../src/types/mod.ts";
import { launchFront, NOW_MS, type RunningFront, TEAM, TOKEN } from "./launch.ts";

let front: RunningFront;
const launch = (...overrides: Parameters<typeof launchFront>) => {
  front = launchFront(...overrides);
};
afterEach(() => front.stop());

const PATH = "/i/v1/analytics/events";
const HEADERS = {
  Authorization: `Bearer ${TOKEN}`,
  "Content-Type": "application/json",
  "PostHog-Sdk-Info": "posthog-node/5.70.0",
  "PostHog-Attempt": "1",
  "PostHog-Request-Id": randomUUID(),
  "PostHog-Request-Timestamp": new Date(NOW_MS + 10_000).toISOString(),
};
const CREATED_AT = new Date(NOW_MS).toISOString();
const event = (own: object = {}) => ({
  event: "e",
  uuid: randomUUID(),
  distinct_id: "d",
  timestamp: "2026-05-03T11:00:00.000Z",
  ...own,
});
const post = (batch: unknown, headers: Record<string, string> = {}, outer: object = {}) =>
  front.post(JSON.stringify({ created_at: CREATED_AT, batch, ...outer }), { ...HEADERS, ...headers }, PATH);

async function expectRefused(answer: Response, status: number, error: string): Promise<void> {
  expect([answer.status, await answer.json()]).toEqual([
    status,
    { error, error_description: expect.any(String), error_uri: null },
  ]);
  expect(front.batches).toEqual([]);
}

test("each event has its result, and the others are kept", async () => {
  launch();
  const good = event({
    session_id: "s1",
    window_id: "w1",
    options: { process_person_profile: false, disable_skew_correction: true, product_tour_id: null, unheard_of: 1 },
    properties: { n: 1.5, $lib: "wrong" },
  });
  const skewed = event();
  const bad: [object, string][] = [
    [event({ event: "" }), "missing_event_name"],
    [event({ event: "x".repeat(201) }), "event_name_too_long"],
    [event({ distinct_id: " " }), "missing_distinct_id"],
    [event({ distinct_id: "x".repeat(201) }), "distinct_id_too_large"],
    [event({ distinct_id: "😀".repeat(201) }), "distinct_id_too_large"],
    [event({ timestamp: "never" }), "invalid_event_timestamp"],
    [event({ timestamp: "2026-05-03" }), "invalid_event_timestamp"],
    [event({ timestamp: "2026-05-03 09:00" }), "invalid_event_timestamp"],
    [event({ timestamp: "2026-05-03T09:00:00" }), "invalid_event_timestamp"],
    [event({ timestamp: "2026-05-03T09:00:00+03" }), "invalid_event_timestamp"],
    [event({ timestamp: undefined }), "invalid_event_timestamp"],
    [event({ properties: [] }), "malformed_event_properties"],
    [event({ options: { process_person_profile: "no" } }), "invalid_options"],
    [event({ options: [] }), "invalid_options"],
    [event({ properties: { pad: "x".repeat(1_000_001) } }), "message_size_too_large"],
    [
      event({ event: "$identify", options: { process_person_profile: false } }),
      "invalid_event_when_process_person_profile_is_false",
    ],
  ];
  const answer = await post([...bad.map(([item]) => item), good, skewed]);
  expect(answer.status).toBe(200);
  const { results } = (await answer.json()) as { results: Record<string, object> };
  expect(results).toEqual({
    ...Object.fromEntries(bad.map(([item, details]) => [(item as typeof good).uuid, { result: "drop", details }])),
    [good.uuid]: { result: "ok" },
    [skewed.uuid]: { result: "ok" },
  });
  const [first, second] = front.events();
  expect(first).toMatchObject({ teamId: TEAM, uuid: good.uuid, timestampMs: Date.parse(good.timestamp) });
  expect(JSON.parse(first!.properties)).toMatchObject({
    n: 1.5,
    $lib: "posthog-node",
    $lib_version: "5.70.0",
    $session_id: "s1",
    $window_id: "w1",
    $process_person_profile: false,
  });
  expect(second).toMatchObject({ uuid: skewed.uuid, timestampMs: Date.parse(skewed.timestamp) - 10_000 });
  expect(front.batches[0]!.dropped).toEqual({
    missing_event_name: 1,
    missing_distinct_id: 1,
    invalid_event_timestamp: 6,
    invalid_event: 6,
    message_size_too_large: 1,
    invalid_event_when_process_person_profile_is_false: 1,
  });
  expect(front.batches[0]!.warnings!.map(({ type, count = 1 }) => [type, count]).toSorted()).toEqual(
    Object.entries(front.batches[0]!.dropped).toSorted(),
  );
});

test("times are RFC 3339, ids of 200 characters", async () => {
  launch();
  const times = ["2026-05-03T11:00:00z", "2026-05-03t13:00:00.0000009+02:00", "2026-05-03 11:00:00Z"];
  const distinct_id = "😀".repeat(200);
  const answer = await post(times.map((timestamp) => event({ timestamp, distinct_id })));
  expect(Object.values((await answer.json()) as object)[0]).toSatisfy((results: object) =>
    Object.values(results).every(({ result }) => result === "ok"),
  );
  expect(front.events().map((stored) => [stored.distinctId, stored.timestampMs])).toEqual(
    times.map(() => [distinct_id, Date.UTC(2026, 4, 3, 10, 59, 50)]),
  );
});

test("what could not be stored is to be sent again, event by event", async () => {
  launch({ publisher: { publish: () => Promise.reject(new RetryableError("publish_timeout", "too late")) } });
  const [good, bad] = [event(), event({ event: "" })];
  const answer = await post([good, bad]);
  expect([answer.status, answer.headers.get("retry-after")]).toEqual([200, "1"]);
  expect(await answer.json()).toEqual({
    results: {
      [good.uuid]: { result: "retry", details: "not_persisted" },
      [bad.uuid]: { result: "drop", details: "missing_event_name" },
    },
  });
});

test("an id that names nobody gets no person, and its sender is told", async () => {
  launch();
  const items = ["NULL", "anonymous-user", "somebody"].map((distinct_id) =>
    event({ event: "$identify", distinct_id, properties: { $set: { a: 1 }, $group_0: "g" } }),
  );
  const answer = await post(items);
  const nobody = { result: "warning", details: "person_processing_disabled" };
  const [a, b, c] = items.map(({ uuid }) => uuid);
  expect(await answer.json()).toEqual({ results: { [a!]: nobody, [b!]: nobody, [c!]: { result: "ok" } } });
  expect(front.events().map(({ flags }) => flags & EventFlag.Personless)).toEqual([4, 4, 0]);
  expect(JSON.parse(front.events()[0]!.properties)).toEqual({
    $process_person_profile: false,
    $sent_at: HEADERS["PostHog-Request-Timestamp"],
    $lib: "posthog-node",
    $lib_version: "5.70.0",
  });
  expect(front.batches[0]!.warnings!.map(({ type }) => type)).toEqual(Array(2).fill("person_processing_disabled"));
});

test("options are the properties of the other paths", async () => {
  launch();
  const options = { cookieless_mode: true, disable_skew_correction: true, product_tour_id: "tour" };
  const answer = await post([event({ options })]);
  expect(answer.status).toBe(200);
  expect(front.events()[0]!.flags & EventFlag.Personless).toBe(EventFlag.Personless);
  expect(JSON.parse(front.events()[0]!.properties)).toMatchObject({
    $cookieless_mode: true,
    $ignore_sent_at: true,
    $product_tour_id: "tour",
  });
});

test.each<[string, (text: string) => Uint8Array<ArrayBuffer>]>([
  ["gzip", gzipSync],
  ["deflate", deflateSync],
  ["deflate", deflateRawSync],
  ["br", brotliCompressSync],
  ["zstd", zstdCompressSync],
  ["ZSTD", zstdCompressSync],
])("a body packed as %s (%p)", async (encoding, pack) => {
  launch({ config: { batchMaxBytes: 2_000_000 } });
  const send = (body: Uint8Array<ArrayBuffer>) => front.post(body, { ...HEADERS, "Content-Encoding": encoding }, PATH);
  const text = (pad: number) =>
    JSON.stringify({ created_at: CREATED_AT, batch: [event({ properties: { u: "é", pad: "x".repeat(pad) } })] });
  // Small ones are unpacked on the loop, large ones in a thread.
  for (const pad of [0, 100_000, 900_000]) {
    expect((await send(pack(text(pad)))).status).toBe(200);
    expect(JSON.parse(front.events()[0]!.properties)).toMatchObject({ u: "é", pad: "x".repeat(pad) });
    front.batches.length = 0;
  }
  for (const tooLarge of [text(2_000_000), text(100_000_000)]) {
    await expectRefused(await send(pack(tooLarge)), 413, "payload_too_large");
  }
  await expectRefused(await send(new TextEncoder().encode("{}{}{}{}")), 400, "request_decoding_error");
  expect((await send(pack(text(0)))).status).toBe(200);
});

test("a lane that is misread is told", async () => {
  launch();
  await post([event()], {}, { historical_migration: "yes" });
  expect(front.batches[0]).toMatchObject({
    lane: "live",
    warnings: [{ type: "invalid_historical_migration", details: { historical_migration: '"yes"' } }],
  });
});

test("the key is checked before a body is read", async () => {
  launch();
  const { port } = new URL(front.url);
  const answer = Promise.withResolvers<string>();
  const socket = await Bun.connect({
    hostname: "127.0.0.1",
    port: Number(port),
    socket: { data: (_socket, data) => answer.resolve(data.toString()) },
  });
  const lines = Object.entries({
    ...HEADERS,
    Authorization: "Bearer phc_unknown",
    Host: "weir",
    "Content-Length": "9999",
  });
  socket.write(`POST ${PATH} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n`);
  expect(await answer.promise).toStartWith("HTTP/1.1 401");
  socket.end();
});

test("gzip, and the history lane", async () => {
  launch();
  const body = gzipSync(JSON.stringify({ created_at: CREATED_AT, historical_migration: true, batch: [event()] }));
  const answer = await front.post(body, { ...HEADERS, "Content-Encoding": "gzip" }, `${PATH}/`);
  expect(answer.status).toBe(200);
  expect(front.batches[0]).toMatchObject({ lane: "history", dropped: {} });
});

describe("refusals of the whole", () => {
  test("headers", async () => {
    launch();
    for (const [headers, status, error] of [
      [{ Authorization: "" }, 401, "invalid_api_token"],
      [{ Authorization: "Bearer phc_unknown" }, 401, "invalid_api_token"],
      [{ "PostHog-Request-Id": "" }, 400, "missing_required_headers"],
      [{ "PostHog-Request-Id": "x" }, 400, "invalid_header_value"],
      [{ "PostHog-Attempt": "one" }, 400, "invalid_header_value"],
      [{ "PostHog-Sdk-Info": "nothing" }, 400, "invalid_header_value"],
      ...["now", "2026-11-20", "2026-11-22 09:00", "2026-11-22T09:00:00", "1777777777"].map(
        (time) => [{ "PostHog-Request-Timestamp": time }, 400, "invalid_header_value"] as const,
      ),
      [{ "Content-Type": "text/plain" }, 415, "unsupported_content_type"],
      [{ "Content-Encoding": "compress" }, 415, "unsupported_encoding"],
      [{ "Content-Encoding": "toString" }, 415, "unsupported_encoding"],
    ] as const) {
      await expectRefused(await post([event()], headers as Record<string, string>), status, error);
    }
  });

  test("bodies", async () => {
    launch({ config: { batchMaxBytes: 100_000 } });
    const twice = event();
    await expectRefused(await front.post("", HEADERS, PATH), 400, "empty_body");
    await expectRefused(await front.post("{", HEADERS, PATH), 400, "request_parsing_error");
    await expectRefused(await front.post("[]", HEADERS, PATH), 400, "request_parsing_error");
    const zipped = { ...HEADERS, "Content-Encoding": "gzip" };
    await expectRefused(await front.post("{}", zipped, PATH), 400, "request_decoding_error");
    await expectRefused(await post({}), 400, "invalid_batch");
    for (const created_at of [undefined, "2026-05-03"]) {
      await expectRefused(await post([event()], {}, { created_at }), 400, "invalid_batch");
    }
    await expectRefused(await post([]), 400, "empty_batch");
    await expectRefused(await post([event({ uuid: undefined })]), 400, "missing_event_uuid");
    await expectRefused(await post([7]), 400, "missing_event_uuid");
    await expectRefused(await post([twice, twice]), 400, "duplicate_event_uuid");
    await expectRefused(await post([event({ properties: { pad: "x".repeat(100_000) } })]), 413, "payload_too_large");
  });

  test("methods", async () => {
    launch();
    for (const method of ["GET", "PUT", "DELETE"]) {
      const answer = await fetch(front.url + PATH, { method });
      expect(answer.headers.get("allow")).toBe("POST");
      await expectRefused(answer, 405, "method_not_allowed");
    }
  });

  test("what may pass later", async () => {
    launch({ admission: { check: () => new RetryableError("broker_unavailable", "no broker") } });
    const answer = await post([event()]);
    expect(answer.headers.get("retry-after")).toMatch(/^\d+$/);
    await expectRefused(answer, 503, "broker_unavailable");
  });

  test("what nobody foresaw", async () => {
    const lines: string[] = [];
    const publish = () => Promise.reject(new TerminalError("surprise", "secret"));
    launch({ publisher: { publish }, log: (line) => lines.push(line) });
    await expectRefused(await post([event()]), 500, "internal_error");
    expect(lines).toEqual(["capture v1: secret"]);
  });
});
