import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Program } from "../../src/walk/mod.ts";
import { askingOf, FUNNEL, journeyOf } from "./journeyScene.ts";
import { MiB, openQueryScene } from "./queryScene.ts";

let scene: Awaited<ReturnType<typeof openQueryScene>>;
beforeAll(async () => {
  scene = await openQueryScene({ queryProcesses: 1 });
});
afterAll(() => scene.close());

const TWO = ["first", "second"];
const REACHED = "select c1, count(*) from walk0 group by 1";

describe("a walk of which a thread dies", () => {
  test("is asked again, of another process, and gives the whole answer", async () => {
    const preload = join(import.meta.dir, "dyingWalkThreads.ts");
    // Query processes work in the folder of their door, from which Bun takes its settings.
    const prepare = (run: string) => writeFileSync(join(run, "bunfig.toml"), `preload = ["${preload}"]\n`);
    const { door, logged } = scene.open({
      threads: 2,
      walks: { leastRows: 0, rangeRows: 1, asksBeforeKept: 0 },
      prepare,
    });
    const persons = 200_000;
    const sql = await askingOf(scene, [journeyOf(persons, TWO)], {}, REACHED);
    const again = "a query process died under a query; running it again";
    // A thread may come too late to take a range, and then none dies.
    do expect(await scene.rows(sql, {}, door)).toEqual([[2, persons]]);
    while (!logged.includes(again));
    expect(await scene.rows(sql, {}, door)).toEqual([[2, persons]]);
    expect(logged).toEqual([again]);
    await door.close();
  });
});

/** Memory that a process has had of its own at most, and a little of what it shares. */
function peakBytes(run: string): number {
  const pid = Number(readFileSync(join(run, "query-0.pid"), "utf8"));
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const [peak, mapped] = ["VmHWM", "RssFile"].map((name) =>
    Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)![1]),
  );
  return (peak! - mapped!) * 1024;
}

/** A process may use its share of it, as there is one in reserve, and what it needs beside DuckDB. */
const MEMORY = 256 * MiB;
const MOST = MEMORY / 2 + 384 * MiB;

describe("memory of walks", () => {
  const counts: Program = { kind: "funnelCounts", funnel: FUNNEL, line: 0, since: [null, 0], shown: null };

  test.each([1, 2, 4])(
    "whose tables grow with persons stays within what a process may use, with %i threads",
    async (threads) => {
      const { door, run } = scene.open({
        threads,
        queryMemoryBytes: MEMORY,
        walks: { leastRows: 0, rangeRows: 65_536, asksBeforeKept: 0 },
      });
      const persons = 1_500_000;
      const journey = journeyOf(persons, TWO);
      const rows = await askingOf(scene, [journey], {}, REACHED);
      expect(await scene.rows(rows, {}, door)).toEqual([[2, persons]]);
      const counted = await askingOf(scene, [journey], {}, "select c1, c2 from walk0", counts);
      expect(await scene.rows(counted, {}, door)).toEqual([[persons, persons]]);
      expect(peakBytes(run)).toBeLessThan(MOST);
      await door.close();
    },
  );
});
