import { afterAll, describe, expect, test } from "bun:test";
import { existsSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import type { LakeQuery, StatementProgress } from "../../src/lake/mod.ts";
import { openQueryScene } from "./queryScene.ts";
import { allEvents } from "./support.ts";

/** Runs for ten seconds in one expression, which no interrupt reaches. Its list fits into the memory of a query. */
const RUNAWAY = "select list_reduce(range(10000000), lambda a, b: (a * 31 + b) % 1000003)";
/** Runs for long too, but can be interrupted. */
const SLOW = "select count(*) from range(3000000) a, range(3000000) b where a.range + b.range = -1";

const { stored, secondFile, open, ask, rows, close } = await openQueryScene();
afterAll(close);

describe("a query", () => {
  test("fails with a message for the user, without SQL and paths", async () => {
    await expect(ask("select 'abc'::integer")).rejects.toMatchObject({
      code: "query_failed",
      message: "Conversion Error: Could not convert string 'abc' to INT32",
    });
    await expect(ask("select nonsense")).rejects.toMatchObject({ code: "query_failed", retryable: false });
    await expect(ask("select error('own message')")).rejects.toMatchObject({ code: "query_failed" });
  });

  test("reads nothing but its own files", async () => {
    const others = [
      "select * from read_text('/etc/passwd')",
      `select * from read_parquet('${secondFile}.parquet')`,
      `select * from read_parquet('${join(stored.directory, secondFile)}.parquet')`,
      "select * from glob('*')",
      "select * from read_blob('../weir.db')",
      `select * from '${secondFile}.keys'`,
    ];
    for (const text of others) {
      await expect(ask(text, { teamId: 2 })).rejects.toMatchObject({ code: "query_failed" });
    }
    // The other project's rows in a shared file stay behind the door's own condition.
    const count: LakeQuery["sql"] = (relations) => ({
      text: `select count(*) from ${allEvents(relations)}`,
      params: [],
    });
    expect(await rows(count, { teamId: 2 })).toEqual([[500]]);
  });

  test("changes nothing", async () => {
    const statements = [
      "copy (select 1) to 'x.csv'",
      `copy (select 1) to '${secondFile}.parquet'`,
      "set threads = 1",
      "reset memory_limit",
      "attach 'x.db'",
      "install httpfs",
      "load httpfs",
      "create table t (a int)",
      "pragma enable_profiling",
      "explain analyze select 1",
      "begin",
      "select 1; select 2",
      "",
    ];
    for (const text of statements) await expect(ask(text)).rejects.toMatchObject({ code: "query_failed" });
    expect(await rows((relations) => ({ text: `select count(*) from ${allEvents(relations)}`, params: [] }))).toEqual([
      [600],
    ]);
  });

  test("may not use more memory than its share", async () => {
    const text = "select len(list(repeat('x', 1000) || i)) from range(2000000) t(i)";
    await expect(ask(text)).rejects.toMatchObject({ code: "query_memory" });
    expect(await rows("select 1")).toEqual([[1]]);
  });

  test("ends at its deadline, whatever it runs", async () => {
    for (const text of [SLOW, RUNAWAY]) {
      // A process is free, and takes the next at once.
      expect(await rows("select 1")).toEqual([[1]]);
      await expect(ask(text, { deadlineMs: 300 })).rejects.toMatchObject({ code: "query_timeout", retryable: false });
    }
    expect(await rows("select 1")).toEqual([[1]]);
  });

  test("ends when it is cancelled, running or waiting", async () => {
    const { door: one } = open({ queryProcesses: 1 });
    expect(await rows("select 1", {}, one)).toEqual([[1]]);
    const controllers = [RUNAWAY, SLOW, RUNAWAY].map((text) => {
      const controller = new AbortController();
      return { controller, asked: ask(text, { signal: controller.signal }, one) };
    });
    await Bun.sleep(100);
    for (const { controller, asked } of controllers.reverse()) {
      controller.abort();
      await expect(asked).rejects.toMatchObject({ code: "query_cancelled" });
    }
    await expect(ask("select 1", { signal: AbortSignal.abort() }, one)).rejects.toMatchObject({
      code: "query_cancelled",
    });
    expect(await rows("select 1", {}, one)).toEqual([[1]]);
    await one.close();
  });

  test("tells how far it is when it runs long", async () => {
    const endless: LakeQuery["sql"] = (relations) => ({
      text: `select count(*) from range(1000000000000) a join ${allEvents(relations)} e on a.range = e.ordinal`,
      params: [],
    });
    const told: StatementProgress[] = [];
    // DuckDB reckons in one of its threads only, and a statement of two steps may pass that by: then another is asked.
    while (told.length === 0) {
      const controller = new AbortController();
      const onProgress = (progress: StatementProgress) => {
        told.push(progress);
        controller.abort();
      };
      const asked = ask(endless, { signal: controller.signal, deadlineMs: 1_500, onProgress });
      await expect(asked).rejects.toMatchObject({ code: expect.stringMatching(/^query_(cancelled|timeout)$/) });
    }
    const { rowsRead, rowsTotal } = told[0]!;
    expect(rowsTotal).toBeGreaterThan(rowsRead);
  });

  test("is refused when too many wait, and projects take turns", async () => {
    const { door: one } = open({ queryProcesses: 1, queryQueueMax: 5 });
    expect(await rows("select 1", {}, one)).toEqual([[1]]);
    /** Asks; the statement runs or waits in line then. */
    const begin = async (text: string, o: Parameters<typeof ask>[1]) => {
      const made = Promise.withResolvers<void>();
      const asked = ask(
        () => {
          made.resolve();
          return { text, params: [] };
        },
        o,
        one,
      );
      await made.promise;
      await Bun.sleep(1);
      return { asked };
    };
    const controller = new AbortController();
    const blocker = (await begin(SLOW, { signal: controller.signal })).asked.catch(() => "ended");
    // The reserve has started for a project of which nothing runs, and works for it: else it would take the other's query, at any time.
    expect(await rows("select 1", { teamId: 3 }, one)).toEqual([[1]]);
    const reserved = new AbortController();
    const beside = (await begin(SLOW, { teamId: 3, signal: reserved.signal })).asked.catch(() => "ended");
    const order: string[] = [];
    const waiting: Promise<unknown>[] = [];
    for (const [i, teamId] of [1, 1, 1, 1, 2].entries()) {
      waiting.push((await begin("select 1", { teamId })).asked.then(() => order.push(`${teamId}/${i}`)));
    }
    await expect(ask("select 1", {}, one)).rejects.toMatchObject({ code: "queries_busy", retryable: true });
    controller.abort();
    await Promise.all([blocker, ...waiting]);
    expect(order).toEqual(["2/4", "1/0", "1/1", "1/2", "1/3"]);
    const late = new AbortController();
    const slow = (await begin(SLOW, { signal: late.signal })).asked.catch((error) => error.code);
    await expect(ask("select 1", { deadlineMs: 50 }, one)).rejects.toMatchObject({ code: "queries_busy" });
    late.abort();
    reserved.abort();
    expect([await slow, await beside]).toEqual(["query_cancelled", "ended"]);
    await one.close();
  });

  test("is run again once when its process is killed", async () => {
    const { door: one, run } = open({ queryProcesses: 1 });
    expect(await rows("select 1", {}, one)).toEqual([[1]]);
    const first = pidOf(run);
    const text = "select count(distinct hash(i)) from range(4000000) t(i)";
    const asked = rows(text, {}, one);
    await Bun.sleep(100);
    process.kill(first, "SIGKILL");
    expect(await asked).toEqual([[4000000]]);
    expect(pidOf(run)).not.toBe(first);

    let isAnswered = false;
    const again = ask(RUNAWAY, {}, one)
      .catch((error) => error)
      .finally(() => {
        isAnswered = true;
      });
    // One that is killed before it has the query does not count, so each is given longer than the one before.
    for (let graceMs = 100, pid = pidOf(run); !isAnswered; graceMs *= 2) {
      await Bun.sleep(graceMs);
      process.kill(pid, "SIGKILL");
      pid = await newPid(run, pid);
    }
    expect(await again).toMatchObject({ code: "query_process_died", retryable: true });
    await one.close();
  });

  test("is answered by a process whose id cannot be written, as on a full disk", async () => {
    const nowhere = (run: string) => symlinkSync(join(run, "none", "there"), join(run, "query-0.pid"));
    const { door: one, run, logged } = open({ queryProcesses: 1, prepare: nowhere });
    expect(await rows("select 1", {}, one)).toEqual([[1]]);
    expect(logged.join()).toContain("cannot be written: ENOENT");
    expect(existsSync(join(run, "query-0.pid"))).toBe(false);
    await one.close();
  });

  test("does not outlive its parent", async () => {
    const script = `
      import { QueryPool } from ${JSON.stringify(join(import.meta.dir, "../../src/lake/querying/queryPool.ts"))};
      const pool = new QueryPool({ storage: { has: async () => true },
        runDirectory: ${JSON.stringify(join(stored.runDirectory, "orphan"))}, processes: 1, memoryBytes: 4e8, spillBytes: 1e9, queueMax: 5, projectQueueMax: 5, threads: 1, walks: { leastRows: 0, rangeRows: 1, asksBeforeKept: 0 }, log() {} });
      const statement = (text) => ({ teamId: 1, readable: [], files: [], text, params: [], walks: [], maxRows: 1, maxResultBytes: 1000 });
      await pool.run({ statement: statement("select 1"), deadlineMs: 10000 });
      void pool.run({ statement: statement(${JSON.stringify(RUNAWAY)}), deadlineMs: 100000 });
      setTimeout(() => console.log(pool.pids[0]), 100);`;
    const parent = Bun.spawn([process.execPath, "-e", script], { stdout: "pipe" });
    const reader = parent.stdout.getReader();
    const pid = Number(new TextDecoder().decode((await reader.read()).value));
    expect(pid).toBeGreaterThan(1);
    parent.kill("SIGKILL");
    await parent.exited;
    for (let i = 0; i < 200 && isRunning(pid); i++) await Bun.sleep(20);
    expect(isRunning(pid)).toBe(false);
  });
});

/** Of the one process of a door. */
function pidOf(run: string): number {
  const pid = Number(readFileSync(join(run, "query-0.pid"), "utf8"));
  if (pid < 2) throw new Error("not written yet");
  return pid;
}

async function newPid(run: string, old: number): Promise<number> {
  for (;;) {
    const pid = await Promise.try(() => pidOf(run)).catch(() => old);
    if (pid !== old) return pid;
    await Bun.sleep(10);
  }
}

/** A zombie that nobody waits for has ended, too. */
function isRunning(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}
