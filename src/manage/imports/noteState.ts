import { changesBetween, type ImportRecord, updateImport } from "../../metadata/mod.ts";
import type { EnvironmentCall } from "../serve/route.ts";
import { IMPORTS } from "./imports.ts";

/** Saves what the Weir itself says of the import that the path names, with the activity. Throws ApiError 404, and what `change` throws. */
export function noteState(
  call: EnvironmentCall,
  change: (before: ImportRecord) => ImportRecord,
): Promise<ImportRecord> {
  return call.deps.db.write(async (tx) => {
    const before = await IMPORTS.findToChange(tx, call);
    const after = await updateImport(tx, change(before), call.nowMs);
    const changes = changesBetween("Import", { state: before.state }, { state: after.state }, ["state"]);
    await IMPORTS.record(tx, call, after, "updated", changes);
    return after;
  });
}
