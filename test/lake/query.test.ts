import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { type Lake, type LakeQuery, openLake, type QueryOutcome } from "../../src/lake/mod.ts";
import { DAY_MS } from "../../src/types/mod.ts";
import { allEvents, NOON, row } from "./support.ts";
import { TestLake } from "./testLake.ts";

const MiB = 1024 * 1024;
/** Runs for minutes in one expression, which no interrupt reaches. */
const RUNAWAY = "select list_reduce(range(200000000), lambda a, b: (a * 31 + b) % 1000003)";
/** Runs for long too, but can be interrupted. */
const SLOW = "select count(*) from range(3000000) a, range(3000000) b where a.range + b.range = -1";

let stored: TestLake;
let lake: Lake;
let secondFile: string;
let run = "";
let opened = 0;

beforeAll(async () => {
  stored = await TestLake.open();
  const first = Array.from({ length: 1_000 }, (_, n) => row(n, { teamId: n % 2 === 0 ? 1 : 2 }));
  await stored.store(first);
  const later = Array.from({ length: 100 }, (_, n) => row(2_000 + n, { timestampMs: NOON + 10 * DAY_MS + n }));
  secondFile = (await stored.store(later)).id;
  lake = open();
});

afterAll(async () => {
  await lake.close();
  await stored.close();
});

function open(changes: { queryProcesses?: number; queryQueueMax?: number; queryMemoryBytes?: number } = {}): Lake {
  run = join(stored.runDirectory, String(opened++));
  return openLake({
    config: {
      queryProcesses: 2,
      queryMemoryBytes: 512 * MiB,
      queryQueueMax: 50,
      queryMaxResultBytes: MiB,
      ...changes,
    },
    catalog: stored.catalog,
    directory: stored.directory,
    // The last opened one's process ids stand in it.
    runDirectory: run,
    log: () => {},
  });
}

function ask(sql: string | LakeQuery["sql"], changes: Partial<LakeQuery> = {}, from = lake): Promise<QueryOutcome> {
  return from.query({
    teamId: 1,
    range: { fromMs: null, toMs: null },
    sql: typeof sql === "string" ? () => ({ text: sql, params: [] }) : sql,
    deadlineMs: 20_000,
    maxRows: 1_000,
    ...changes,
  });
}

async function rows(sql: string | LakeQuery["sql"], changes: Partial<LakeQuery> = {}, from = lake): Promise<unknown> {
  return JSON.parse((await ask(sql, changes, from)).rowsJson);
}

function pidOf(slot: number): number {
  const pid = Number(readFileSync(join(run, `query-${slot}.pid`), "utf8"));
  if (pid < 2) throw new Error("not written yet");
  return pid;
}

describe("the events relation", () => {
  test("holds one project's rows, and only files of the range", async () => {
    const count: LakeQuery["sql"] = (relations) => ({
      text: `select count(*) from ${allEvents(relations)}`,
      params: [],
    });
    expect(await ask(count)).toMatchObject({ rowsJson: "[[600]]", files: 2 });
    expect(await ask(count, { teamId: 2 })).toMatchObject({ rowsJson: "[[500]]", files: 1 });
    expect(await ask(count, { teamId: 3 })).toMatchObject({ rowsJson: "[[0]]", files: 0 });
    const late = { fromMs: NOON + 5 * DAY_MS, toMs: null };
    expect(await ask(count, { range: late })).toMatchObject({ rowsJson: "[[100]]", files: 1 });
  });

  test("has the same columns with and without files", async () => {
    const describe: LakeQuery["sql"] = (relations) => ({
      text: `select column_name, column_type from (describe select * from ${allEvents(relations)})`,
      params: [],
    });
    const columns = await rows(describe);
    expect(columns).toEqual([
      ["uuid", "UUID"],
      ["event", "VARCHAR"],
      ["distinct_id", "VARCHAR"],
      ["person_id", "UUID"],
      ["timestamp", "TIMESTAMP"],
      ["created_at", "TIMESTAMP"],
      ["lane", "UTINYINT"],
      ["ordinal", "BIGINT"],
      ["properties", "VARCHAR"],
      ["elements_chain", "VARCHAR"],
      ["person_mode", "UTINYINT"],
    ]);
    expect(await rows(describe, { teamId: 3 })).toEqual(columns);
  });

  test("a file that is gone is an error, never fewer rows", async () => {
    const other = await TestLake.open();
    const { id } = await other.store([row(1)]);
    const door = openLake({
      config: { queryProcesses: 1, queryMemoryBytes: 256 * MiB, queryQueueMax: 5, queryMaxResultBytes: MiB },
      catalog: other.catalog,
      directory: other.directory,
      runDirectory: other.runDirectory,
      log: () => {},
    });
    rmSync(join(other.directory, `${id}.parquet`));
    await expect(
      ask((relations) => ({ text: `select count(*) from ${allEvents(relations)}`, params: [] }), {}, door),
    ).rejects.toMatchObject({ code: "segment_missing", retryable: true });
    await door.close();
    await other.close();
  });
});

