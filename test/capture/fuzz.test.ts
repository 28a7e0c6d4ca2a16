import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { compressToBase64 } from "lz-string";
import type { Json } from "../../src/types/mod.ts";
import { HANG_MS } from "../support/processes.ts";
import { launchFront, type RunningFront, TOKEN } from "./launch.ts";
import { checkAgainst, checkEvent } from "./oracle.ts";

// A failure prints its path; `fc.assert(…, { seed, path })` asks for that case alone.

const RUNS = 700;
const ANSWERS = [200, 204, 400, 401, 408, 413, 415];

/** Sometimes the one, mostly the other. */
const mostly = <T, U>(common: fc.Arbitrary<T>, rare: fc.Arbitrary<U>) =>
  fc.oneof({ weight: 5, arbitrary: common }, { weight: 1, arbitrary: rare });

const junk = fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<Json>;
const oddText = fc.string({ unit: "binary", maxLength: 12 });
const text = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 12 }),
  oddText,
  fc.constantFrom("", " ", "\0", "\ud800", "\udc00x", "a\u2028b", '"\\', "é", "x".repeat(250), "🎉".repeat(120)),
);
const name = mostly(
  text,
  fc.constantFrom(
    "$identify",
    "$create_alias",
    "$groupidentify",
    "$performance_event",
    "$exception",
    "$set",
    "$snapshot",
  ),
);
/** Numbers that are no time, or none of this calendar: a `Date` ends at ±8,640,000,000,000,000. */
const oddMs = fc.oneof(
  fc.maxSafeInteger(),
  fc
    .tuple(fc.constantFrom(0, 253_402_300_800_000, 8_640_000_000_000_000), fc.constantFrom(-1, 0, 1))
    .map(([edge, step]) => edge + step),
);
const timestamp = fc.oneof(
  fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
  fc.constantFrom(
    "2026-05-01",
    "2026-05-01 10:00:00+02",
    "9999-12-31T23:59:59-12:00",
    "0000-01-01",
    "yesterday",
    "1e99",
  ),
  oddMs.map(String),
  text,
);
const special = fc.constantFrom(
  ...["$set", "$set_once", "$unset", "$groups", "$group_0", "$elements", "$elements_chain", "$process_person_profile"],
  ...[
    "$ip",
    "$sent_at",
    "$session_id",
    "$ignore_sent_at",
    "$anon_distinct_id",
    "alias",
    "distinct_id",
    "token",
    "__proto__",
  ],
  ...["$current_url", "utm_source", "$os_name", "$survey_id", "capture_internal", "$cookieless_mode"],
);
const properties = fc
  .array(fc.tuple(mostly(special, text), fc.oneof(junk, text, fc.boolean())), { maxLength: 8 })
  .map((entries) => Object.fromEntries(entries) as Json);

const event = fc.record(
  {
    event: mostly(name, junk),
    distinct_id: mostly(text, junk),
    $distinct_id: mostly(text, junk),
    uuid: mostly(fc.oneof(fc.uuid(), fc.constant("")), fc.oneof(text, junk)),
    timestamp: mostly(timestamp, junk),
    offset: mostly(fc.oneof(fc.integer(), oddMs), junk),
    properties: mostly(properties, junk),
    $set: mostly(properties, junk),
    $set_once: mostly(properties, junk),
    token: fc.oneof(fc.constant(TOKEN), text, junk),
    sent_at: timestamp,
  },
  { requiredKeys: ["event", "distinct_id"] },
) as fc.Arbitrary<Json>;

const token = mostly(fc.constant<Json>(TOKEN), fc.oneof(text, junk, fc.constant(` ${TOKEN} `)));
const body: fc.Arbitrary<Json> = fc.oneof(
  fc.record(
    {
      api_key: token,
      batch: fc.array(mostly(event, junk), { maxLength: 6 }),
      historical_migration: mostly(fc.boolean(), junk),
      sent_at: mostly(timestamp, junk),
    },
    { requiredKeys: ["api_key", "batch"] },
  ) as fc.Arbitrary<Json>,
  fc.tuple(event, token).map(([one, key]) => ({ ...(one as object), api_key: key }) as Json),
  fc
    .array(fc.tuple(event, token), { maxLength: 5 })
    .map((events) => events.map(([one, key]) => ({ ...(one as object), token: key }) as Json)),
  junk,
);

/** Accepted as it is; so that a little damage often leaves something to store. */
const soundBody = fc
  .array(fc.record({ event: name, distinct_id: fc.string({ minLength: 1 }), properties }), {
    minLength: 1,
    maxLength: 4,
  })
  .map((batch) => ({ api_key: TOKEN, batch }) as Json);

const damagedBody = mostly(soundBody, body);

