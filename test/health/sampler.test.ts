import { expect, test } from "bun:test";
import { type IngestionStatus, Sampler } from "../../src/health/mod.ts";
import { openCatalog } from "../../src/lake/mod.ts";
import type { Db } from "../../src/store/mod.ts";
import { RetryableError } from "../../src/types/mod.ts";
import { withSqlite } from "../support/stores.ts";

const MINUTE = 60_000;
const START = Date.UTC(2026, 4, 1, 9, 59, 30);
const KEEP = { healthMinutesKeepMs: 3_600_000, healthHoursKeepMs: 86_400_000 };

function statusOf(stored: number): IngestionStatus {
  const idle = { queued: 0, lag_ms: 0 };
  const lanes = { live: idle, history: idle, overflow: idle, identity: idle };
  const none = { queued: 0, duplicates: 0, dropped: 0, dead_letters: 0, dropped_by_cause: {}, lag_ms: 0 };
  return { accepted: stored, stored, ...none, lanes };
}

/** A store with a clock of its own, and what processes on it would read. */
async function withClock(run: (world: World) => Promise<void>): Promise<void> {
  await withSqlite(async (db) => run(new World(db)));
}

class World {
  nowMs = START;
  stored = 0;
  isBrokerAway = false;
  reads = 0;
  readonly log: string[] = [];
  readonly catalog;

  constructor(readonly db: Db) {
    this.catalog = openCatalog(Object.create(db, { nowMs: { value: () => this.nowMs } }));
  }

  async process(): Promise<Sampler> {
    const figures = async () => {
      this.reads++;
      if (this.isBrokerAway) throw new RetryableError("broker_unavailable", "the message broker is away");
      const status = statusOf(this.stored);
      return { teams: new Map([[1, status]]), total: status, workers: 1, disk: { freeBytes: 1, totalBytes: 2 } };
    };
    const sampler = new Sampler({ catalog: this.catalog, figures, keep: KEEP, log: (line) => this.log.push(line) });
    await sampler.begin();
    return sampler;
  }

  /** What is known of the last minutes that are over, oldest first. */
  async noted(steps: number) {
    const { figures, samples } = await this.catalog.readHealth(1, { step: "minute", steps });
    return figures.map((one, i) => one?.stored ?? samples[i]?.problem ?? null);
  }
}

test("a minute is noted once it is over, by one of the processes, from the one on in which they started", async () => {
  await withClock(async (world) => {
    const processes = [await world.process(), await world.process(), await world.process()];
    for (let minute = 0; minute < 5; minute++) {
      expect(await processes[0]!.step()).toBe(false);
      world.nowMs += MINUTE;
      world.stored += 10;
      const wrote = await Promise.all(processes.map((sampler) => sampler.step()));
      expect(wrote.filter((one) => one)).toHaveLength(1);
      expect(await Promise.all(processes.map((sampler) => sampler.step()))).toEqual([false, false, false]);
    }
    expect(await world.noted(6)).toEqual([null, 10, 20, 30, 40, 50]);
    const { samples } = await world.catalog.readHealth(null, { step: "hour", steps: 2 });
    expect(samples.map((one) => one?.samples)).toEqual([1, 4]);
    expect(world.log).toEqual([]);
  });
});

test("when the writer dies, another one goes on; where none is left, minutes are missing and nothing is made up", async () => {
  await withClock(async (world) => {
    const [first, second] = [await world.process(), await world.process()];
    world.nowMs += MINUTE;
    world.stored = 1;
    expect(await first.step()).toBe(true);
    // The first is never asked again.
    world.nowMs += MINUTE;
    world.stored = 2;
    expect(await second.step()).toBe(true);
    world.nowMs += 3 * MINUTE;
    world.stored = 5;
    const third = await world.process();
    expect(await third.step()).toBe(false);
    world.nowMs += MINUTE;
    world.stored = 6;
    expect(await third.step()).toBe(true);
    expect(await world.noted(6)).toEqual([1, 2, null, null, null, 6]);
  });
});

test("the last minute of a writer that died is noted by one that starts in its place", async () => {
  await withClock(async (world) => {
    const first = await world.process();
    world.nowMs += MINUTE;
    world.stored = 1;
    expect(await first.step()).toBe(true);
    world.nowMs += MINUTE;
    world.stored = 2;
    const [second, third] = [await world.process(), await world.process()];
    expect([await second.step(), await third.step()]).toEqual([true, false]);
    expect(await world.noted(2)).toEqual([1, 2]);
  });
});

test("a process that stood still notes the last minute only", async () => {
  await withClock(async (world) => {
    const sampler = await world.process();
    world.nowMs += 10 * MINUTE;
    world.stored = 7;
    expect(await sampler.step()).toBe(true);
    expect(await world.noted(10)).toEqual([...Array(9).fill(null), 7]);
  });
});

test("while the broker is away it tries again, and at the end of the next minute says why there are no figures", async () => {
  await withClock(async (world) => {
    const sampler = await world.process();
    world.isBrokerAway = true;
    world.nowMs += MINUTE / 2;
    for (const waitMs of [0, 10_000, 20_000]) {
      world.nowMs += waitMs;
      expect(await sampler.step()).toBe(false);
    }
    expect(world.reads).toBe(3);
    world.isBrokerAway = false;
    world.stored = 3;
    expect(await sampler.step()).toBe(true);
    world.isBrokerAway = true;
    world.nowMs += MINUTE;
    expect(await sampler.step()).toBe(false);
    world.nowMs += 20_000;
    expect(await sampler.step()).toBe(true);
    expect(await world.noted(2)).toEqual([3, "broker_unavailable"]);
  });
});

test("it works by itself, and ends when it is told to", async () => {
  await withClock(async (world) => {
    const sampler = await world.process();
    world.stored = 4;
    world.nowMs += MINUTE;
    const { stop } = sampler.start();
    while ((await world.noted(1))[0] === null) await Bun.sleep(10);
    await stop();
    expect(await world.noted(1)).toEqual([4]);
  });
});