describe("results", () => {
  test("come as JSON with every type in its own form", async () => {
    const text = `select 1::integer as i, 9007199254740993::bigint as big, 12345678901234567890123::hugeint as huge,
      1.5::double as d, 'nan'::double as nan, 'inf'::double as inf, 12.30::decimal(9,2) as dec, true as b,
      date '2021-01-01' as day, timestamp '2021-01-02 03:04:05.006007' as t, timestamp '1969-12-31 23:59:59.999999' as old,
      '00000000-0000-4000-8000-000000000001'::uuid as u, 'a"b\\ü🎉' as s, ['x', null] as l, {'k': [1]} as st,
      map {'a': 1} as m, null as n`;
    const outcome = await ask(text);
    expect(JSON.parse(outcome.rowsJson)).toEqual([
      [
        1,
        "9007199254740993",
        "12345678901234567890123",
        1.5,
        null,
        null,
        12.3,
        true,
        "2021-01-01",
        "2021-01-02T03:04:05.006007",
        "1969-12-31T23:59:59.999999",
        "00000000-0000-4000-8000-000000000001",
        'a"b\\ü🎉',
        ["x", null],
        { k: [1] },
        { a: 1 },
        null,
      ],
    ]);
    expect(outcome.columns.slice(0, 3)).toEqual(["i", "big", "huge"]);
    expect(outcome.types.slice(0, 9)).toEqual([
      "INTEGER",
      "BIGINT",
      "HUGEINT",
      "DOUBLE",
      "DOUBLE",
      "DOUBLE",
      "DECIMAL(9,2)",
      "BOOLEAN",
      "DATE",
    ]);
  });

  test("bind parameters as values of their type", async () => {
    const params = [7, 1.5, 2n ** 40n, "it's; $1 --", true, null, ["a", "b"], [], [1, 2.5]];
    const text = `select $1 + 0 as a, $2 + 0 as b, $3 + 0 as c, $4::varchar as d, $5::boolean as e, $6::varchar as f,
      list_contains($7::varchar[], 'b') as g, len($8::varchar[]) as h, list_sum($9::double[]) as i`;
    const expected = [7, 1.5, 2 ** 40, "it's; $1 --", true, null, true, 0, 3.5];
    expect(await rows(() => ({ text, params }))).toEqual([expected]);
  });

  test("keep their order and equal names, and say when there is more", async () => {
    const outcome = await ask("select i as x, i as x from range(100000) t(i) order by i desc", { maxRows: 3 });
    expect(outcome).toMatchObject({
      columns: ["x", "x"],
      rowsJson: "[[99999,99999],[99998,99998],[99997,99997]]",
      rowCount: 3,
      hasMore: true,
    });
    expect(await ask("select i from range(3) t(i) -- comment", { maxRows: 3 })).toMatchObject({
      rowCount: 3,
      hasMore: false,
    });
  });

  test("that are too large are refused", async () => {
    await expect(ask("select repeat('x', 2000) from range(1000)")).rejects.toMatchObject({ code: "result_too_large" });
    await expect(ask("select range(200000)")).rejects.toMatchObject({ code: "result_too_large" });
    expect((await ask("select repeat('x', 500) from range(1000)")).rowCount).toBe(1_000);
  });
});

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
      await expect(ask(text, { deadlineMs: 300 })).rejects.toMatchObject({ code: "query_timeout", retryable: false });
    }
    expect(await rows("select 1")).toEqual([[1]]);
  });

  test("ends when it is cancelled, running or waiting", async () => {
    const one = open({ queryProcesses: 1 });
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

  test("is refused when too many wait, and projects take turns", async () => {
    const one = open({ queryProcesses: 1, queryQueueMax: 5 });
    expect(await rows("select 1", {}, one)).toEqual([[1]]);
    const controller = new AbortController();
    const blocker = ask(SLOW, { signal: controller.signal }, one).catch(() => "ended");
    await Bun.sleep(50);
    const order: string[] = [];
    const waiting = [1, 1, 1, 1, 2].map((teamId, i) =>
      ask("select 1", { teamId }, one).then(() => order.push(`${teamId}/${i}`)),
    );
    await Bun.sleep(50);
    await expect(ask("select 1", {}, one)).rejects.toMatchObject({ code: "queries_busy", retryable: true });
    controller.abort();
    await Promise.all([blocker, ...waiting]);
    expect(order).toEqual(["2/4", "1/0", "1/1", "1/2", "1/3"]);
    const late = ask(SLOW, { deadlineMs: 400 }, one).catch((error) => error.code);
    await Bun.sleep(20);
    await expect(ask("select 1", { deadlineMs: 50 }, one)).rejects.toMatchObject({ code: "queries_busy" });
    expect(await late).toBe("query_timeout");
    await one.close();
  });

  test("is run again once when its process is killed", async () => {
    const one = open({ queryProcesses: 1 });
    expect(await rows("select 1", {}, one)).toEqual([[1]]);
    const first = pidOf(0);
    const text = "select count(distinct hash(i)) from range(4000000) t(i)";
    const asked = rows(text, {}, one);
    await Bun.sleep(100);
    process.kill(first, "SIGKILL");
    expect(await asked).toEqual([[4000000]]);
    expect(pidOf(0)).not.toBe(first);

    const again = ask(RUNAWAY, {}, one).catch((error) => error);
    const second = pidOf(0);
    await Bun.sleep(100);
    process.kill(second, "SIGKILL");
    const third = await newPid(second);
    await Bun.sleep(300);
    process.kill(third, "SIGKILL");
    expect(await again).toMatchObject({ code: "query_process_died", retryable: true });
    await one.close();
  });

  test("does not outlive its parent", async () => {
    const script = `
      import { QueryPool } from ${JSON.stringify(join(import.meta.dir, "../../src/lake/querying/queryPool.ts"))};
      const pool = new QueryPool({ directory: ${JSON.stringify(stored.directory)},
        runDirectory: ${JSON.stringify(join(stored.runDirectory, "orphan"))}, processes: 1, memoryBytes: 2e8, queueMax: 5, log() {} });
      const statement = (text) => ({ segmentIds: [], text, params: [], maxRows: 1, maxResultBytes: 1000 });
      await pool.run({ teamId: 1, statement: statement("select 1"), deadlineMs: 10000 });
      void pool.run({ teamId: 1, statement: statement(${JSON.stringify(RUNAWAY)}), deadlineMs: 100000 });
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

async function newPid(old: number): Promise<number> {
  for (;;) {
    const pid = await Promise.try(() => pidOf(0)).catch(() => old);
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
