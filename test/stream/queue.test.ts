import { describe, expect, test } from "bun:test";
import { type Bus, type Queued, type QueueReader, subjectOf } from "../../src/stream/mod.ts";
import { type DropCause, EVENT_LANES, LANES, type Lane } from "../../src/types/mod.ts";
import { until, withBroker } from "../support/broker.ts";
import { eventOf, makeStreams, PUBLISHER, readLane } from "./events.ts";

// Starts real servers; the limit only ends a hang.

/** The answer worked out from the frames themselves. */
async function expectedAbove(bus: Bus, positionOf: (lane: Lane, partition: number) => number): Promise<Queued[]> {
  const teams = new Map<number, Queued>();
  // What the identity lane carries are copies.
  for (const lane of EVENT_LANES) {
    for (const frame of (await readLane(bus, lane)).flat()) {
      if (frame.sequence <= positionOf(lane, frame.partition)) continue;
      for (const { teamId, events, dropped } of frame.counts) {
        const queued = teams.get(teamId) ?? { teamId, events: 0, dropped: {}, oldestStoredAtMs: frame.storedAtMs };
        queued.events += events;
        for (const [cause, count] of Object.entries(dropped) as [DropCause, number][]) {
          queued.dropped[cause] = (queued.dropped[cause] ?? 0) + count;
        }
        queued.oldestStoredAtMs = Math.min(queued.oldestStoredAtMs, frame.storedAtMs);
        teams.set(teamId, queued);
      }
    }
  }
  return [...teams.values()].sort((a, b) => a.teamId - b.teamId);
}

async function publishMixed(bus: Bus, batches: number): Promise<void> {
  const publisher = bus.publisher({ ...PUBLISHER, frameMaxBytes: 2_000, frameLingerMs: 0 });
  for (let i = 0; i < batches; i++) {
    const lane = LANES[i % LANES.length]!;
    const events = Array.from({ length: i % 23 }, () =>
      eventOf({ teamId: (i % 3) + 1, distinctId: crypto.randomUUID() }),
    );
    await publisher.publish({ teamId: (i % 3) + 1, lane, events, dropped: i % 5 === 0 ? { invalid_event: i } : {} });
  }
  publisher.close();
}

/** Positions somewhere in the middle of each partition, always at a frame. */
async function somePositions(bus: Bus): Promise<(lane: Lane, partition: number) => number> {
  const positions = new Map<string, number>();
  for (const lane of LANES) {
    (await readLane(bus, lane)).forEach((frames, partition) => {
      positions.set(subjectOf(lane, 1, partition), frames[Math.floor(frames.length / 2)]?.sequence ?? 0);
    });
  }
  return (lane, partition) => positions.get(subjectOf(lane, 1, partition)) ?? 0;
}

function openQueue(bus: Bus, from = 0): Promise<QueueReader> {
  return bus.queue({ generation: 1, lanes: LANES, fromSequence: () => from });
}

describe("the queue", () => {
  test("adds up what stands above any positions, exactly", async () => {
    await withBroker(async ({ bus }) => {
      await makeStreams(bus);
      const queue = await openQueue(bus);
      await queue.catchUp();
      expect(queue.above(() => 0)).toEqual([]);
      await publishMixed(bus, 60);
      await queue.catchUp();
      const positions = await somePositions(bus);
      expect(queue.above(() => 0)).toEqual(await expectedAbove(bus, () => 0));
      expect(queue.above(positions)).toEqual(await expectedAbove(bus, positions));
      // Asking forgets nothing: questions overlap.
      expect(queue.above(() => 0)).toEqual(await expectedAbove(bus, () => 0));
      expect(queue.above(() => Number.MAX_SAFE_INTEGER)).toEqual([]);
      queue.close();
    });
  });

  test("stays exact across purges and restarts of the broker, for an old reader and a new one", async () => {
    await withBroker(async ({ bus, broker }) => {
      await makeStreams(bus);
      const queue = await openQueue(bus);
      for (let round = 0; round < 3; round++) {
        await publishMixed(bus, 30);
        await queue.catchUp();
        const positions = await somePositions(bus);
        for (const lane of LANES) {
          const lowest = queue.lowestUnsettled(lane, (partition) => positions(lane, partition));
          const frames = (await readLane(bus, lane)).flat();
          const unsettled = frames.filter((frame) => frame.sequence > positions(lane, frame.partition));
          expect(lowest).toBe(Math.min(...unsettled.map((frame) => frame.sequence)));
          await bus.purge(lane, 1, lowest);
        }
        const { pid } = broker;
        process.kill(pid, "SIGKILL");
        await until(() => broker.pid !== pid && broker.isHealthy && bus.isConnected);
        await publishMixed(bus, 10);
        const fresh = await openQueue(bus);
        await Promise.all([queue.catchUp(), fresh.catchUp()]);
        const expected = await expectedAbove(bus, positions);
        expect(queue.above(positions)).toEqual(expected);
        expect(fresh.above(positions)).toEqual(expected);
        fresh.close();
      }
    });
  });

  test("catches up when everything it had not seen was purged, and has nothing unsettled then", async () => {
    await withBroker(async ({ bus }) => {
      await makeStreams(bus);
      await publishMixed(bus, 10);
      for (const lane of LANES) await bus.purge(lane, 1, 1_000_000);
      const queue = await openQueue(bus);
      await queue.catchUp();
      expect(queue.above(() => 0)).toEqual([]);
      expect(queue.lowestUnsettled("live", () => 0)).toBeGreaterThan(0);
    });
  });

  test("says that the broker is away rather than giving an old answer", async () => {
    await withBroker(async ({ bus, broker }) => {
      await makeStreams(bus);
      const queue = await openQueue(bus);
      await queue.catchUp();
      await broker.stop();
      await until(() => !bus.isConnected);
      expect(await queue.catchUp().catch((error) => error.code)).toBe("broker_unavailable");
    });
  });
});
