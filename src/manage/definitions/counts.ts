import { definitionsCountedAt, queriesInUse, storeDefinitionCounts } from "../../metadata/mod.ts";
import { eventVolumes } from "../../query/mod.ts";
import { DAY_MS, describeError } from "../../types/mod.ts";
import type { ManageDeps } from "../serve/deps.ts";
import type { EnvironmentCall } from "../serve/route.ts";
import { propertyPlace, usesIn } from "./uses.ts";

const COUNTED_DAYS = 30;
/** Counts this old are counted again behind an answer; older ones before it. */
const FRESH_MS = 5 * 60_000;
const KEPT_MS = 60 * 60_000;
/** No list waits longer for them. */
const WAIT_MS = 2_000;

/** Projects that are counted now, of each service in this process. */
const RUNNING = new WeakMap<ManageDeps, Map<number, Promise<void>>>();

/**
 * Sees to it that the definitions of a project have counts that are not too old. A failure leaves the counts as they are, and is
 * told in the log.
 */
export async function refreshCounts(call: EnvironmentCall): Promise<void> {
  const { deps, environment } = call;
  const ageMs = deps.now() - (await deps.db.read((tx) => definitionsCountedAt(tx, environment.id)));
  if (ageMs <= FRESH_MS) return;
  const counted = count(call).catch((error: unknown) =>
    deps.log(`definitions of ${environment.id} cannot be counted: ${describeError(error)}`),
  );
  if (ageMs > KEPT_MS) await atMost(WAIT_MS, counted);
}

/** Waits for a promise, but not for ever. */
async function atMost(ms: number, promise: Promise<unknown>): Promise<void> {
  const { promise: end, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  await Promise.race([promise, end]);
  clearTimeout(timer);
}

function count(call: EnvironmentCall): Promise<void> {
  const { deps, environment } = call;
  const running = RUNNING.get(deps) ?? new Map<number, Promise<void>>();
  RUNNING.set(deps, running);
  const present = running.get(environment.id);
  if (present !== undefined) return present;
  const counted = countNow(call).finally(() => running.delete(environment.id));
  running.set(environment.id, counted);
  return counted;
}

async function countNow({ deps, environment }: EnvironmentCall): Promise<void> {
  const nowMs = deps.now();
  // Others may wait for it, so it does not end with the request.
  const request = { signal: new AbortController().signal };
  const context = await deps.queries.calculator.contextNow({ environment, nowMs, request });
  const volumes = await eventVolumes(COUNTED_DAYS, context);
  const queries = await deps.db.read((tx) => queriesInUse(tx, environment.id, nowMs - COUNTED_DAYS * DAY_MS));
  const { events: eventUses, properties: propertyUses } = usesIn(queries);
  const counts = { volumes, eventUses, propertyUses, placeOf: propertyPlace };
  await deps.db.write((tx) => storeDefinitionCounts(tx, environment.id, counts, nowMs));
}
