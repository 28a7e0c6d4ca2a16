import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { partName } from "../../src/export/mod.ts";
import { performRun, type RunParts } from "../../src/export/run/perform.ts";
import { LakeExporter } from "../../src/lake/mod.ts";
import {
  addRun,
  type BatchExportRun,
  blankBatchExport,
  bootstrap,
  cancelRun,
  claimRun,
  createBatchExport,
  findRun,
  listExportLogs,
} from "../../src/metadata/mod.ts";
import { SecretBox } from "../../src/outgoing/mod.ts";
import { RetryableError } from "../../src/types/mod.ts";
import { row } from "../lake/support.ts";
import { TestLake } from "../lake/testLake.ts";

const START = Date.UTC(2024, 0, 11);
const HOUR_MS = 3_600_000;
const NEVER = new AbortController().signal;

let lake: TestLake;
let exporter: LakeExporter;
let parts: RunParts;
let folder: string;
/** Why the next run has to wait, or why that cannot be known. */
let waitsFor: string | Error | null = null;
let nowMs = START + 24 * HOUR_MS;
let exportId: string;

beforeAll(async () => {
  lake = await TestLake.open();
  folder = join(lake.directory, "..", "exports");
  await lake.store(
    Array.from({ length: 20_000 }, (_, n) =>
      row(n, { createdAtMs: START + n, properties: `{"n":${n},"text":"${crypto.randomUUID()}"}` }),
    ),
  );
  exporter = new LakeExporter({
    ...lake,
    memoryLimitBytes: 256 << 20,
    spillLimitBytes: 1 << 30,
    scratch: join(folder, "scratch"),
  });
  await bootstrap(lake.db, { projectApiKey: null, personalApiKey: null }, START);
  parts = {
    db: lake.db,
    exporter,
    settling: {
      waitsFor: async () => {
        if (waitsFor instanceof Error) throw waitsFor;
        return waitsFor;
      },
    },
    secrets: new SecretBox({ dataDir: lake.directory, setting: "key" }),
    needs: {
      contextOf: () => Promise.reject(new Error("no query in this test")),
      timesOf: (teamId, interval) => exporter.timesOf(teamId, interval),
    },
    env: { folder, allowedFolders: [], allowPrivate: true },
    scratch: join(folder, "scratch"),
    now: () => nowMs,
    log: () => {},
  };
});
afterAll(async () => {
  await exporter.close();
  await lake.close();
});
beforeEach(async () => {
  rmSync(folder, { recursive: true, force: true });
  await lake.db.write((tx) => tx`update batch_export_runs set finished_at_ms = 0 where finished_at_ms is null`);
  exportId = await newExport({ path: "mine", file_format: "JSONLines", max_file_size_mb: 1 });
});

async function newExport(config: Record<string, string | number>): Promise<string> {
  const { id } = await lake.db.write((tx) =>
    createBatchExport(tx, {
      ...blankBatchExport(1, START),
      destination: { type: "Folder", config, secrets: "" },
      paused: true,
      nextFromMs: START,
    }),
  );
  return id;
}

/** A run of the whole hour, claimed. */
async function newRun(toMs = START + HOUR_MS): Promise<BatchExportRun> {
  await lake.db.write((tx) => addRun(tx, { exportId, teamId: 1, backfillId: null, fromMs: START, toMs }, nowMs));
  return (await claim())!;
}

const claim = () => lake.db.write((tx) => claimRun(tx, { holder: "test", nowMs, ttlMs: 30_000 }));
const seen = async ({ id }: BatchExportRun) => (await lake.db.read((tx) => findRun(tx, exportId, id)))!;
const messages = async (run: BatchExportRun) => {
  const { items } = await lake.db.read((tx) =>
    listExportLogs(tx, { exportId, runId: run.id }, { limit: 100, offset: 0 }),
  );
  return items.map(({ level, message }) => `${level}: ${message}`).reverse();
};
const files = () => readdirSync(join(folder, "folders", "mine")).sort();
const countOf = (name: string) => readFileSync(join(folder, "folders", "mine", name), "utf8").split("\n").length - 1;

/** Of the first file of the hour's run. */
const firstName = () => {
  const range = { exportId, teamId: 1, model: "events" as const, fromMs: START, toMs: START + HOUR_MS };
  return partName(range, 0, { format: "JSONLines", compression: null, maxPartBytes: null });
};