const path = fc
  .tuple(
    fc.constantFrom("/batch", "/capture", "/e", "/i/v0/e", "/track", "/engage"),
    fc.constantFrom("", "/"),
    mostly(
      fc.constantFrom("", "?beacon=1", "?ip=1&_=1777809600000&ver=1.2"),
      fc.oneof(
        fc.constantFrom("?compression=foo", "?_=17", "?compression=", "?%ff=%zz&&=", "?beacon=0"),
        oddMs.map((ms) => `?_=${ms}`),
      ),
    ),
  )
  .map((parts) => parts.join(""));

interface Encoding {
  headers: Record<string, string>;
  query: string;
  encode(json: Uint8Array): Uint8Array;
}

const bytesOf = (content: string) => new TextEncoder().encode(content);
const textOf = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString("base64");
const FORM = { "content-type": "application/x-www-form-urlencoded" };
const ENCODINGS: Encoding[] = [
  { headers: {}, query: "", encode: (json) => json },
  { headers: { "content-type": "application/json" }, query: "", encode: (json) => json },
  { headers: { "content-type": "text/plain" }, query: "compression=gzip-js", encode: (json) => gzipSync(json) },
  { headers: { "content-encoding": "gzip" }, query: "", encode: (json) => gzipSync(json) },
  { headers: {}, query: "", encode: (json) => bytesOf(base64(json)) },
  { headers: FORM, query: "", encode: (json) => bytesOf(`data=${encodeURIComponent(base64(json))}`) },
  { headers: FORM, query: "", encode: (json) => bytesOf(`data=${encodeURIComponent(textOf(json))}`) },
  { headers: {}, query: "compression=lz64", encode: (json) => bytesOf(compressToBase64(textOf(json))) },
];
const PLAIN = ENCODINGS.slice(0, 2);

/** A part of the whole; evenly spread, where doubles are mostly near 0. */
const place = fc.integer({ min: 0, max: 9_999 }).map((n) => n / 10_000);
const mutation = fc.oneof(
  fc.record({ kind: fc.constant("flip" as const), at: place, byte: fc.integer({ min: 1, max: 255 }) }),
  fc.record({ kind: fc.constant("insert" as const), at: place, byte: fc.integer({ min: 0, max: 255 }) }),
  fc.record({
    kind: fc.constant("write" as const),
    at: place,
    byte: fc.constantFrom(...bytesOf('{}[]":,\\ \n0e-utf')),
  }),
  fc.record({ kind: fc.constant("write" as const), at: place, byte: fc.integer({ min: 0x20, max: 0x7e }) }),
  fc.record({ kind: fc.constant("remove" as const), at: place, byte: fc.integer({ min: 1, max: 20 }) }),
  fc.record({ kind: fc.constant("cut" as const), at: place, byte: fc.constant(0) }),
  fc.record({ kind: fc.constant("repeat" as const), at: place, byte: fc.integer({ min: 1, max: 40 }) }),
);
const damage = fc.array(mutation, { minLength: 1, maxLength: 3, size: "small" });
type Mutation = typeof mutation extends fc.Arbitrary<infer T> ? T : never;

function mutate(bytes: Uint8Array, mutations: readonly Mutation[]): Uint8Array {
  return mutations.reduce<Uint8Array>((before, { kind, at, byte }) => {
    const i = Math.floor(at * before.length);
    const [head, tail] = [before.subarray(0, i), before.subarray(i)];
    switch (kind) {
      case "flip":
        return Buffer.concat([head, tail.subarray(0, 1).map((b) => b ^ byte), tail.subarray(1)]);
      case "insert":
        return Buffer.concat([head, Buffer.of(byte), tail]);
      case "write":
        return Buffer.concat([head, Buffer.of(byte), tail.subarray(1)]);
      case "remove":
        return Buffer.concat([head, tail.subarray(byte)]);
      case "cut":
        return head;
      default: // repeat
        return Buffer.concat([head, tail.subarray(0, byte), tail]);
    }
  }, bytes);
}

/** The document in the bytes, or undefined when they are none. */
function parse(bytes: Uint8Array): Json | undefined {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes)) as Json;
  } catch {
    return undefined;
  }
}

const withQuery = (to: string, query: string) => (query === "" ? to : `${to}${to.includes("?") ? "&" : "?"}${query}`);

