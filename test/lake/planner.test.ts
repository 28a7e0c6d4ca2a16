import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { cutToADay, type DayCount, planOutputs, rowSizes } from "../../src/lake/compaction/outputs.ts";
import { type CompactionLimits, planJob, planLogJob } from "../../src/lake/compaction/planner.ts";
import type { LiveSegment } from "../../src/lake/mod.ts";
import { DAY_MS } from "../../src/types/mod.ts";

const MiB = 1024 * 1024;
const LIMITS: CompactionLimits = {
  targetBytes: 128 * MiB,
  targetWideBytes: 16 * MiB,
  fanout: 8,
  jobMaxBytes: 512 * MiB,
};
const BYTES_PER_ROW = 150;

/** A file by what is in it. */
interface ModelFile extends LiveSegment {
  counts: DayCount[];
}

let made = 0;

function modelFile(counts: DayCount[], level: number): ModelFile {
  const rowCount = counts.reduce((sum, count) => sum + count.rows, 0);
  const teamIds = new Set(counts.map((count) => count.teamId));
  const days = counts.map((count) => count.day);
  const n = ++made;
  return {
    id: `f${n}`,
    kind: "events",
    squashedThrough: 0,
    columns: 0,
    exceptions: [],
    isNumbered: false,
    rollupZone: null,
    hasJourney: false,
    hasPersonRows: false,
    level,
    teamId: teamIds.size === 1 ? counts[0]!.teamId : null,
    generation: 1,
    rowCount,
    sizeBytes: rowCount * BYTES_PER_ROW,
    checksum: "",
    minMs: days.reduce((a, b) => Math.min(a, b)) * DAY_MS,
    maxMs: days.reduce((a, b) => Math.max(a, b)) * DAY_MS,
    teams: [],
    partitions: [0],
    liveFrom: n,
    erasedThrough: 0,
    wideBytes: 0,
    failures: 0,
    counts,
  };
}

/** Adds flushes one by one and compacts after each until there is nothing to do. */
class ModelLake {
  files: ModelFile[] = [];
  rewrittenRows = 0;
  mostFiles = 0;
  /** Whether the planner is told that large flushes keep coming in. */
  moreToCome = false;

  add(counts: DayCount[]): void {
    this.files.push(modelFile(counts, 0));
    for (let jobs = 0; this.compact(); jobs++) expect(jobs).toBeLessThan(1_000);
    this.mostFiles = Math.max(this.mostFiles, this.files.length);
  }

  get rows(): number {
    return this.files.reduce((sum, file) => sum + file.rowCount, 0);
  }

  get largeFiles(): number {
    return (this.rows * BYTES_PER_ROW) / LIMITS.targetBytes;
  }

  filesOf(teamId: number): number {
    return this.files.filter((file) => file.counts.some((count) => count.teamId === teamId)).length;
  }

  compact(): boolean {
    const job = planJob(this.files, LIMITS, { moreToCome: this.moreToCome }) as ModelFile[] | null;
    if (job === null) return false;
    const bytes = job.reduce((sum, file) => sum + file.sizeBytes, 0);
    expect(job.length).toBeGreaterThan(1);
    expect(bytes).toBeLessThanOrEqual(LIMITS.jobMaxBytes);
    const inputs = (cutToADay(job, outputsOf(job), LIMITS) ?? job) as ModelFile[];
    const counts = countsOf(inputs);
    const outputs = outputsOf(inputs).map((plan) => {
      const within = counts.filter(
        (c) => plan.teamIds.includes(c.teamId) && plan.fromDay <= c.day && c.day <= plan.toDay,
      );
      expect(within.reduce((sum, c) => sum + c.rows, 0)).toBe(plan.rows);
      return modelFile(within, 1);
    });
    // Every row in exactly one output.
    expect(total(outputs.flatMap((file) => file.counts))).toEqual(counts);
    this.files = [...this.files.filter((file) => !inputs.includes(file)), ...outputs];
    this.rewrittenRows += counts.reduce((sum, c) => sum + c.rows, 0);
    return true;
  }
}