describe("a run", () => {
  test("hands its parts over, and says what it did", async () => {
    const run = await newRun();
    await performRun(run, parts, NEVER);
    expect(await seen(run)).toMatchObject({
      status: "Completed",
      recordsCompleted: 20_000,
      recordsTotal: 20_000,
      latestError: null,
    });
    expect(files().length).toBeGreaterThan(3);
    expect(files().reduce((sum, name) => sum + countOf(name), 0)).toBe(20_000);
    expect((await messages(run)).at(-1)).toMatch(/^info: Exported 20000 rows in \d+ files/);
    // Nothing is left of its work.
    expect(readdirSync(parts.scratch)).toEqual([]);
  });

  test("waits until its interval is settled, which its log says once", async () => {
    waitsFor = "Waiting for events.";
    const run = await newRun();
    await performRun(run, parts, NEVER);
    expect(await seen(run)).toMatchObject({ status: "Starting", latestError: null, attempts: 0 });
    expect(await claim()).toBeNull();
    nowMs += 1_000;
    await performRun((await claim())!, parts, NEVER);
    waitsFor = null;
    nowMs += 1_000;
    await performRun((await claim())!, parts, NEVER);
    expect((await seen(run)).status).toBe("Completed");
    expect((await messages(run)).filter((line) => line.includes("Waiting"))).toHaveLength(1);
  });

  test("waits as long as a broker is away that knows what is queued, and no try is lost", async () => {
    waitsFor = new RetryableError("broker_unavailable", "the event broker cannot be reached");
    const run = await newRun();
    await performRun(run, parts, NEVER);
    for (let looks = 0; looks < 4; looks++) {
      nowMs += HOUR_MS;
      await performRun((await claim())!, parts, NEVER);
    }
    expect(await seen(run)).toMatchObject({ status: "Starting", latestError: null, attempts: 0 });
    waitsFor = null;
    nowMs += HOUR_MS;
    await performRun((await claim())!, parts, NEVER);
    expect(await seen(run)).toMatchObject({ status: "Completed", recordsCompleted: 20_000 });
    expect((await messages(run)).filter((line) => line.includes("the event broker cannot be reached"))).toHaveLength(1);
  });

  test("that fails is tried again with pauses, and ends well when the obstacle is gone", async () => {
    const run = await newRun();
    // A folder stands where the first file is to be.
    const name = firstName();
    mkdirSync(join(folder, "folders", "mine", name, "in the way"), { recursive: true });
    await performRun(run, parts, NEVER);
    expect(await seen(run)).toMatchObject({
      status: "Starting",
      attempts: 1,
      latestError: expect.stringContaining("EISDIR"),
    });
    expect(await claim()).toBeNull();
    nowMs += 5_000;
    rmSync(join(folder, "folders", "mine", name), { recursive: true });
    await performRun((await claim())!, parts, NEVER);
    expect(await seen(run)).toMatchObject({ status: "Completed", recordsCompleted: 20_000, latestError: null });
    expect((await messages(run)).find((line) => line.startsWith("warn"))).toContain("Trying again in 5 s (1 of 5).");
  });

  test("that fails five times is given up", async () => {
    const run = await newRun();
    mkdirSync(join(folder, "folders", "mine", firstName(), "x"), { recursive: true });
    for (let next: BatchExportRun | null = run; next !== null; nowMs += HOUR_MS, next = await claim())
      await performRun(next, parts, NEVER);
    expect(await seen(run)).toMatchObject({ status: "FailedRetryable", attempts: 5, finishedAtMs: expect.any(Number) });
  });

  test("that is done again writes the same names, and removes parts of a longer try", async () => {
    await performRun(await newRun(), parts, NEVER);
    const before = files();
    const stray = before.at(-1)!.replace(/-\d+\.jsonl$/, "-77.jsonl");
    writeFileSync(join(folder, "folders", "mine", stray), "of a longer try");
    writeFileSync(join(folder, "folders", "mine", "of somebody else-0.jsonl"), "stays");
    const again = await newRun(START + HOUR_MS + 1);
    await performRun(again, parts, NEVER);
    await lake.db.write((tx) => tx`delete from batch_export_runs where export_id = ${exportId}`);
    await performRun(await newRun(), parts, NEVER);
    expect(files().filter((name) => before.includes(name))).toEqual(before);
    expect(files()).not.toContain(stray);
    expect(files()).toContain("of somebody else-0.jsonl");
  });

  test("is cancelled in the middle", async () => {
    const run = await newRun();
    const put = parts.exporter.write.bind(exporter);
    let handed = 0;
    const slow: RunParts = {
      ...parts,
      exporter: {
        write: (wish, take) =>
          put(wish, async (part) => {
            await take(part);
            if (++handed === 1) await lake.db.write((tx) => cancelRun(tx, run.id, nowMs));
            // The run looks twice a second.
            while (!wish.signal.aborted) await Bun.sleep(10);
          }),
      },
    };
    await performRun(run, slow, NEVER);
    expect(await seen(run)).toMatchObject({ status: "Cancelled", finishedAtMs: nowMs });
    expect(handed).toBe(1);
    expect((await messages(run)).at(-1)).toBe("info: The run was cancelled.");
  });

  test("that another exporter has taken writes no end", async () => {
    const run = await newRun();
    nowMs += 60_000;
    const taken = (await claim())!;
    await performRun(run, parts, NEVER);
    expect(await seen(run)).toMatchObject({ status: "Starting", epoch: taken.epoch });
    await performRun(taken, parts, NEVER);
    expect((await seen(run)).status).toBe("Completed");
  });

  test("of an exporter that is stopped is let go at once", async () => {
    const run = await newRun();
    const stop = new AbortController();
    stop.abort();
    await performRun(run, parts, stop.signal);
    const again = (await claim())!;
    expect(again.id).toBe(run.id);
    expect(again.attempts).toBe(0);
  });

  test("of an export that was deleted is cancelled", async () => {
    const run = await newRun();
    await lake.db.write((tx) => tx`update batch_exports set deleted = 1 where id = ${exportId}`);
    await performRun(run, parts, NEVER);
    expect((await seen(run)).status).toBe("Cancelled");
  });
});
