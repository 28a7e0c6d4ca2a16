import { type FaultsReport, runFaults } from "../faults/run.ts";

/** A cluster under load that is hurt in every way of test/faults; throws where something is lost, stored twice or out of order. */
export async function benchFaults({ only }: { only: string }): Promise<{ bench: "faults" } & FaultsReport> {
  const report = await runFaults({ only });
  for (const { fault, lost, twice, foreign, outOfOrder } of [...report.faults, { fault: "all", ...report.all }]) {
    if (lost + twice + foreign + outOfOrder === 0) continue;
    throw new Error(`${fault}: ${JSON.stringify({ lost, twice, foreign, outOfOrder })}`);
  }
  return { bench: "faults", ...report };
}
