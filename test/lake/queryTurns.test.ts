import { afterAll, describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Lake } from "../../src/lake/mod.ts";
import { usageOf } from "../bench/report.ts";
import { HANG_MS, until } from "../support/processes.ts";
import { openQueryScene } from "./queryScene.ts";

/** Runs for minutes, and can be interrupted. */
const SLOW = "select count(*) from range(3000000) a, range(3000000) b where a.range + b.range = -1";
/** The same in one expression, which no interrupt reaches. */
const RUNAWAY = "select list_reduce(range(10000000), lambda a, b: (a * 31 + b) % 1000003)";

const { open, ask, rows, close } = await openQueryScene();
afterAll(close);

/** Keeps `count` processes busy for a project until the returned function is called. */
function occupy(lake: Lake, teamId: number, count: number): () => Promise<unknown> {
  const controller = new AbortController();
  const asked = Array.from({ length: count }, () =>
    ask(SLOW, { teamId, signal: controller.signal }, lake).catch((error) => error.code),
  );
  return () => {
    controller.abort();
    return Promise.all(asked);
  };
}

const pidFiles = (run: string) => readdirSync(run).filter((name) => name.endsWith(".pid"));

describe("no project has all query processes", () => {
  test("one of which nothing runs is answered beside any number of others' queries", async () => {
    const { door, run } = open({ queryProcesses: 2 });
    await Promise.all([rows("select 1", {}, door), rows("select 1", { teamId: 2 }, door)]);
    const end = occupy(door, 1, 10);
    expect(await rows("select 2", { teamId: 2, deadlineMs: HANG_MS }, door)).toEqual([[2]]);
    expect(await rows("select 3", { teamId: 3, deadlineMs: HANG_MS }, door)).toEqual([[3]]);
    expect(pidFiles(run)).toHaveLength(3);
    expect(await end()).toEqual(Array.from({ length: 10 }, () => "query_cancelled"));
    await door.close();
  });

  test("a project of which something runs waits for its turn, while the reserve stands by", async () => {
    const { door } = open({ queryProcesses: 1 });
    await rows("select 1", {}, door);
    const end = occupy(door, 1, 1);
    expect(await rows("select 2", { teamId: 2 }, door)).toEqual([[2]]);
    await expect(ask("select 1", { deadlineMs: 100 }, door)).rejects.toMatchObject({ code: "queries_busy" });
    await end();
    expect(await rows("select 1", {}, door)).toEqual([[1]]);
    await door.close();
  });

  test("nor all places to wait in", async () => {
    const { door } = open({ queryProcesses: 1, queryProjectQueueMax: 3 });
    await rows("select 1", {}, door);
    const end = occupy(door, 1, 4);
    await expect(ask("select 1", {}, door)).rejects.toMatchObject({ code: "queries_busy", retryable: true });
    expect(await rows("select 2", { teamId: 2 }, door)).toEqual([[2]]);
    await end();
    await door.close();
  });
});

test("a process is started when a query has to wait for one, until there are as many as are set", async () => {
  const { door, run } = open({ queryProcesses: 2 });
  await rows("select 1", {}, door);
  await rows("select 2", {}, door);
  expect(pidFiles(run)).toEqual(["query-0.pid"]);
  const end = occupy(door, 1, 1);
  expect(await rows("select 3", {}, door)).toEqual([[3]]);
  expect(pidFiles(run).sort()).toEqual(["query-0.pid", "query-1.pid"]);
  const endMore = occupy(door, 1, 2);
  await expect(ask("select 4", { deadlineMs: 300 }, door)).rejects.toMatchObject({ code: "queries_busy" });
  expect(pidFiles(run)).toHaveLength(2);
  await Promise.all([end(), endMore()]);
  await door.close();
});

describe("the answer of a query that is ended", () => {
  test("does not wait for its process", async () => {
    const { door, run } = open({ queryProcesses: 1 });
    await rows("select 1", {}, door);
    const pid = Number(readFileSync(join(run, "query-0.pid"), "utf8"));
    const controller = new AbortController();
    const usedBeforeMs = usageOf(pid).cpuMs;
    const asked = ask(RUNAWAY, { signal: controller.signal }, door).catch((error) => error.code);
    // An interrupt that comes before the engine is in the expression ends the statement, and the process lives on.
    await until("the expression to run", HANG_MS, () => usageOf(pid).cpuMs - usedBeforeMs > 500);
    controller.abort();
    expect(await asked).toBe("query_cancelled");
    expect(existsSync(`/proc/${pid}`)).toBe(true);
    await until("the process to end", HANG_MS, () => !existsSync(`/proc/${pid}`));
    expect(await rows("select 1", {}, door)).toEqual([[1]]);
    await door.close();
  });

  test("leaves nothing on the disk of what the process spilled", async () => {
    const { door, run } = open({ queryProcesses: 1, queryMemoryBytes: 256 * 1024 ** 2 });
    await rows("select 1", {}, door);
    const spilled = () => readdirSync(join(run, "spill"), { recursive: true }).length;
    const asked = ask(
      "select repeat('x', 1000) || i as x from range(20000000) t(i) order by hash(i) offset 19999999",
      {
        deadlineMs: 3_000,
      },
      door,
    ).catch((error) => error.code);
    await until("it to spill", HANG_MS, () => spilled() > 2);
    expect(await asked).toBe("query_timeout");
    await door.close();
    expect(spilled()).toBe(0);
  });
});
