import { existsSync, readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { runSeeds } from "../simulation/manySeeds.ts";
import { currentCommit } from "./report.ts";

export interface SeedsOptions {
  seeds: number;
  /** The file of the runs before, which this one is added to; it goes on behind them. */
  file: string | undefined;
}

/** Seeds that were simulated with one commit: `from` … `to - 1`. */
export interface SeedsRun {
  commit: string;
  from: number;
  to: number;
  seconds: number;
  events: number;
  steps: number;
  faults: number;
  wrong: { seed: number; violation: string }[];
  /** Written by hand: what came of those that were wrong. */
  note?: string;
}

/** Simulates seeds that no run before has had. A wrong one is kept in the result, and makes the program fail. Throws when not all ran. */
export async function benchSeeds({ seeds, file }: SeedsOptions): Promise<object> {
  const before: SeedsRun[] = file !== undefined && existsSync(file) ? JSON.parse(readFileSync(file, "utf8")).runs : [];
  const from = before.at(-1)?.to ?? 0;
  const beganMs = performance.now();
  const report = await runSeeds(from, from + seeds, availableParallelism());
  if (report.seeds !== seeds) throw new Error(`too many seeds are wrong: ${report.seeds} of ${seeds} ran`);
  if (report.failures.length > 0) process.exitCode = 1;
  const run: SeedsRun = {
    commit: currentCommit(),
    ...{ from, to: from + seeds, seconds: Math.round((performance.now() - beganMs) / 1000) },
    ...{ events: report.events, steps: report.steps, wrong: report.failures },
    faults: Object.values(report.faults).reduce((sum, n) => sum + n, 0),
  };
  return { bench: "seeds", runs: [...before, run] };
}
