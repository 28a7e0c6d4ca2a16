import type { ImportRecord } from "../../metadata/mod.ts";
import { requireLevel } from "../serve/guard.ts";
import type { EnvironmentCall } from "../serve/route.ts";
import { IMPORT, IMPORTS } from "./imports.ts";
import { noteState } from "./noteState.ts";

/** `imports/:id/undo/`. */
export const undoRoute = {
  method: "POST",
  path: "imports/:id/undo/",
  summary: "Delete the events of an import; needs the level `admin`. Queries see none of them when it answers",
  scope: "batch_import:write",
  responses: { 200: IMPORT },
  handle: undo,
} as const;

/**
 * The record says first that it is undone: an importer that still runs is refused from then on. After a failure in between the same
 * request goes on.
 */
async function undo(call: EnvironmentCall): Promise<Response> {
  // Events that are deleted cannot be had back.
  requireLevel(call.caller, "admin");
  const { id, teamId } = await noteState(call, (before) => withoutRows({ ...before, state: "undoing", error: null }));
  await call.deps.people.eraseImport({ teamId, importId: id });
  const after = await noteState(call, (before) => ({ ...before, state: "undone", error: null }));
  return IMPORTS.reply(call, after, null);
}

/** Nothing of the history stays, its rejected rows neither. */
function withoutRows({ counts: { rejectExamples: _, ...counts }, ...record }: ImportRecord): ImportRecord {
  return { ...record, counts };
}
