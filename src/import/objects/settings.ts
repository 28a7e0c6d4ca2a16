import type { JsonObject } from "../../types/mod.ts";
import { ApiRefused } from "../api/mod.ts";
import type { Around } from "./definitions.ts";
import { fingerprint, PRIMARY_DASHBOARD, SETTINGS } from "./members.ts";
import { referencesIn, withIds } from "./references.ts";

const KIND = "setting";

/** Settings of the project. What nobody has set here is taken; what is set otherwise is told. */
export async function bringSettings(
  from: JsonObject,
  o: Around & { dashboards: (id: number) => number | null },
): Promise<void> {
  const { api, reporting, overwrite, resolve } = o;
  const project = await api.object("");
  for (const [name, value] of Object.entries(wantedOf(from, o.dashboards))) {
    const note = (outcome: "changed" | "left_out", reason: string) =>
      reporting.note({ kind: KIND, id: null, name, outcome, reason });
    const missing = referencesIn(value).filter(({ kind, id }) => resolve(kind, id) === null);
    if (missing.length > 0) {
      note("left_out", `it refers to ${missing.map(({ kind, id }) => `${kind} ${id}`).join(", ")}, which is not here`);
      continue;
    }
    const wanted = withIds(value, resolve);
    const present = project[name] ?? null;
    if (fingerprint(wanted) === fingerprint(present)) {
      reporting.count(KIND, "same");
      continue;
    }
    const isUnset = (SETTINGS[name] ?? [null]).some((unset) => fingerprint(unset) === fingerprint(present));
    if (!isUnset && !overwrite) {
      note("changed", "it is set otherwise here, and stays");
      continue;
    }
    try {
      await api.send("PATCH", "", { [name]: wanted });
      reporting.count(KIND, isUnset ? "added" : "overwritten");
    } catch (error) {
      if (!(error instanceof ApiRefused) || error.status >= 500) throw error;
      note("left_out", `Weir refuses it: ${error.detail}`);
    }
  }
}

/** Those that say more than that nothing was set. */
function wantedOf(from: JsonObject, dashboards: (id: number) => number | null): JsonObject {
  const wanted: JsonObject = {};
  for (const [name, value] of Object.entries(from)) {
    if (name === PRIMARY_DASHBOARD) continue;
    const isUnset = (SETTINGS[name] ?? []).some((unset) => fingerprint(unset) === fingerprint(value));
    if (!isUnset) wanted[name] = value;
  }
  const primary = dashboards(Number(from[PRIMARY_DASHBOARD]));
  if (primary !== null) wanted[PRIMARY_DASHBOARD] = primary;
  return wanted;
}
