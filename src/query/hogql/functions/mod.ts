import { type At, errorAt, type HogqlError } from "../../shape/errors.ts";
import { nearest } from "../../shape/nearest.ts";
import { AGGREGATES } from "./aggregates.ts";
import { ARRAYS } from "./arrays.ts";
import { CALENDAR } from "./calendar.ts";
import { combined } from "./combinators.ts";
import { CONDITIONS } from "./conditions.ts";
import { CONVERSIONS } from "./conversions.ts";
import { DATES } from "./dates.ts";
import { JSONS } from "./json.ts";
import { NUMBERS } from "./numbers.ts";
import { PATTERNS } from "./patterns.ts";
import { PROPERTIES } from "./properties.ts";
import type { FunctionSpec } from "./spec.ts";
import { TEXTS } from "./texts.ts";
import { TUPLES } from "./tuples.ts";
import { URLS } from "./urls.ts";
import { WINDOWS } from "./windows.ts";

export { arithmetic } from "./arithmetic.ts";
export { COMBINATORS } from "./combinators.ts";
export { sameLength } from "./lambdas.ts";
export { ALL_ROWS, type CallContext, type FunctionSpec, type Rows } from "./spec.ts";

/** The functions of HogQL by what they are about. `scripts/docs` writes docs/hogql.md from these tables. */
export const FUNCTION_TABLES: Record<string, Record<string, FunctionSpec>> = {
  Conversions: CONVERSIONS,
  "Conditions and NULL": CONDITIONS,
  Numbers: NUMBERS,
  Texts: TEXTS,
  Patterns: PATTERNS,
  URLs: URLS,
  "Properties, for filters": PROPERTIES,
  Dates: DATES,
  Calendar: CALENDAR,
  JSON: JSONS,
  Arrays: ARRAYS,
  "Tuples and maps": TUPLES,
  Aggregates: AGGREGATES,
  Windows: WINDOWS,
};

/** Every function of HogQL, by its exact name. A Map, so that a name like `constructor` finds nothing. */
export const FUNCTIONS: ReadonlyMap<string, FunctionSpec> = new Map(
  Object.values(FUNCTION_TABLES).flatMap((table) => Object.entries(table)),
);

/** Names whose case does not matter. */
export const ANY_CASE = new Set([
  "count",
  "sum",
  "avg",
  "min",
  "max",
  "coalesce",
  "abs",
  "round",
  "floor",
  "ceil",
  "lower",
  "upper",
  "concat",
  "if",
  "now",
]);

function plain(name: string): FunctionSpec | undefined {
  return FUNCTIONS.get(name) ?? (ANY_CASE.has(name.toLowerCase()) ? FUNCTIONS.get(name.toLowerCase()) : undefined);
}

/**
 * A function by name: one of the table, or an aggregate with combinators (`sumIf`); null where there is none.
 * Errors: HogqlError for combinators that are refused.
 */
export function findFunction(name: string): FunctionSpec | null {
  return plain(name) ?? combined(name, plain);
}

export function unknownFunction({ name, ...at }: At & { name: string }): HogqlError {
  const near = nearest(name, [...FUNCTIONS.keys(), "arrayJoin", "matchesAction"]);
  const hint = near === null ? "" : `. Perhaps you meant '${near}(...)'?`;
  return errorAt(at, `Unsupported function call '${name.slice(0, 60)}(...)'${hint}`);
}
