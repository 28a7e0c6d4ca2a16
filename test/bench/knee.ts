import { until } from "../support/processes.ts";
import { startWeir, type Weir } from "../support/weir.ts";
import { QUIET_MS, untilCompacted } from "./compaction.ts";
import { WEIR } from "./import.ts";
import { pace } from "./pace.ts";

/** What became of a load of one rate. */
interface KneeStep {
  eventsPerSecond: number;
  /** From the last event that was due until all were stored. */
  behindMs: number;
  /** From then until nothing was left to compact. */
  compactingMs: number;
  /** Requests that were answered with 429 or 503. */
  refused: number;
}

export interface Knee {
  /** The first load whose backlog does not drain. */
  eventsPerSecond: number;
  steps: KneeStep[];
}

const FIRST_RATE = 9_000;
const FACTOR = 1.25;
const STEP_SECONDS = 60;
/** An event is stored about a second after it came. What takes longer than this is a backlog. */
const BEHIND_MAX_MS = 4_000;
/** A large job, of ten seconds, may just have begun. What takes longer than this is a backlog of files, which a longer load would let grow. */
const COMPACTING_MAX_MS = 15_000;
const DRAIN_MS = 300_000;

/** Ever more events a second to one Weir, until it falls behind: events wait to be stored, or files to be compacted. */
export async function findKnee(): Promise<Knee> {
  await using weir = await startWeir({ command: [WEIR, "start"] });
  const steps: KneeStep[] = [];
  for (let rate = FIRST_RATE; ; rate = Math.round(rate * FACTOR)) {
    const step = await tryRate(weir, rate);
    console.error(JSON.stringify(step));
    steps.push(step);
    const hasDrained = step.behindMs <= BEHIND_MAX_MS && step.compactingMs <= COMPACTING_MAX_MS;
    if (step.refused > 0 || !hasDrained) return { eventsPerSecond: rate, steps };
  }
}

async function tryRate(weir: Weir, eventsPerSecond: number): Promise<KneeStep> {
  const load = await pace(weir, eventsPerSecond, STEP_SECONDS);
  const dueAtMs = load.beganAtMs + STEP_SECONDS * 1_000;
  await until("all events to be stored", DRAIN_MS, async () => (await weir.ingestionStatus()).queued === 0);
  const storedAtMs = Date.now();
  const behindMs = Math.max(0, storedAtMs - dueAtMs);
  await untilCompacted(weir);
  return { eventsPerSecond, behindMs, compactingMs: Date.now() - storedAtMs - QUIET_MS, refused: load.refused };
}
