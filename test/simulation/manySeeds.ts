import { join } from "node:path";
import { FaultCounts } from "./faults.ts";
import type { SeedsReport } from "./runSeeds.ts";

/** The compiler for the hottest code takes more processor time here than it saves. */
const CHEAPER = { BUN_JSC_useFTLJIT: "0" };

/** Simulates the seeds `from` … `to - 1` in several processes; gives their reports added up. Throws when one of them fails. */
export async function runSeeds(from: number, to: number, processes: number): Promise<SeedsReport> {
  const share = Math.ceil((to - from) / processes);
  const runs = Array.from({ length: processes }, async (_, i): Promise<SeedsReport> => {
    const range = [from + i * share, Math.min(to, from + (i + 1) * share)].map(String);
    const child = Bun.spawn([process.execPath, join(import.meta.dir, "runSeeds.ts"), ...range], {
      stdout: "pipe",
      stderr: "inherit",
      env: { ...process.env, ...CHEAPER },
    });
    const text = await new Response(child.stdout).text();
    if ((await child.exited) !== 0) throw new Error(`the seeds from ${range.join(" to ")} did not run`);
    return JSON.parse(text) as SeedsReport;
  });
  const reports = await Promise.all(runs);
  const faults = new FaultCounts();
  for (const report of reports) faults.addAll(report.faults);
  const sum = (of: "seeds" | "events" | "steps") => reports.reduce((total, report) => total + report[of], 0);
  return {
    ...{ seeds: sum("seeds"), events: sum("events"), steps: sum("steps"), faults: faults.toJSON() },
    failures: reports.flatMap((report) => report.failures),
    poor: reports.flatMap((report) => report.poor),
  };
}