const countsOf = (files: readonly ModelFile[]) => total(files.flatMap((file) => file.counts));

const outputsOf = (files: readonly ModelFile[]) =>
  planOutputs(countsOf(files), { bytesPerRow: BYTES_PER_ROW, weightPerRow: BYTES_PER_ROW }, LIMITS);

function total(counts: DayCount[]): DayCount[] {
  const rows = new Map<string, DayCount>();
  for (const count of counts) {
    const key = `${count.teamId}/${count.day}`;
    rows.set(key, { ...count, rows: (rows.get(key)?.rows ?? 0) + count.rows });
  }
  return [...rows.values()].sort((a, b) => a.teamId - b.teamId || a.day - b.day);
}

/** Numbers in [0, n), the same in every run. */
function seeded(seed: number): (n: number) => number {
  let state = seed;
  return (n) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * n);
  };
}

describe("the compaction planner bounds the number of files", () => {
  test("of an import of 1,000 days in random order", () => {
    const lake = new ModelLake();
    const random = seeded(1);
    for (let flush = 0; flush < 400; flush++) {
      const counts: DayCount[] = [];
      for (let i = 0; i < 100; i++) counts.push({ teamId: 1, day: random(1_000), rows: 1_000 });
      lake.add(total(counts));
    }
    expect(lake.rows).toBe(40_000_000);
    expect(lake.mostFiles).toBeLessThan(100 + lake.largeFiles);
    // A question about a week opens few files.
    const overlapping = lake.files.filter((file) => file.minMs <= 500 * DAY_MS && file.maxMs >= 494 * DAY_MS);
    expect(overlapping.length).toBeLessThan(30);
    expect(lake.rewrittenRows / lake.rows).toBeLessThan(5);
  });

  test("of an import in order of time", () => {
    const lake = new ModelLake();
    for (let flush = 0; flush < 1_000; flush++) lake.add([{ teamId: 1, day: Math.floor(flush / 3), rows: 50_000 }]);
    expect(lake.mostFiles).toBeLessThan(100 + lake.largeFiles);
    expect(lake.rewrittenRows / lake.rows).toBeLessThan(4);
  });

  test("of an import in order of time, whose events are merged once while more is coming, and hardly again after it", () => {
    const lake = new ModelLake();
    lake.moreToCome = true;
    for (let flush = 0; flush < 1_000; flush++) lake.add([{ teamId: 1, day: Math.floor(flush / 3), rows: 50_000 }]);
    expect(lake.mostFiles).toBeLessThan(30 + lake.largeFiles);
    expect(lake.rewrittenRows / lake.rows).toBeLessThan(1.1);
    lake.moreToCome = false;
    while (lake.compact());
    expect(lake.files.length).toBeLessThan(8 + lake.largeFiles);
    expect(lake.rewrittenRows / lake.rows).toBeLessThan(1.2);
  });

  test("of small flushes beside an import, which do not wait for it", () => {
    const lake = new ModelLake();
    lake.moreToCome = true;
    for (let flush = 0; flush < 600; flush++) {
      lake.add([{ teamId: 1, day: 7, rows: 50_000 }]);
      lake.add([{ teamId: 2, day: 9, rows: 200 }]);
    }
    expect(lake.mostFiles).toBeLessThan(60 + lake.largeFiles);
  });

  test("of one enormous day", () => {
    const lake = new ModelLake();
    for (let flush = 0; flush < 500; flush++) lake.add([{ teamId: 1, day: 7, rows: 100_000 }]);
    expect(lake.mostFiles).toBeLessThan(100 + lake.largeFiles);
  });

  test("of one day in small flushes, in files of the target size at most", () => {
    const lake = new ModelLake();
    for (let flush = 0; flush < 1_500; flush++) lake.add([{ teamId: 1, day: 5, rows: 4_000 }]);
    expect(Math.max(...lake.files.map(({ sizeBytes }) => sizeBytes))).toBeLessThan(LIMITS.targetBytes);
    expect(lake.largeFiles).toBeGreaterThan(4);
    expect(lake.mostFiles).toBeLessThan(30 + lake.largeFiles);
    expect(lake.rewrittenRows / lake.rows).toBeLessThan(4);
  });

  test("of one day with a few late events in it, in files of the target size at most", () => {
    const lake = new ModelLake();
    for (let flush = 0; flush < 1_500; flush++) {
      const late = Array.from({ length: 300 }, (_, day) => ({ teamId: 1, day, rows: 3 }));
      lake.add([...(flush % 20 === 0 ? late : []), { teamId: 1, day: 300, rows: 4_000 }]);
    }
    expect(Math.max(...lake.files.map(({ sizeBytes }) => sizeBytes))).toBeLessThan(LIMITS.targetBytes * 1.1);
    expect(lake.mostFiles).toBeLessThan(30 + lake.largeFiles);
  });

  test("of 1,000 small projects, in mixed flushes and in flushes of their own", () => {
    for (const perFlush of [40, 1]) {
      const lake = new ModelLake();
      const random = seeded(2);
      for (let flush = 0; flush < 2_000; flush++) {
        const counts: DayCount[] = [];
        for (let i = 0; i < perFlush; i++)
          counts.push({ teamId: 1 + random(1_000), day: Math.floor(flush / 100), rows: 50 });
        lake.add(total(counts));
      }
      expect(lake.mostFiles).toBeLessThan(60);
    }
  });

  test("of one large project among small ones, which gets files of its own", () => {
    const lake = new ModelLake();
    const random = seeded(3);
    for (let flush = 0; flush < 600; flush++) {
      const counts: DayCount[] = [{ teamId: 500, day: flush >> 4, rows: 20_000 }];
      for (let i = 0; i < 20; i++) counts.push({ teamId: 1 + random(400), day: flush >> 4, rows: 20 });
      lake.add(total(counts));
    }
    expect(lake.mostFiles).toBeLessThan(100 + lake.largeFiles);
    const own = lake.files.filter((file) => file.teamId === 500);
    const ownRows = own.reduce((sum, file) => sum + file.rowCount, 0);
    expect(ownRows / lake.rows).toBeGreaterThan(0.9);
    expect(lake.filesOf(1)).toBeLessThan(30);
  });

  test("of any mixture", () => {
    const count = fc.record({
      teamId: fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 30 })),
      day: fc.oneof(fc.constant(0), fc.integer({ min: -5, max: 400 })),
      rows: fc.oneof(fc.integer({ min: 1, max: 100 }), fc.integer({ min: 1, max: 200_000 })),
    });
    fc.assert(
      fc.property(
        fc.array(fc.array(count, { minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 60 }),
        (flushes) => {
          const lake = new ModelLake();
          for (const counts of flushes) lake.add(total(counts));
          // Small files: under `fanout` in each of four tiers, for the shared group and for each project of some size.
          const owners = new Set(lake.files.map((file) => file.teamId).filter((teamId) => teamId !== null));
          expect(lake.files.length).toBeLessThan(32 + owners.size * 16 + 2 * lake.largeFiles + 1);
        },
      ),
      { numRuns: 60 },
    );
  });
});

