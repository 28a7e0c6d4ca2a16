import type { Asker, WorkQueue, WorkQueueOptions } from "../../stream/mod.ts";
import { Calculator, type CalculatorParts } from "./calculator.ts";
import { Cancels } from "./cancels.ts";
import { JOB_KEPT_MS, Jobs } from "./jobs.ts";
import { RemoteAsker } from "./remoteAsker.ts";

/** How queries are answered in one process. */
export interface Queries {
  calculator: Calculator;
  jobs: Jobs;
  cancels: Cancels;
  /** What asks other processes; null in one that asks none. */
  remote: RemoteAsker | null;
  /** Questions that this process has answered from kept results, and those that it had to calculate. */
  cacheUse: { hits: number; misses: number };
}

/** The work queue of background queries: a process that is silent for `ackWaitMs` has died. */
export const QUERY_QUEUE: Omit<WorkQueueOptions, "log"> = { name: "queries", ackWaitMs: 5_000, maxAgeMs: JOB_KEPT_MS };

interface QueriesParts extends Omit<CalculatorParts, "remote"> {
  queue: Pick<WorkQueue, "put">;
  /** Of processes that calculate for this one; null for one that asks none. */
  asker?: Asker | null;
}

export function openQueries({ asker = null, ...parts }: QueriesParts): Queries {
  const remote = asker === null ? null : new RemoteAsker({ ...parts, asker });
  const calculator = new Calculator({ ...parts, remote });
  const cancels = new Cancels(parts);
  const jobs = new Jobs({ ...parts, calculator, cancels });
  return { calculator, cancels, remote, cacheUse: { hits: 0, misses: 0 }, jobs };
}
