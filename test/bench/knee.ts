import { until } from "../support/processes.ts";
import { startWeir, type Weir } from "../support/weir.ts";
import { WEIR } from "./import.ts";
import { pace } from "./pace.ts";

/** What became of a load of one rate. */
interface KneeStep {
  eventsPerSecond: number;
  /** From the last event that was due until all were stored. */
  behindMs: number;
  /** Requests that were answered with 429 or 503. */
  refused: number;
}

export interface Knee {
  /** The first load whose backlog does not drain. */
  eventsPerSecond: number;
  steps: KneeStep[];
}

const FIRST_RATE = 8_000;
const FACTOR = 1.2;
const STEP_SECONDS = 60;
/** An event is stored about a second after it came. What takes longer than this is a backlog. */
const BEHIND_MAX_MS = 4_000;
const DRAIN_MS = 300_000;

/** Ever more events a second to one Weir, which compacts as always, until it falls behind. */
export async function findKnee(): Promise<Knee> {
  await using weir = await startWeir({ command: [WEIR, "start"] });
  const steps: KneeStep[] = [];
  for (let rate = FIRST_RATE; ; rate = Math.round(rate * FACTOR)) {
    const step = await tryRate(weir, rate);
    console.error(`${rate} events/s: stored ${step.behindMs} ms after the last one, ${step.refused} requests refused`);
    steps.push(step);
    if (step.refused > 0 || step.behindMs > BEHIND_MAX_MS) return { eventsPerSecond: rate, steps };
  }
}

async function tryRate(weir: Weir, eventsPerSecond: number): Promise<KneeStep> {
  const load = await pace(weir, eventsPerSecond, STEP_SECONDS);
  const dueAtMs = load.beganAtMs + STEP_SECONDS * 1_000;
  await until("all events to be stored", DRAIN_MS, async () => (await weir.ingestionStatus()).queued === 0);
  return { eventsPerSecond, behindMs: Math.max(0, Date.now() - dueAtMs), refused: load.refused };
}
