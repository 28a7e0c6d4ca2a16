import { definitionsCountedAt, queriesInUse, storeDefinitionCounts } from "../../metadata/mod.ts";
import { eventVolumes } from "../../query/mod.ts";
import { DAY_MS, describeError, requestIdOf } from "../../types/mod.ts";
import type { ManageDeps } from "../serve/deps.ts";
import type { EnvironmentCall } from "../serve/route.ts";
import { propertyPlace, usesIn } from "./uses.ts";

const COUNTED_DAYS = 30;
/** Counts this old are counted again behind an answer; older ones before it. */
const FRESH_MS = 5 * 60_000;
const KEPT_MS = 60 * 60_000;
/** No list waits longer for them. */
const WAIT_MS = 2_000;

/** The pause after a failure; twice as long after each further one. */
const FIRST_PAUSE_MS = 60_000;
const LONGEST_PAUSE_MS = DAY_MS;

interface Counting {
  /** While the project is counted. */
  running: Promise<void> | null;
  /** One after the other, without a success since. */
  failures: number;
  /** After a failure nothing is counted before. */
  notBeforeMs: number;
}

/** The projects of each service in this process. */
const COUNTINGS = new WeakMap<ManageDeps, Map<number, Counting>>();

/**
 * Sees to it that the definitions of a project have counts that are not too old. A failure leaves the counts as they are, is told
 * in the log, and is tried again after a pause.
 */
export async function refreshCounts(call: EnvironmentCall): Promise<void> {
  const { deps, environment } = call;
  const ageMs = deps.now() - (await deps.db.read((tx) => definitionsCountedAt(tx, environment.id)));
  if (ageMs <= FRESH_MS) return;
  const counted = count(call);
  if (counted !== null && ageMs > KEPT_MS) await atMost(WAIT_MS, counted);
}

/** Waits for a promise, but not for ever. */
async function atMost(ms: number, promise: Promise<unknown>): Promise<void> {
  const { promise: end, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  await Promise.race([promise, end]);
  clearTimeout(timer);
}

/** Resolves when the project is counted, or could not be; null during the pause after a failure. */
function count(call: EnvironmentCall): Promise<void> | null {
  const { deps, environment } = call;
  const projects = COUNTINGS.get(deps) ?? new Map<number, Counting>();
  COUNTINGS.set(deps, projects);
  const counting = projects.get(environment.id) ?? { running: null, failures: 0, notBeforeMs: 0 };
  projects.set(environment.id, counting);
  if (counting.running === null && deps.now() < counting.notBeforeMs) return null;
  counting.running ??= countNow(call)
    .then(() => {
      projects.delete(environment.id);
    })
    .catch((error: unknown) => {
      deps.log(
        `definitions of ${environment.id} cannot be counted: ${describeError(error)}`,
        requestIdOf(call.request),
      );
      counting.running = null;
      counting.notBeforeMs = deps.now() + Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** counting.failures++);
    });
  return counting.running;
}

async function countNow({ deps, environment }: EnvironmentCall): Promise<void> {
  const nowMs = deps.now();
  // Others may wait for it, so it does not end with the request.
  const request = { signal: new AbortController().signal };
  const context = await deps.queries.calculator.contextNow({ environment, caller: null, nowMs, request });
  const volumes = await eventVolumes(COUNTED_DAYS, context);
  const queries = await deps.db.read((tx) => queriesInUse(tx, environment.id, nowMs - COUNTED_DAYS * DAY_MS));
  const { events: eventUses, properties: propertyUses } = usesIn(queries);
  const counts = { volumes, eventUses, propertyUses, placeOf: propertyPlace };
  await deps.db.write((tx) => storeDefinitionCounts(tx, environment.id, counts, nowMs));
}
