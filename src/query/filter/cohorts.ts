import type { Json } from "../../types/mod.ts";
import { invalidQuery } from "../shape/errors.ts";
import { shown } from "../shape/shapes.ts";
import type { QueryContext } from "../source/context.ts";
import type { CohortRecord } from "../source/records.ts";

const TYPES: ReadonlySet<Json> = new Set(["cohort", "static-cohort", "precalculated-cohort"]);

/** Whether filters of this type name cohorts. */
export const isCohortType = (type: Json): boolean => TYPES.has(type);

/**
 * The cohort of an id (a number, or its text) in this project. Errors: TerminalError `invalid_query` that names it when
 * there is none.
 */
export function cohortOf(id: Json, context: QueryContext, place: string): CohortRecord {
  const number = typeof id === "string" && /^\d{1,15}$/.test(id) ? Number(id) : id;
  const cohort = typeof number === "number" ? context.records.cohort(number) : null;
  if (cohort === null) throw invalidQuery(place, `there is no cohort ${shown(id)}`);
  return cohort;
}
