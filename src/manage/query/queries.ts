import type { WorkQueue, WorkQueueOptions } from "../../stream/mod.ts";
import { Calculator, type CalculatorParts } from "./calculator.ts";
import { Cancels } from "./cancels.ts";
import { JOB_KEPT_MS, Jobs } from "./jobs.ts";

/** How queries are answered in one process. */
export interface Queries {
  calculator: Calculator;
  jobs: Jobs;
  cancels: Cancels;
  /** Questions that this process has answered from kept results, and those that it had to calculate. */
  cacheUse: { hits: number; misses: number };
}

/** The work queue of background queries: a process that is silent for `ackWaitMs` has died. */
export const QUERY_QUEUE: Omit<WorkQueueOptions, "log"> = { name: "queries", ackWaitMs: 5_000, maxAgeMs: JOB_KEPT_MS };

export function openQueries(parts: CalculatorParts & { queue: Pick<WorkQueue, "put"> }): Queries {
  const calculator = new Calculator(parts);
  const cancels = new Cancels(parts);
  return { calculator, cancels, cacheUse: { hits: 0, misses: 0 }, jobs: new Jobs({ ...parts, calculator, cancels }) };
}
