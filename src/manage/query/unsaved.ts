import type { QueryRecords } from "../../query/mod.ts";
import { type Json, type JsonObject, TerminalError } from "../../types/mod.ts";
import { invalidField } from "../http/errors.ts";
import { actionStep } from "./records.ts";

/** The id by which a question names what is not saved; no record has it. */
export const UNSAVED = 0;

/** Records with a cohort that is not saved. Its filters name what a question of the same asker may name. */
export function withCohort(records: QueryRecords, properties: Json): QueryRecords {
  const cohort = { id: UNSAVED, name: "", isStatic: false, properties, personIds: [] };
  return { ...records, inside: records, cohort: (id) => (id === UNSAVED ? cohort : records.cohort(id)) };
}

/** Records with an action that is not saved; the same holds for its steps. */
export function withAction(records: QueryRecords, steps: readonly JsonObject[]): QueryRecords {
  const action = { id: UNSAVED, name: "", steps: steps.map(actionStep) };
  return { ...records, inside: records, action: (id) => (id === UNSAVED ? action : records.action(id)) };
}

/** The error of a question about what is not saved, as one of its field. */
export function ofField(error: unknown, field: string): unknown {
  if (!(error instanceof TerminalError) || error.code !== "invalid_query") return error;
  return invalidField(field, "invalid_input", error.message.replace(/^(cohort|action) 0\.?/, ""));
}