test("files of the log are merged until a job can hold no two of them", () => {
  let live: LiveSegment[] = [];
  for (let n = 0; n < 3_000; n++) {
    live.push({ ...modelFile([{ teamId: 1, day: 0, rows: 3_000 }], 0), kind: "log" });
    for (let job = planLogJob(live, LIMITS); job !== null; job = planLogJob(live, LIMITS)) {
      const rows = job.reduce((sum, file) => sum + file.rowCount, 0);
      expect(rows * BYTES_PER_ROW).toBeLessThanOrEqual(LIMITS.jobMaxBytes);
      const merged: LiveSegment = { ...modelFile([{ teamId: 1, day: 0, rows }], 1), kind: "log" };
      live = [...live.filter((file) => !job.includes(file)), merged];
    }
    expect(live.length).toBeLessThan(40);
    // One file has most of what is in large ones, as long as a job can hold them.
    const large = live.map(({ sizeBytes }) => sizeBytes).filter((bytes) => bytes >= LIMITS.targetBytes / 16);
    const allBytes = large.reduce((sum, bytes) => sum + bytes, 0);
    if (allBytes <= LIMITS.jobMaxBytes) expect(Math.max(0, ...large)).toBeGreaterThanOrEqual((allBytes * 2) / 3);
  }
  expect(Math.max(...live.map((file) => file.sizeBytes))).toBeGreaterThan(LIMITS.jobMaxBytes / 4);
});

