import type { ManageDeps } from "../serve/deps.ts";
import type { EnvironmentCall } from "../serve/route.ts";

/** The keys of the newest events of some names. */
const QUERY = `SELECT DISTINCT arrayJoin(JSONExtractKeys(properties)) AS key FROM (
  SELECT properties FROM events WHERE event IN {names} AND timestamp > now() - INTERVAL 30 DAY
  ORDER BY timestamp DESC LIMIT 500
) ORDER BY key LIMIT 2000`;

const KEPT_MS = 5 * 60_000;
/** Questions whose answers are kept. */
const KEPT = 500;

interface Kept {
  atMs: number;
  keys: readonly string[];
}
const ANSWERS = new WeakMap<ManageDeps, Map<string, Kept>>();

/**
 * Names of the properties that the newest 500 events of these names in the last 30 days have, some minutes old. Errors: those of
 * `runQuery`.
 */
export async function keysOfEvents(call: EnvironmentCall, names: readonly string[]): Promise<readonly string[]> {
  const { deps, environment } = call;
  if (names.length === 0) return [];
  const answers = ANSWERS.get(deps) ?? new Map<string, Kept>();
  ANSWERS.set(deps, answers);
  const question = JSON.stringify([environment.id, [...names].sort()]);
  const present = answers.get(question);
  if (present !== undefined && deps.now() - present.atMs < KEPT_MS) return present.keys;
  const node = { kind: "HogQLQuery", query: QUERY, values: { names: [...names] } };
  const { results } = await deps.queries.calculator.look(call, node);
  const keys = (results as unknown[][]).map(([key]) => String(key));
  answers.delete(question);
  answers.set(question, { atMs: deps.now(), keys });
  if (answers.size > KEPT) answers.delete(answers.keys().next().value!);
  return keys;
}
