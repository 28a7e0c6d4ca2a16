import { afterEach, beforeEach, expect, test } from "bun:test";
import { rmSync } from "node:fs";
import { join } from "node:path";
import type { Catalog } from "../../src/lake/mod.ts";
import { HANG_MS, until } from "../support/processes.ts";
import { row } from "./support.ts";
import { TestLake } from "./testLake.ts";

const FANOUT = 2;

let lake: TestLake;
beforeEach(async () => {
  lake = await TestLake.open();
});
afterEach(() => lake.close());

const fill = async () => {
  const files = [];
  for (let i = 0; i < FANOUT; i++) files.push(await lake.store([row(i)]));
  return files.map(({ id }) => id);
};
const failures = async () => (await lake.catalog.catalogFacts(1)).compactionFailures;
const isMerged = async () => (await lake.catalog.segmentChanges(0)).added.some(({ level }) => level > 0);

test("a file that cannot be merged counts as a failure of that work, with the error", async () => {
  const [gone] = await fill();
  rmSync(join(lake.directory, `${gone}.parquet`));
  const beganAtMs = Date.now();
  const compactor = lake.compactor({ compactFanout: FANOUT });
  while (await compactor.step());
  const failed = await failures();
  expect(failed).toEqual([
    { kind: "events", failures: 1, lastAtMs: expect.any(Number), lastError: expect.any(String) },
  ]);
  expect(failed[0]!.lastAtMs).toBeGreaterThanOrEqual(beganAtMs);
  expect(failed[0]!.lastError).toContain(gone!);
});

test("work that fails is counted by what it was, and done in the end", async () => {
  await fill();
  // What a job and a look ask for first: each fails so often, and then never again.
  const left = { claimJob: 2, segmentChanges: 1 };
  const refused = (name: keyof typeof left) => {
    if (left[name] === 0) return false;
    left[name]--;
    return true;
  };
  const catalog: Catalog = {
    ...lake.catalog,
    claimJob: async (job) => {
      if (refused("claimJob")) throw new Error(`no job\nnow ${"x".repeat(1_000)}`);
      return lake.catalog.claimJob(job);
    },
    segmentChanges: async (since) => {
      if (refused("segmentChanges")) throw new Error("no look");
      return lake.catalog.segmentChanges(since);
    },
  };
  const told: string[] = [];
  const compactor = lake.compactor({ compactFanout: FANOUT }, { catalog, log: (message) => told.push(message) });
  const running = compactor.run();
  await until("a merge", HANG_MS, isMerged);
  compactor.stop();
  await running;
  const failed = await failures();
  expect(failed.map(({ kind, failures }) => [kind, failures])).toEqual([
    ["events", 2],
    ["look", 1],
  ]);
  expect(failed[0]!.lastError).toMatch(/^no job\nnow x{100,500}$/);
  expect(failed[1]!.lastError).toBe("no look");
  expect(told.filter((message) => message.includes("failed"))).toHaveLength(3);
});
