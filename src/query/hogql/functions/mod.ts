import { HogqlError } from "../../errors.ts";
import { nearest } from "../nearest.ts";
import { AGGREGATES } from "./aggregates.ts";
import { ARRAYS, JSONS } from "./collections.ts";
import { CONDITIONS } from "./conditions.ts";
import { CONVERSIONS } from "./conversions.ts";
import { DATES } from "./dates.ts";
import { NUMBERS } from "./numbers.ts";
import type { FunctionSpec } from "./spec.ts";
import { TEXTS } from "./texts.ts";

export { intervalOf, shift } from "./dates.ts";
export type { CallContext, FunctionSpec } from "./spec.ts";

/** Every function that HogQL has here, by its exact name. A Map: names like `constructor` are none. */
const FUNCTIONS = new Map<string, FunctionSpec>(
  Object.entries({ ...CONVERSIONS, ...CONDITIONS, ...NUMBERS, ...TEXTS, ...DATES, ...JSONS, ...ARRAYS, ...AGGREGATES }),
);

/** Names whose case does not matter. */
const ANY_CASE = new Set([
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

/** A function by name; `takesFilter` for the `…If` form of an aggregate, whose last argument is the condition. */
export function findFunction(name: string): { spec: FunctionSpec; takesFilter: boolean } | null {
  const spec =
    FUNCTIONS.get(name) ?? (ANY_CASE.has(name.toLowerCase()) ? FUNCTIONS.get(name.toLowerCase()) : undefined);
  if (spec !== undefined) return { spec, takesFilter: false };
  const base = name.endsWith("If") ? FUNCTIONS.get(name.slice(0, -2)) : undefined;
  return base?.isAggregate ? { spec: base, takesFilter: true } : null;
}

export function unknownFunction(name: string, start: number | null, end: number | null): HogqlError {
  const near = nearest(name, FUNCTIONS.keys());
  const hint = near === null ? "" : ` Perhaps you meant '${near}(...)'?`;
  return new HogqlError(`Unsupported function call '${name}(...)'${near === null ? "" : "."}${hint}`, start, end);
}