describe("whatever is sent, the front", () => {
  let front: RunningFront;
  beforeAll(() => {
    front = launchFront();
  });
  afterAll(() => front.stop());
  beforeEach(() => {
    front.batches.length = 0;
  });

  /** Sends it and judges what holds for every request; gives the status. */
  async function send(bytes: Uint8Array, headers: Record<string, string>, to: string): Promise<Response> {
    front.batches.length = 0;
    const response = await fetch(front.url + to, {
      method: "POST",
      headers,
      body: new Uint8Array(bytes),
      signal: AbortSignal.timeout(HANG_MS),
    });
    expect(ANSWERS).toContain(response.status);
    if (response.status >= 300) expect(front.batches).toEqual([]);
    for (const one of front.events()) checkEvent(one);
    return response;
  }

  async function stillWorks(): Promise<void> {
    const good = bytesOf(JSON.stringify({ api_key: TOKEN, event: "good", distinct_id: "d" }));
    expect((await send(good, {}, "/capture/")).status).toBe(200);
    expect(front.events()).toHaveLength(1);
  }

  test("stores of well-formed requests what the rules want, in every encoding", async () => {
    const requests = fc.asyncProperty(body, path, fc.constantFrom(...ENCODINGS), async (document, to, encoding) => {
      // What a text cannot hold is not sent in the first place; escapes of it are.
      const text = JSON.stringify(document);
      const json = bytesOf(text);
      const { status } = await send(encoding.encode(json), encoding.headers, withQuery(to, encoding.query));
      // As it was written: text knows no negative zero, for one.
      if (status < 300) checkAgainst(JSON.parse(text) as Json, to, front.batches);
    });
    await fc.assert(requests, { numRuns: RUNS });
    await stillWorks();
  });

  test("stores of damaged JSON nothing, and of JSON that is still whole what the rules want", async () => {
    const requests = fc.asyncProperty(
      damagedBody,
      path,
      fc.constantFrom(...PLAIN),
      damage,
      async (document, to, plain, how) => {
        const bytes = mutate(bytesOf(JSON.stringify(document)), how);
        const { status } = await send(bytes, plain.headers, to);
        const whole = parse(bytes);
        if (whole === undefined) expect(status).toBeOneOf([400, 413]);
        else if (status < 300) checkAgainst(whole, to, front.batches);
      },
    );
    await fc.assert(requests, { numRuns: RUNS });
    await stillWorks();
  });

  test("answers damaged encodings, and stores nothing odd", async () => {
    const requests = fc.asyncProperty(
      damagedBody,
      path,
      fc.constantFrom(...ENCODINGS),
      fc.constantFrom(...ENCODINGS),
      damage,
      async (document, to, encoding, other, how) => {
        const bytes = mutate(encoding.encode(bytesOf(JSON.stringify(document))), how);
        await send(bytes, { ...encoding.headers, ...other.headers }, withQuery(to, other.query));
      },
    );
    await fc.assert(requests, { numRuns: RUNS });
    await stillWorks();
  });

  test("answers on the path of newer libraries for each event what became of it", async () => {
    const v1Event = fc.record(
      {
        event: mostly(name, junk),
        uuid: fc.oneof({ weight: 30, arbitrary: fc.uuid() }, { weight: 1, arbitrary: fc.oneof(text, junk) }),
        distinct_id: mostly(text, junk),
        timestamp: mostly(fc.constant("2026-05-03T11:00:00Z"), fc.oneof(timestamp, junk)),
        session_id: fc.oneof(text, junk),
        options: mostly(
          fc.record(
            { process_person_profile: mostly(fc.boolean(), junk), cookieless_mode: junk },
            { requiredKeys: [] },
          ),
          junk,
        ),
        properties: mostly(properties, junk),
      },
      { requiredKeys: ["event", "uuid", "distinct_id", "timestamp", "properties"] },
    );
    const createdAt = mostly(fc.constant("2026-05-03T12:00:00Z"), fc.oneof(timestamp, junk));
    const v1Body = fc.record({ created_at: createdAt, batch: fc.array(v1Event, { minLength: 1, maxLength: 3 }) });
    const requests = fc.asyncProperty(v1Body, mostly(fc.constant([]), damage), async (document, how) => {
      const headers = {
        authorization: `Bearer ${TOKEN}`,
        "content-type": "application/json",
        "posthog-sdk-info": "fuzz/1.0",
        "posthog-attempt": "1",
        "posthog-request-id": crypto.randomUUID(),
        "posthog-request-timestamp": "2026-05-03T12:00:00Z",
      };
      const response = await send(mutate(bytesOf(JSON.stringify(document)), how), headers, "/i/v1/analytics/events");
      if (response.status !== 200) return;
      const { results } = (await response.json()) as { results: Record<string, { result: string }> };
      const kept = Object.keys(results).filter((uuid) => ["ok", "warning"].includes(results[uuid]!.result));
      const stored = front.events().map(({ uuid }) => uuid);
      expect(stored.toSorted()).toEqual(kept.map((uuid) => uuid.toLowerCase()).toSorted());
    });
    await fc.assert(requests, { numRuns: RUNS });
    await stillWorks();
  });
});
