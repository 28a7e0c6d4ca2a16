import { afterEach, describe, expect, test } from "bun:test";
import fc from "fast-check";
import { OverflowBuckets } from "../../src/capture/front/overflow.ts";
import { RetryableError } from "../../src/types/mod.ts";
import { launchFront, type RunningFront, TOKEN } from "./launch.ts";

describe("a bucket", () => {
  const buckets = (overflowRate: number, overflowBurst: number, overflowIdsMax = 1000) =>
    new OverflowBuckets({ overflowRate, overflowBurst, overflowIdsMax });

  test("gives a burst, then the rate, for each project and id", () => {
    const of = buckets(10, 3);
    const taken = (nowMs: number, id = "a", team = 1) => of.take({ teamId: team, distinctId: id }, nowMs);
    expect([0, 0, 0, 0].map((at) => taken(at))).toEqual([true, true, true, false]);
    expect([taken(0, "b"), taken(0, "a", 2)]).toEqual([true, true]);
    expect([99, 100, 100, 199, 200].map((at) => taken(at))).toEqual([false, true, false, false, true]);
    expect([10_000, 10_000, 10_000, 10_000].map((at) => taken(at))).toEqual([true, true, true, false]);
  });

  test("does what a naive one does, at any times", () => {
    const steps = fc.array(fc.tuple(fc.nat(400), fc.constantFrom("a", "b", "c")), { maxLength: 200 });
    fc.assert(
      fc.property(steps, fc.integer({ min: 1, max: 5 }), (all, burst) => {
        const of = buckets(8, burst);
        const naive = new Map<string, { tokens: number; atMs: number }>();
        let nowMs = 0;
        for (const [pauseMs, id] of all) {
          nowMs += pauseMs;
          const { tokens, atMs } = naive.get(id) ?? { tokens: burst, atMs: nowMs };
          const now = Math.min(burst, tokens + ((nowMs - atMs) * 8) / 1000);
          expect(of.take({ teamId: 1, distinctId: id }, nowMs)).toBe(now >= 1);
          naive.set(id, { tokens: now >= 1 ? now - 1 : now, atMs: nowMs });
        }
      }),
    );
  });

  test("too many ids at once: some are forgiven, none is held back for another", () => {
    const of = buckets(1, 1, 8);
    const ids = Array.from({ length: 100 }, (_, i) => `id ${i}`);
    expect(ids.map((id) => of.take({ teamId: 1, distinctId: id }, 0))).toEqual(ids.map(() => true));
    const again = ids.map((id) => of.take({ teamId: 1, distinctId: id }, 0));
    expect(again).toContain(true);
    expect(of.take({ teamId: 1, distinctId: "id 99" }, 0)).toBe(false);
  });

  test("none when the rate is 0", () => {
    const of = buckets(0, 1);
    for (let i = 0; i < 10; i++) expect(of.take({ teamId: 1, distinctId: "a" }, 0)).toBe(true);
  });
});

describe("the front", () => {
  let front: RunningFront;
  const launch = (...overrides: Parameters<typeof launchFront>) => {
    front = launchFront(...overrides);
  };
  afterEach(() => front.stop());
  const config = { overflowRate: 1, overflowBurst: 2 };
  const events = (...ids: string[]) => ids.map((distinct_id, i) => ({ event: `e${i}`, distinct_id }));
  const lanes = () =>
    front.batches.map(({ lane, events: all }) => [lane, ...all.map(({ event, distinctId }) => distinctId + event)]);

  test("sends what is too much apart, with one warning for each id and request", async () => {
    launch({ config, clockMs: () => 0 });
    await front.post({ api_key: TOKEN, batch: events("a", "a", "b", "a", "a", "b") });
    expect(lanes()).toEqual([
      ["live", "ae0", "ae1", "be2", "be5"],
      ["overflow", "ae3", "ae4"],
    ]);
    expect(front.batches[0]!.warnings).toEqual([{ type: "overflow", details: { distinct_id: "a" } }]);
    front.batches.length = 0;
    expect((await front.post({ api_key: TOKEN, ...events("a")[0] }, {}, "/e/?beacon=1")).status).toBe(204);
    expect(lanes()).toEqual([["live"], ["overflow", "ae0"]]);
  });

  test("knows an id again however it was sent", async () => {
    launch({ config, clockMs: () => 0 });
    const raw = events("a", "user 1234").map((event) => ({ ...event, uuid: crypto.randomUUID(), properties: {} }));
    await front.post({ api_key: TOKEN, batch: [...raw, ...events("a", "user 1234"), ...raw, ...events("a")] });
    expect(lanes()).toEqual([
      ["live", "ae0", "user 1234e1", "ae0", "user 1234e1"],
      ["overflow", "ae0", "user 1234e1", "ae0"],
    ]);
  });

  test("history is exempt", async () => {
    launch({ config, clockMs: () => 0 });
    await front.post({ api_key: TOKEN, historical_migration: true, batch: events("a", "a", "a", "a") });
    expect(lanes()).toEqual([["history", "ae0", "ae1", "ae2", "ae3"]]);
  });

  test("nothing is answered with success of which one lane did not take its part", async () => {
    const publish = (batch: { lane: string }) =>
      batch.lane === "overflow" ? Promise.reject(new RetryableError("stream_full", "full")) : Promise.resolve();
    launch({ config, clockMs: () => 0, publisher: { publish } });
    expect((await front.post({ api_key: TOKEN, batch: events("a", "a", "a") })).status).toBe(503);
    expect((await front.post({ api_key: TOKEN, batch: events("b") })).status).toBe(200);
  });
});