describe("files with much text in wide rows", () => {
  const file = (changes: Partial<ModelFile> = {}) => ({
    ...modelFile([{ teamId: 1, day: 1, rows: 10 }], 0),
    ...changes,
  });
  const wideBytes = (files: LiveSegment[] | null) => files!.reduce((sum, each) => sum + each.wideBytes, 0);

  test("come into a job only as far as it has memory for them", () => {
    const files = Array.from({ length: 40 }, () => file({ wideBytes: 2 * MiB }));
    const job = planJob(files, LIMITS);
    expect(job!.length).toBeGreaterThan(1);
    // Jobs of small files fill two files of the target size.
    expect(wideBytes(job)).toBeLessThanOrEqual(2 * LIMITS.targetWideBytes);
    expect(wideBytes(planLogJob(files, LIMITS))).toBeLessThanOrEqual(4 * LIMITS.targetWideBytes);
  });

  test("are large, however few bytes they have, and do not keep smaller ones waiting", () => {
    const large = Array.from({ length: 40 }, () => file({ wideBytes: LIMITS.targetWideBytes }));
    expect(planJob(large, LIMITS)).toBeNull();
    const small = Array.from({ length: 8 }, () => file());
    expect(planJob([...large, ...small], LIMITS)).toEqual(small);
  });

  test("are cut by days like large ones", () => {
    const counts = Array.from({ length: 10 }, (_, day) => ({ teamId: 1, day, rows: 10 }));
    const sizes = rowSizes([file({ rowCount: 100, sizeBytes: MiB, wideBytes: 2 * LIMITS.targetWideBytes })], LIMITS);
    expect(planOutputs(counts, sizes, LIMITS)).toMatchObject([{ rows: 50 }, { rows: 50 }]);
  });
});

describe("no files keep others waiting for ever", () => {
  const many = (count: number, changes: Partial<ModelFile>) =>
    Array.from({ length: count }, () => ({ ...modelFile([{ teamId: 1, day: 1, rows: 10 }], 0), ...changes }));

  test("those that come in all the time, larger ones that grow in number", () => {
    const fresh = many(8, { sizeBytes: 1_000 });
    const second = many(8, { sizeBytes: MiB });
    expect(planJob([...second, ...fresh], LIMITS)).toEqual(fresh);
    expect(planJob([...second, ...many(100, { sizeBytes: MiB }), ...fresh], LIMITS)![0]!.sizeBytes).toBe(MiB);
  });

  test("those of one project, others' of the same size", () => {
    const first = many(10, { teamId: 1, sizeBytes: 10 * MiB });
    const other = many(11, { teamId: 2, sizeBytes: 10 * MiB });
    expect(new Set(planJob([...first, ...other], LIMITS)!.map(({ teamId }) => teamId))).toEqual(new Set([2]));
  });

  test("those of which jobs have failed, the ones behind them", () => {
    const failed = many(8, { sizeBytes: 250_000, failures: 10 });
    const others = many(8, { sizeBytes: 1_000 });
    expect(planJob([...failed, ...others], LIMITS)).toEqual(others);
  });
});
