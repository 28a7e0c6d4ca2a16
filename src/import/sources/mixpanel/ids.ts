import type { JsonObject } from "../../../types/mod.ts";
import { canonicalJson, idOf, textOf } from "../../mapping/mod.ts";
import { uuidOf } from "../../uuid.ts";

/**
 * Whose event it is: `distinct_id`, else `$user_id`, else `$device_id`. `$distinct_id_before_identity` counts instead of a `distinct_id` that is
 * missing or of a device.
 */
export function distinctIdOf(row: JsonObject): string | null {
  const given = idOf(row.distinct_id);
  const before = idOf(row.$distinct_id_before_identity);
  if (before !== null && (given === null || isDevice(given))) return before;
  return given ?? idOf(row.$user_id) ?? idOf(row.$device_id);
}

/** Devices are `$device:…`, or have capital letters, digits and dashes only; digits alone may be a user. */
function isDevice(id: string): boolean {
  return id.startsWith("$device:") || (/^[A-Z0-9-]+$/.test(id) && /[A-Z]/.test(id));
}

/** The uuid of a row: of its `$insert_id`, in the namespace that PostHog uses; else of all it says. */
export function uuidOfRow(event: string, row: JsonObject): string {
  const insertId = textOf(row.$insert_id);
  return insertId === null ? uuidOf("weir/mixpanel", event, canonicalJson(row)) : uuidOf("posthog_mixpanel", insertId);
}
