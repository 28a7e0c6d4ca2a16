import { expect, test } from "bun:test";
import { join } from "node:path";
import { FAULTS, FaultCounts } from "./faults.ts";
import type { SeedsReport } from "./runSeeds.ts";
import { simulate } from "./simulation.ts";

/** WEIR_SIMULATION_SEEDS runs more or fewer, WEIR_SIMULATION_FROM others. */
const SEEDS = Number(process.env.WEIR_SIMULATION_SEEDS ?? 4_500);
const FROM = Number(process.env.WEIR_SIMULATION_FROM ?? 0);
const PROCESSES = 2;
/** The compiler for the hottest code takes more processor time here than it saves. */
const CHEAPER = { BUN_JSC_useFTLJIT: "0" };
const TIME_LIMIT_MS = 900_000;

test(
  `${SEEDS} seeds: no promise is broken, whatever goes wrong`,
  async () => {
    const share = Math.ceil(SEEDS / PROCESSES);
    const runs = Array.from({ length: PROCESSES }, async (_, i): Promise<SeedsReport> => {
      const range = [FROM + i * share, FROM + Math.min(SEEDS, (i + 1) * share)].map(String);
      const child = Bun.spawn([process.execPath, join(import.meta.dir, "runSeeds.ts"), ...range], {
        stdout: "pipe",
        stderr: "inherit",
        env: { ...process.env, ...CHEAPER },
      });
      const text = await new Response(child.stdout).text();
      expect(await child.exited).toBe(0);
      return JSON.parse(text) as SeedsReport;
    });
    const reports = await Promise.all(runs);
    const faults = new FaultCounts();
    for (const report of reports) faults.addAll(report.faults);
    console.log(FAULTS.map((fault) => `${String(faults.of(fault)).padStart(8)}  ${fault}`).join("\n"));
    for (const { seed, violation } of reports.flatMap((report) => report.failures)) {
      console.log(`bun test/simulation/replay.ts ${seed} --trace\n  ${violation}`);
    }
    expect(reports.flatMap((report) => report.failures)).toEqual([]);
    expect(reports.reduce((sum, report) => sum + report.seeds, 0)).toBe(SEEDS);
    expect(reports.flatMap((report) => report.poor)).toEqual([]);
    expect(FAULTS.filter((fault) => faults.of(fault) === 0)).toEqual([]);
  },
  TIME_LIMIT_MS,
);

test("a seed gives the same run again", () => {
  const [once, again] = [simulate(7, { isTraced: true }), simulate(7, { isTraced: true })];
  expect(once.steps).toBeGreaterThan(100);
  expect(again).toEqual(once);
});
