import { ingestOnce } from "./ingest.ts";

export interface ScalingOptions {
  events: number;
  connections: number;
}

const WORKERS = [1, 2, 4, 8];
const PARTITIONS = [16, 64];

/** The same events to fresh Weirs of more and more workers and partitions, in one run. */
export async function benchScaling(o: ScalingOptions): Promise<object> {
  const runs = [];
  for (const partitions of PARTITIONS) {
    for (const workers of WORKERS) {
      const run = await ingestOnce({ ...o, workers, partitions });
      console.error(`${partitions} partitions, ${workers} workers: ${run.eventsPerSecond} events/s`);
      runs.push({ partitions, workers, workersCpuUsPerEvent: cpuOfWorkers(run.cpuUsPerEvent), ...run });
    }
  }
  return { bench: "scaling", ...o, runs };
}

/** Of all workers together. */
function cpuOfWorkers(cpuUsPerEvent: Record<string, number>): number {
  const own = Object.entries(cpuUsPerEvent).filter(([role]) => role.startsWith("worker-"));
  return Math.round(own.reduce((sum, [, us]) => sum + us, 0) * 10) / 10;
}
