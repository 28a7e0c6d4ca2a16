import { createHash } from "node:crypto";
import { ALL_NAMEABLE, type Environment, type Nameable } from "../../metadata/mod.ts";
import { ParsedQuery } from "../../query/mod.ts";
import type { Json, JsonObject } from "../../types/mod.ts";
import { isObject } from "../http/fields.ts";
import { settingOf } from "../settings/fields.ts";

/** Raised when the same query would be answered differently by newer code: old results are then not found. */
const RESULT_VERSION = 3;

/** The asker, as far as an answer depends on it; null for Weir itself. One without a user asks by a link. */
export type QuestionCaller = { nameable: Nameable; user?: { id: number } } | null;

/** A query node that is asked of an environment: all that its answer depends on besides what is stored. */
export interface Question {
  environment: Environment;
  query: ParsedQuery;
  /** Epoch milliseconds. */
  nowMs: number;
  /** Whether a test set that time. */
  hasTestClock: boolean;
  /** What it may name; of a kind that it does not name, everything. */
  nameable: Nameable;
  /** The same for equal questions of all callers and insights. */
  cacheKey: string;
}

export function questionOf(
  environment: Environment,
  node: JsonObject,
  asked: { nowMs: number; hasTestClock: boolean; caller: QuestionCaller },
): Question {
  const query = new ParsedQuery(node);
  const { nowMs, hasTestClock, caller } = asked;
  const nameable = caller === null ? ALL_NAMEABLE : namedIn(JSON.stringify(query.source), caller.nameable);
  const cacheKey = cacheKeyOf(environment, query.source, { nowMs, hasTestClock, nameable });
  return { environment, query, nowMs, hasTestClock, nameable, cacheKey };
}

/**
 * As much of it as a question may name, by its text: each way to name a cohort or an action has the word (a filter's type, a
 * breakdown's, `IN COHORT`, an `ActionsNode`, `matchesAction`). Filters of test accounts and other records may name everything, as
 * those that made them chose.
 */
export function namedIn(text: string, { cohorts, actions }: Nameable): Nameable {
  return {
    cohorts: /cohort/i.test(text) ? cohorts : null,
    actions: /ActionsNode|matchesAction|actionId|"actions"/i.test(text) ? actions : null,
  };
}

/** The environment's calendar at a moment, as the query layer wants it. */
export function calendarAt(environment: Environment, nowMs: number) {
  const weekStartDay: 0 | 1 = environment.weekStartDay === 1 ? 1 : 0;
  return { timezone: environment.timezone, weekStartDay, nowMs };
}

/** The environment's settings that change answers, besides its calendar. */
function querySettings(environment: Environment) {
  const extra = settingOf(environment, "extra_settings");
  return {
    testAccountFilters: settingOf(environment, "test_account_filters"),
    pathCleaningFilters: settingOf(environment, "path_cleaning_filters"),
    personDisplayNameProperties: textsOf(settingOf(environment, "person_display_name_properties")),
    aggregateByDistinctId: isObject(extra) && extra.aggregate_users_by_distinct_id === true,
  };
}

/** All of the environment that decides what a question means at a moment. */
export const askedAt = (environment: Environment, nowMs: number) => ({
  ...calendarAt(environment, nowMs),
  ...querySettings(environment),
});

/** The basis of the answer to a question; see `ParsedQuery.basis`. */
export const basisOf = ({ query, environment, nowMs }: Question): string | null =>
  query.basis(askedAt(environment, nowMs));

/** A list of texts that says something, else null. */
function textsOf(value: Json): string[] | null {
  const texts = Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
  return texts.length === 0 ? null : texts;
}

function cacheKeyOf(
  environment: Environment,
  source: JsonObject,
  { nowMs, hasTestClock, nameable }: Pick<Question, "nowMs" | "hasTestClock" | "nameable">,
): string {
  const { tags: _, ...query } = source;
  const parts: JsonObject = {
    version: RESULT_VERSION,
    team: environment.id,
    timezone: environment.timezone,
    weekStartDay: environment.weekStartDay,
    ...querySettings(environment),
    clock: hasTestClock ? nowMs : null,
    query,
    ...Object.fromEntries(Object.entries(nameable).filter(([, visible]) => visible !== null)),
  };
  return `cache_${createHash("sha256").update(sortedJson(parts)).digest("hex")}`;
}

/** JSON text that does not depend on the order of keys. */
function sortedJson(value: Json): string {
  return JSON.stringify(value, (_key, entry: Json) =>
    typeof entry === "object" && entry !== null && !Array.isArray(entry)
      ? Object.fromEntries(Object.entries(entry).sort(([a], [b]) => (a < b ? -1 : 1)))
      : entry,
  );
}
