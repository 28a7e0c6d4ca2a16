import type { Json, JsonObject } from "../../types/mod.ts";
import type { ManageDeps } from "../serve/deps.ts";
import type { EnvironmentCall } from "../serve/route.ts";

/** The condition that an event has one of some names, which are the values `n0`, `n1`, … */
const isNamed = (names: readonly string[]): string => `(${names.map((_, i) => `event = {n${i}}`).join(" OR ")})`;

/** Properties are long, so the time of the oldest event whose properties are read is found without them. */
const oldestQuery = (names: readonly string[]): string => `SELECT min(at) FROM (
  SELECT timestamp AS at FROM events WHERE ${isNamed(names)} AND timestamp > now() - INTERVAL 30 DAY
  ORDER BY timestamp DESC LIMIT 500
)`;

const keysQuery = (names: readonly string[]): string => `SELECT DISTINCT arrayJoin(JSONExtractKeys(properties)) AS key
FROM (SELECT properties FROM events WHERE ${isNamed(names)} AND timestamp >= {oldest} LIMIT 500)
ORDER BY key LIMIT 2000`;

/** Names of one question; those behind are not looked at. */
const NAMES_MAX = 50;
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
export async function keysOfEvents(call: EnvironmentCall, asked: readonly string[]): Promise<readonly string[]> {
  const { deps, environment } = call;
  const names = asked.slice(0, NAMES_MAX);
  if (names.length === 0) return [];
  const answers = ANSWERS.get(deps) ?? new Map<string, Kept>();
  ANSWERS.set(deps, answers);
  const question = JSON.stringify([environment.id, [...names].sort()]);
  const present = answers.get(question);
  if (present !== undefined && deps.now() - present.atMs < KEPT_MS) return present.keys;
  const keys = await readKeys(call, names);
  answers.delete(question);
  answers.set(question, { atMs: deps.now(), keys });
  if (answers.size > KEPT) answers.delete(answers.keys().next().value!);
  return keys;
}

async function readKeys(call: EnvironmentCall, names: readonly string[]): Promise<string[]> {
  const ask = async (query: string, values: JsonObject) => {
    const { results } = await call.deps.queries.calculator.look(call, { kind: "HogQLQuery", query, values });
    return results as Json[][];
  };
  const values = Object.fromEntries(names.map((name, i) => [`n${i}`, name]));
  const [oldest] = await ask(oldestQuery(names), values);
  if (oldest?.[0] == null) return [];
  const rows = await ask(keysQuery(names), { ...values, oldest: oldest[0] });
  return rows.map(([key]) => String(key));
}
