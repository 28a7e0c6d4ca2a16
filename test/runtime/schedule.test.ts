import { expect, test } from "bun:test";
import type { OwnedLane, OwnedPartition } from "../../src/runtime/ownedPartition.ts";
import { Schedule } from "../../src/runtime/schedule.ts";
import type { Frame, FrameReader } from "../../src/stream/mod.ts";
import type { Lane } from "../../src/types/mod.ts";

const LIMITS = {
  flushMs: 500,
  historyFlushMs: 2_000,
  flushMaxEvents: 50_000,
  flushMaxBytes: 2 ** 27,
  mergesMax: 30_000,
};
const FRAME_EVENTS = 1_000;

/** A lane with this many frames to come; the reader holds all of them. */
class Waiting implements FrameReader {
  buffered: Frame[];
  readonly caughtUp = true;

  constructor(lane: Lane, frames: number) {
    this.buffered = Array.from({ length: frames }, (_, i) => frameOf(lane, i + 1));
  }

  drop(throughSequence: number): void {
    this.buffered = this.buffered.filter(({ sequence }) => sequence > throughSequence);
  }

  close(): void {}
}

function frameOf(lane: Lane, sequence: number): Frame {
  const counts = [{ teamId: 1, events: FRAME_EVENTS, dropped: {} }];
  const decode = () => [];
  return { lane, partition: 0, sequence, storedAtMs: 0, sizeBytes: 1, rawBytes: 1, counts, warnings: [], decode };
}

function partitionWith(frames: Partial<Record<Lane, number>>, partition = 0): OwnedPartition {
  const lanes = (["identity", "live", "overflow", "history"] as const).map((lane) => {
    return { lane, partition, attempts: 0, reader: new Waiting(lane, frames[lane] ?? 0) } as unknown as OwnedLane;
  });
  return { epoch: { partition, epoch: 1 }, lanes } as unknown as OwnedPartition;
}

/** The lanes of each flush, in order, until nothing is left; a flush takes as long as its events at `eventsPerMs`. */
function flushesOf(partition: OwnedPartition, eventsPerMs: number): Lane[][] {
  const schedule = new Schedule(LIMITS);
  const flushes: Lane[][] = [];
  let nowMs = 1_000_000;
  while (partition.lanes.some(({ reader }) => reader.buffered.length > 0)) {
    const takes = schedule.take({ partitions: [partition], isBusy: () => false, nowMs, isFull: false });
    const tookMs = takes.reduce((sum, { frames }) => sum + (frames.length * FRAME_EVENTS) / eventsPerMs, 0);
    nowMs += Math.max(20, tookMs);
    if (takes.length === 0) continue;
    schedule.done(takes, tookMs);
    for (const { from, frames } of takes) from.reader.drop(frames.at(-1)!.sequence);
    flushes.push(takes.map(({ from }) => from.lane));
  }
  return flushes;
}

test("merges of a migration come before its events, which have a turn after eight flushes of merges", () => {
  const flushes = flushesOf(partitionWith({ identity: 500, history: 500 }), 50).map((lanes) => lanes.join());
  const merges = flushes.indexOf("history");
  expect(merges).toBe(8);
  expect(flushes.slice(0, merges)).toEqual(Array(8).fill("identity"));
  expect(flushes.slice(merges + 1, merges + 9)).toEqual(Array(8).fill("identity"));
});

test("live events wait for one flush of merges at most", () => {
  const partition = partitionWith({ identity: 300, live: 30, history: 300 });
  const flushes = flushesOf(partition, 20);
  const lastLive = flushes.findLastIndex((lanes) => lanes.includes("live"));
  expect(flushes.findIndex((lanes) => lanes.includes("live"))).toBeLessThanOrEqual(1);
  for (const [i, lanes] of flushes.slice(1, lastLive + 1).entries()) {
    expect(lanes.includes("live") || flushes[i]!.includes("live")).toBe(true);
  }
});

test("a few merges hold no history up", () => {
  const flushes = flushesOf(partitionWith({ identity: 1, history: 10 }), 50);
  expect(flushes.length).toBe(2);
});

test("live events of a partition that is busy with merges wait for one flush of these, whatever comes in elsewhere", () => {
  const [busy, other] = [partitionWith({ identity: 5_000, live: 1 }, 0), partitionWith({ live: 1 }, 1)];
  const schedule = new Schedule(LIMITS);
  const until = new Map<number, number>();
  const flushes: string[] = [];
  for (let nowMs = 1_000_000; nowMs < 1_030_000; nowMs += 20) {
    const isBusy = (partition: number) => (until.get(partition) ?? 0) > nowMs;
    const takes = schedule.take({ partitions: [busy, other], isBusy, nowMs, isFull: false });
    // Merges take longer than the pause between two flushes of live events; the other partition has always new ones.
    for (const { from, frames } of takes) {
      from.reader.drop(frames.at(-1)!.sequence);
      until.set(from.partition, nowMs + (from.lane === "identity" ? 700 : 20));
      flushes.push(`${from.lane} ${from.partition}`);
    }
    for (const partition of [other, busy]) {
      const { reader } = partition.lanes.find(({ lane }) => lane === "live")!;
      if (reader.buffered.length === 0) (reader as Waiting).buffered = [frameOf("live", nowMs)];
    }
  }
  const ofBusy = flushes.filter((flush) => flush.endsWith("0")).join(", ");
  expect(ofBusy).toContain("identity 0, live 0");
  expect(ofBusy).not.toContain("identity 0, identity 0, identity 0");
});
