import { afterAll, describe, expect, test } from "bun:test";
import { FileUnreadable } from "../../src/lake/walking/fileUnreadable.ts";
import { Ranges } from "../../src/lake/walking/ranges.ts";
import type { WalkTask } from "../../src/lake/walking/walkTask.ts";
import { WalkThreadDied, WalkThreads } from "../../src/lake/walking/walkThreads.ts";
import { NOTHING_KNOWN, type PathsProgram, rowsOf, type Slice } from "../../src/walk/mod.ts";

const PERSONS = 1_000;
const LIMITS = { leastRows: 1, rangeRows: 1, asksBeforeKept: 0 };
const PATHS: PathsProgram = { kind: "paths", stepLimit: 5, pauseMs: 60_000, point: null };

/** Each person goes from item 1 to item 2, and has no file. */
function taskOf(ranges: Ranges): WalkTask {
  const rows = Array.from({ length: 2 * PERSONS }, (_, i) => i);
  const others: Slice = {
    rowCount: rows.length,
    actor: Uint32Array.from(rows, (i) => i >> 1),
    us: Float64Array.from(rows, (i) => i * 1_000),
    steps: new Int32Array(rows.length),
    excluded: null,
    value: Uint32Array.from(rows, (i) => 1 + (i & 1)),
  };
  const cut = { codes: PERSONS, persons: 1 };
  return { program: PATHS, known: NOTHING_KNOWN, cut, state: ranges.state, files: [], kept: [], others };
}

const opened: WalkThreads[] = [];
afterAll(() => {
  for (const threads of opened) threads.close();
});

function open(count: number, script?: string): WalkThreads {
  const threads = new WalkThreads(count, LIMITS, script);
  opened.push(threads);
  return threads;
}

const rangesOf = (threads: number) => Ranges.of({ codes: PERSONS, persons: 1 }, threads);

/** Until a thread has joined: only then it is waited for. */
async function joined(ranges: Ranges): Promise<void> {
  while (Atomics.load(ranges.state, 1) === 0) await Bun.sleep(1);
}

describe("threads of walks", () => {
  test("are started for walks that are large enough, and are as many as they may be", () => {
    expect(open(1).startFor(1e6)).toBe(0);
    expect(open(3).startFor(0)).toBe(0);
    expect(open(3).startFor(1)).toBe(2);
    expect(open(64).startFor(1)).toBe(3);
  });

  test("take all ranges that nobody else takes", async () => {
    const threads = open(2);
    threads.startFor(1);
    for (let again = 0; again < 3; again++) {
      const ranges = rangesOf(1);
      const joining = threads.join(taskOf(ranges), ranges, () => {});
      await joined(ranges);
      const [finished] = await joining.finish();
      const [places, befores, items, counts] = finished!.part;
      const edges = [...counts!.keys()].filter((at) => counts![at] !== 0);
      expect(edges.map((at) => [places![at], befores![at], items![at], counts![at]])).toEqual([[2, 1, 2, PERSONS]]);
    }
  });

  test("are not waited for where they have not begun", async () => {
    const threads = open(2);
    threads.startFor(1);
    const ranges = rangesOf(1);
    const joining = threads.join(taskOf(ranges), ranges, () => {});
    expect(await joining.finish()).toEqual([]);
    expect(ranges.join(0)).toBe(false);
  });

  test("that end are missed, and replaced for the next walk", async () => {
    const threads = open(2, new URL("./dyingWalkThread.ts", import.meta.url).href);
    for (let again = 0; again < 2; again++) {
      expect(threads.startFor(1)).toBe(1);
      const ranges = rangesOf(1);
      const joining = threads.join(taskOf(ranges), ranges, () => {});
      await joined(ranges);
      await expect(joining.finish()).rejects.toBeInstanceOf(WalkThreadDied);
      // Nobody begins another range of it.
      expect(ranges.take()).toBeNull();
    }
  });

  test("that cannot begin are not missed", async () => {
    const threads = open(2, new URL("./noWalkThread.ts", import.meta.url).href);
    for (let again = 0; again < 2; again++) {
      threads.startFor(1);
      const ranges = rangesOf(1);
      const joining = threads.join(taskOf(ranges), ranges, () => {});
      // It ends, and is left out.
      while (Atomics.load(ranges.state, 1) === 0) await Bun.sleep(1);
      expect(await joining.finish()).toEqual([]);
      expect(ranges.take()).not.toBeNull();
    }
  });

  test("name the file that they cannot read", async () => {
    const threads = open(2);
    threads.startFor(1);
    const ranges = rangesOf(1);
    const column = { kind: "Uint32Array" as const, offset: 0, length: 1 };
    const columns = { persons: column, starts: column, offsetsMs: column, events: column, rows: column };
    const journey = { location: "/gone.journey", rowCount: 1, baseMs: 0, columns };
    const told = { fields: rowsOf(PATHS), fromMs: null, toMs: null, kinds: null, places: null };
    const task = { ...taskOf(ranges), files: [{ journey, told, directory: null }] };
    const joining = threads.join(task, ranges, () => {});
    await joined(ranges);
    const failing = joining.finish();
    await expect(failing).rejects.toBeInstanceOf(FileUnreadable);
    await expect(failing).rejects.toMatchObject({ location: "/gone.journey" });
  });
});
