import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Lake } from "../../src/lake/mod.ts";
import { openQueryScene } from "./queryScene.ts";

const MiB = 1024 * 1024;

// Two processes and the reserve share what DuckDB may use; each may hold another 384 MiB.
const MEMORY_BYTES = 384 * MiB;
const PROCESSES = 3;
const MOST_BYTES = MEMORY_BYTES / PROCESSES + 384 * MiB;
/** What the program itself takes, and what a process gets further between two looks. */
const SLACK_BYTES = 384 * MiB;

const { open, ask, rows, close } = await openQueryScene();
let lake: Lake;
let run: string;
beforeAll(() => {
  ({ door: lake, run } = open({ queryMemoryBytes: MEMORY_BYTES }));
});
afterAll(async () => {
  await lake.close();
  await close();
});

/** What DuckDB's own limit does not cover, each of gigabytes. */
const GREEDY: [string, string][] = [
  ["a distance of long texts", "select damerau_levenshtein(repeat('ab', 20000), repeat('ba', 20000))"],
  [
    "texts put together",
    "select length(array_to_string(list_transform(range(100000), lambda x: repeat('ab', 500000)), ''))",
  ],
  ["a replacement by more", "select length(replace(repeat('a', 1000000), 'a', repeat('b', 100000)))"],
  ["a pattern's replacement", "select length(regexp_replace(repeat('a', 1000000), 'a', repeat('b', 100000), 'g'))"],
  ["ranges in a range", "select list_transform(range(1000000), lambda x: range(1000000))"],
  ["a quantile over all pairs", "select quantile_cont(a.range * b.range, 0.5) from range(100000) a, range(100000) b"],
  ["a list of all", "select len(list(range)) from range(10000000000)"],
];

const pids = () =>
  readdirSync(run)
    .filter((name) => name.endsWith(".pid"))
    .map((name) => Number(readFileSync(join(run, name), "utf8")));

/** The most that the query processes held together while `body` ran. */
async function peakBytes(body: () => Promise<unknown>): Promise<number> {
  let peak = 0;
  const look = () => {
    const each = pids().map((pid) => {
      try {
        const [, resident = 0] = readFileSync(`/proc/${pid}/statm`, "latin1").split(" ").map(Number);
        return resident * 4096;
      } catch {
        return 0;
      }
    });
    peak = Math.max(
      peak,
      each.reduce((sum, bytes) => sum + bytes, 0),
    );
  };
  const timer = setInterval(look, 5);
  await body();
  clearInterval(timer);
  return peak;
}

describe("a query that takes more memory than it may", () => {
  test.each(GREEDY)("%s", async (_, text) => {
    await expect(ask(text, { deadlineMs: 60_000 }, lake)).rejects.toMatchObject({
      code: "query_memory",
      retryable: false,
    });
    expect(await rows("select 1", {}, lake)).toEqual([[1]]);
  });

  test("ends before the machine's memory does, also several at once", async () => {
    const all = () =>
      Promise.all(
        GREEDY.map(([, text], i) =>
          ask(text, { teamId: (i % 3) + 1, deadlineMs: 60_000 }, lake).catch((error) => error.code),
        ),
      );
    let codes: unknown[] = [];
    const peak = await peakBytes(async () => {
      codes = await all();
    });
    expect(codes).toEqual(GREEDY.map(() => "query_memory"));
    expect(peak).toBeLessThan(PROCESSES * (MOST_BYTES + SLACK_BYTES));
  });

  test("is not run again, and its process is the first that the kernel would end", async () => {
    const { door: one, run: itsRun, logged } = open({ queryProcesses: 1, queryMemoryBytes: MEMORY_BYTES });
    expect(await rows("select 1", {}, one)).toEqual([[1]]);
    const pid = Number(readFileSync(join(itsRun, "query-0.pid"), "utf8"));
    expect(readFileSync(`/proc/${pid}/oom_score_adj`, "utf8").trim()).toBe("1000");
    await expect(ask(GREEDY[0]![1], {}, one)).rejects.toMatchObject({ code: "query_memory" });
    expect(logged).toEqual([]);
    await one.close();
  });
});
