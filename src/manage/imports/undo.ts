import { changesBetween, type ImportState, updateImport } from "../../metadata/mod.ts";
import { requireLevel } from "../serve/guard.ts";
import type { EnvironmentCall } from "../serve/route.ts";
import { IMPORT, IMPORTS } from "./imports.ts";

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
  const { id, teamId } = await note(call, "undoing");
  await call.deps.people.eraseImport({ teamId, importId: id });
  return IMPORTS.reply(call, await note(call, "undone"), null);
}

function note(call: EnvironmentCall, state: ImportState) {
  return call.deps.db.write(async (tx) => {
    const before = await IMPORTS.findToChange(tx, call);
    const after = await updateImport(tx, { ...before, state, error: null }, call.nowMs);
    const changes = changesBetween("Import", { state: before.state }, { state }, ["state"]);
    await IMPORTS.record(tx, call, after, "updated", changes);
    return after;
  });
}
