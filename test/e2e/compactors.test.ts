import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import type { RunningJob } from "../../src/lake/mod.ts";
import { WEIR } from "../commands/weirProcess.ts";
import { catalogOf } from "../support/catalogOf.ts";
import { HandWorker } from "../support/handWorker.ts";
import { MAIN } from "../support/main.ts";
import { HANG_MS, until } from "../support/processes.ts";
import { startWeir, type Weir } from "../support/weir.ts";

const ENV = { WEIR_FLUSH_MS: "50", WEIR_COMPACT_MS: "20", WEIR_COMPACT_FANOUT: "2" };

test("of several compactors one is killed in its job: the others go on, and every event is there once", async () => {
  await using weir = await startWeir({ env: ENV });
  await using records = await catalogOf(weir);
  const { db, catalog } = records;
  await using killed = compactorOf(weir);
  await using other = compactorOf(weir);
  let sent = 0;
  const untilWorks = (worker: HandWorker) =>
    until("it to have a job", HANG_MS, async () => {
      const batch = Array.from({ length: 20 }, () => ({
        uuid: crypto.randomUUID(),
        event: "e",
        distinct_id: `${sent++}`,
      }));
      await weir.deliver(batch);
      return (await catalog.runningJobs()).some(isOf(worker)) || null;
    });
  await untilWorks(killed);
  killed.kill("SIGKILL");
  await killed.ended;
  await untilWorks(other);
  // Its claim would run out by itself, only later.
  await db.write(
    (tx) => tx`update compaction_jobs set expires_at_ms = 0 where holder like ${`compactor-${killed.pid}-%`}`,
  );
  const isEnded = async () => !(await catalog.runningJobs()).some(isOf(killed)) || null;
  await until("the job of the dead one to be ended", HANG_MS, isEnded);
  await weir.waitStored();
  const { results } = await weir.query("SELECT count(), count(DISTINCT uuid) FROM events");
  expect(results).toEqual([[sent, sent]]);
});

test("one that `scripts/weir` starts has the settings of memory that `weir start` gives its own", async () => {
  await using weir = await startWeir();
  const own = memorySettingsOf(weir.pidOf("compactor"));
  expect(Object.keys(own).length).toBeGreaterThan(3);
  const other = Bun.spawn([WEIR, "compactor"], {
    env: { ...process.env, WEIR_DATA_DIR: weir.dataDir },
    stdout: "ignore",
    stderr: "inherit",
  });
  try {
    await until("its settings", HANG_MS, () => Object.keys(memorySettingsOf(other.pid)).length > 3);
    expect(memorySettingsOf(other.pid)).toEqual(own);
  } finally {
    other.kill();
    await other.exited;
  }
});

/** Of the allocators and of the collector of garbage. */
function memorySettingsOf(pid: number): Record<string, string> {
  const settings = readFileSync(`/proc/${pid}/environ`, "utf8").split("\0");
  const ofMemory = settings.filter((text) => /^(MALLOC_|MIMALLOC_|DUCKDB_JE_|BUN_JSC_)/.test(text));
  return Object.fromEntries(ofMemory.map((text) => text.split("=") as [string, string]));
}

const compactorOf = ({ dataDir }: Weir) => new HandWorker({ dataDir, command: [MAIN, "compactor"], env: ENV });

const isOf = (worker: HandWorker) => (job: RunningJob) => job.holder.startsWith(`compactor-${worker.pid}-`);
