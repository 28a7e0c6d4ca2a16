import { afterEach, describe, expect, test } from "bun:test";
import { faultOfTime, type TrialFacts, tryEvent } from "../../src/capture/trial.ts";
import type { DropCause } from "../../src/types/mod.ts";
import { launchFront, NOW_MS, type RunningFront, TEAM, TOKEN } from "./launch.ts";
import { UUID, written } from "./support.ts";

const MAX_BYTES = 2_000;
const ROOM_BYTES = 16 * 1024;
const FACTS: TrialFacts = { nowMs: NOW_MS, eventMaxBytes: MAX_BYTES, jsonMaxDepth: 20 };
const HOUR_MS = 3_600_000;

let front: RunningFront;
afterEach(() => front.stop());

const EVENT = { event: "e", distinct_id: "d", uuid: UUID, timestamp: "2024-03-05T10:00:00Z" };
const nested = (levels: number) => JSON.parse(`${"[".repeat(levels)}${"]".repeat(levels)}`);
/** An event whose properties take so many bytes. */
const ofSize = (bytes: number) => ({ ...EVENT, properties: { a: "x".repeat(bytes - '{"a":""}'.length) } });

const EVENTS: unknown[] = [
  ...[EVENT, { ...EVENT, event: "" }, { ...EVENT, event: "$performance_event" }, { ...EVENT, distinct_id: " " }],
  ...[{ ...EVENT, uuid: "none" }, { ...EVENT, properties: [] }, 5, null, {}, { ...EVENT, event: "x".repeat(300) }],
  ...[true, false, "yes", 1, null].map((mode) => ({ ...EVENT, properties: { $cookieless_mode: mode } })),
  ...["$identify", "$groupidentify", "e"].map((event) => ({
    ...{ ...EVENT, event },
    properties: { $process_person_profile: false, $set: { a: 1 } },
  })),
  ...["0000-01-01T00:00:00Z", "9999-12-31T00:00:00Z", "never"].map((timestamp) => ({ ...EVENT, timestamp })),
  { ...EVENT, properties: { $set: { a: 1 }, text: "\ud800\u0000 é" }, $set: { b: 2 } },
  ofSize(MAX_BYTES + ROOM_BYTES),
  ofSize(MAX_BYTES + ROOM_BYTES + 1),
  { ...EVENT, properties: { text: "長".repeat(MAX_BYTES + ROOM_BYTES) } },
];

describe("the trial of an event", () => {
  test("gives what the front makes of it in a batch of history", async () => {
    front = launchFront({
      config: { eventMaxBytes: MAX_BYTES, jsonMaxDepth: 20 },
      projects: { findByToken: async () => ({ teamId: TEAM, anonymizeIps: false }) },
    });
    for (const event of EVENTS) {
      front.batches.length = 0;
      const answer = await front.post({ api_key: TOKEN, historical_migration: true, batch: [event] });
      expect(answer.status).toBe(200);
      const [{ events, dropped } = { events: [], dropped: {} }] = front.batches;
      const tried = tryEvent(JSON.stringify(event), FACTS);
      if (typeof tried === "string") expect([tried, dropped]).toEqual([tried, { [tried as DropCause]: 1 }]);
      else expect(written([tried]).map((event) => ({ ...event, teamId: TEAM }))).toEqual(events);
    }
  });

  test("is refused where the batch would be", async () => {
    front = launchFront({ config: { jsonMaxDepth: 20 } });
    for (const [levels, status] of [
      [16, 200],
      [17, 400],
    ] as const) {
      const json = JSON.stringify({ ...EVENT, properties: { deep: nested(levels) } });
      const answer = await front.post(`{"api_key":"${TOKEN}","historical_migration":true,"batch":[${json}]}`);
      expect([levels, answer.status]).toEqual([levels, status]);
      if (status === 200) expect(typeof tryEvent(json, FACTS)).toBe("object");
      else expect(() => tryEvent(json, FACTS)).toThrow("nested deeper than 20 levels");
    }
  });

  test("only history may be larger", async () => {
    front = launchFront({ config: { eventMaxBytes: MAX_BYTES } });
    for (const bytes of [MAX_BYTES, MAX_BYTES + 1]) await front.post({ api_key: TOKEN, batch: [ofSize(bytes)] });
    expect(front.batches.map(({ events, dropped }) => [events.length, dropped])).toEqual([
      [1, {}],
      [0, { message_size_too_large: 1 }],
    ]);
  });

  test("tells a time that is not stored as it is", () => {
    front = launchFront();
    expect(faultOfTime(NOW_MS + 23 * HOUR_MS, NOW_MS)).toBeNull();
    expect(faultOfTime(NOW_MS + 23 * HOUR_MS + 1, NOW_MS)).toBe("too_far_ahead");
    expect(faultOfTime(Date.parse("0000-01-01T00:00:00Z"), NOW_MS)).toBeNull();
    expect(faultOfTime(Date.parse("0000-01-01T00:00:00Z") - 1, NOW_MS)).toBe("out_of_calendar");
    expect(faultOfTime(Date.UTC(10_000, 0, 1), NOW_MS)).toBe("out_of_calendar");
    expect(faultOfTime(Number.NaN, NOW_MS)).toBe("out_of_calendar");
  });
});
