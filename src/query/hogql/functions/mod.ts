import { HogqlError } from "../../errors.ts";
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
  const near = nearest(name);
  const hint = near === null ? "" : ` Perhaps you meant '${near}(...)'?`;
  return new HogqlError(`Unsupported function call '${name}(...)'${near === null ? "" : "."}${hint}`, start, end);
}

/** The known name with the fewest changed letters, where few enough. */
function nearest(name: string): string | null {
  const limit = Math.min(3, Math.ceil(name.length / 3));
  let best: string | null = null;
  let least = limit + 1;
  if (name.length > 50) return null;
  for (const known of FUNCTIONS.keys()) {
    const changes = distance(name.toLowerCase(), known.toLowerCase());
    if (changes < least) [best, least] = [known, changes];
  }
  return best;
}

/** Letters to insert, delete, change or swap with their neighbour to get from a to b. */
function distance(a: string, b: string): number {
  const rows = [Array.from({ length: b.length + 1 }, (_, i) => i)];
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const changed = rows[i - 1]![j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swapped = isSwap ? rows[i - 2]![j - 2]! + 1 : changed;
      row.push(Math.min(changed, swapped, rows[i - 1]![j]! + 1, row[j - 1]! + 1));
    }
    rows.push(row);
  }
  return rows[a.length]![b.length]!;
}
