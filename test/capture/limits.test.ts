import { afterEach, describe, expect, test } from "bun:test";
import { gzipSync } from "node:zlib";
import type { Config } from "../../src/config.ts";
import { RetryableError, TerminalError } from "../../src/types/mod.ts";
import { expectFailure, failureOf, launchFront, type RunningFront, TOKEN } from "./launch.ts";

let front: RunningFront;
const launch = (...overrides: Parameters<typeof launchFront>) => {
  front = launchFront(...overrides);
};
afterEach(() => front.stop());

const EVENT = { event: "e", distinct_id: "d" };
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
      await expectFailure(front, tooLarge, 413, { type: "validation_error", code: "payload_too_large" });
      expect((await front.post(encode(padded(99_999)))).status).toBe(200);
      front.batches.length = 0;
    }
  });

  test("other paths than /batch have a limit of their own", async () => {
    launch();
    const limit = 2 * 1024 * 1024;
    for (const path of ["/e/", "/capture/", "/i/v0/e", "/track", "/engage"]) {
      await expectFailure(front, await front.post(padded(limit), {}, path), 413, { code: "payload_too_large" });
      expect((await front.post(padded(limit - 1), {}, path)).status).toBe(200);
      expect((await front.post(gzipSync(padded(limit)), {}, path)).status).toBe(200);
      front.batches.length = 0;
    }
  });

  test("25 MB", async () => {
    launch();
    const text = padded(25_000_000);
    for (const body of [text, chunked(text), gzipSync(text)]) {
      await expectFailure(front, await front.post(body), 413, { code: "payload_too_large" });
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
    await expectFailure(front, answer, 503, { type: "server_error", code: "disk_full", detail: "the disk is full" });
  });

  test("of the publisher", async () => {
    launch({ publisher: { publish: () => Promise.reject(new RetryableError("broker_unavailable", "no broker")) } });
    await expectFailure(front, await front.post({ api_key: TOKEN, ...EVENT }), 503, { code: "broker_unavailable" });
  });

  test("what nobody foresaw is our fault, logged and not shown", async () => {
    const lines: string[] = [];
    const publish = () => Promise.reject(new TerminalError("surprise", "secret"));
    launch({ publisher: { publish }, log: (line) => lines.push(line) });
    const answer = await front.post({ api_key: TOKEN, ...EVENT });
    await expectFailure(front, answer, 500, { code: "internal_error", detail: expect.not.stringContaining("secret") });
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
    await expectFailure(front, refused, 503, { code: "too_many_bytes_in_flight" });
    // What SDKs ask for is of the same budget.
    await expectFailure(front, await front.post(body(10), {}, "/flags/?v=2"), 503, {
      code: "too_many_bytes_in_flight",
    });
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
    launch({ config: { inflightMaxBytes: 200_000 } });
    const upload = await begin({ sizeBytes: 2_000_000, sentBytes: 190_000 });
    const body = JSON.stringify({ api_key: TOKEN, ...EVENT, pad: "x".repeat(100_000) });
    while ((await front.post(body)).status !== 503) await Bun.sleep(5);
    upload.socket.terminate();
    while ((await front.post(body)).status !== 200) await Bun.sleep(5);
  });
});

/** A request whose body is not all sent. */
async function begin(o: { sizeBytes: number; sentBytes: number; body?: string }) {
  const answer = Promise.withResolvers<string>();
  const socket = await Bun.connect({
    hostname: "127.0.0.1",
    port: Number(new URL(front.url).port),
    socket: { data: (_socket, data) => answer.resolve(data.toString()), close: () => answer.resolve("") },
  });
  const sent = (o.body ?? "{").padEnd(o.sentBytes);
  socket.write(`POST /batch/ HTTP/1.1\r\nHost: weir\r\nContent-Length: ${o.sizeBytes}\r\n\r\n${sent}`);
  return { socket, answer: answer.promise };
}

describe("bodies on their way in", () => {
  const body = (pad: number) => JSON.stringify({ api_key: TOKEN, ...EVENT, pad: "x".repeat(pad) });
  const keyless = (pad: number) => JSON.stringify({ pad: "x".repeat(pad), ...EVENT, api_key: TOKEN });

  test("hold no room for what they have only declared", async () => {
    launch();
    const uploads = await Promise.all(
      Array.from({ length: 40 }, (_, i) => begin({ sizeBytes: i % 2 === 0 ? 20_000_000 : 1_000_000, sentBytes: 1 })),
    );
    for (const pad of [10, 100_000, 3_000_000]) expect((await front.post(body(pad))).status).toBe(200);
    for (const { socket } of uploads) socket.terminate();
  });

  test("are ended when they stand still", async () => {
    launch({ config: { uploadGraceMs: 50, uploadMinBytesPerSecond: 1_000_000_000 } });
    for (const sizeBytes of [1_000, 20_000_000]) {
      const { answer } = await begin({ sizeBytes, sentBytes: 5 });
      expect(await answer).toMatch(/^HTTP\/1.1 408 .*text\/plain.*\r\n\r\nclient stopped sending data$/s);
    }
    expect((await front.post(body(10))).status).toBe(200);
  });

  test("give way when they hardly move and others need the room", async () => {
    launch({ config: { inflightMaxBytes: 2_000_000, uncheckedMaxBytes: 2_000_000, addressMaxBytes: 0 } });
    const { answer } = await begin({ sizeBytes: 5_000_000, sentBytes: 100_000 });
    while ((await front.post(keyless(1_700_000))).status !== 200) await Bun.sleep(50);
    expect(await answer).toStartWith("HTTP/1.1 503");
  });

  test("of a good key may be large together, however they were packed", async () => {
    launch();
    const items = Array(150_000).fill(EVENT);
    const packed = gzipSync(JSON.stringify({ batch: items, pad: "x".repeat(12_000_000), api_key: TOKEN }));
    const answers = await Promise.all(Array.from({ length: 4 }, () => front.post(packed)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  });

  test("of one address are few at once", async () => {
    launch({ config: { addressMaxUploads: 3 } });
    const uploads = await Promise.all(Array.from({ length: 3 }, () => begin({ sizeBytes: 1_000, sentBytes: 1 })));
    let answer = await front.post(body(10));
    while (answer.status === 200) answer = await front.post(body(10));
    await expectOnly(answer, 503, "too_many_from_address");
    for (const { socket } of uploads) socket.terminate();
    while ((await front.post(body(10))).status !== 200) await Bun.sleep(5);
  });

  test.each<[string, Partial<Config>, string]>([
    ["address", { addressMaxBytes: 3_000_000 }, "too_many_from_address"],
    ["front", { uncheckedMaxBytes: 3_000_000, addressMaxBytes: 0 }, "too_many_bytes_in_flight"],
  ])("whose key is not known have a share of each %s's room", async (_name, config, code) => {
    launch({ config });
    const { socket } = await begin({ sizeBytes: 5_000_000, sentBytes: 2_000_000 });
    let answer = await front.post(keyless(2_000_000));
    while (answer.status === 200) answer = await front.post(keyless(2_000_000)); // until the other's bytes have come
    await expectOnly(answer, 503, code);
    // A key at the begin is checked while the rest comes; what is small does not wait for what is large.
    for (const fine of [body(2_000_000), keyless(10)]) expect((await front.post(fine)).status).toBe(200);
    socket.terminate();
    while ((await front.post(keyless(2_000_000))).status !== 200) await Bun.sleep(5);
  });
});

async function expectOnly(answer: Response, status: number, code: string): Promise<void> {
  expect([answer.status, (await failureOf(answer)).code]).toEqual([status, code]);
}
