import { type Dashboard, findInsights, tilesOfInsights } from "../../metadata/mod.ts";
import type { Tx } from "../../store/mod.ts";
import { invalidField, permissionDenied } from "../http/errors.ts";
import { INSIGHTS } from "../insights/resource.ts";
import { mayDo } from "../serve/access.ts";
import { hasScope } from "../serve/guard.ts";
import type { EnvironmentCall } from "../serve/route.ts";
import { holdInsights } from "./content.ts";

/**
 * Deletes the insights of a dashboard that goes, but for those on other dashboards and those that are closed to the caller. They are brought back
 * one by one. Throws ApiError 400 where the dashboard stays, and 403 for an insight that the caller may not change.
 */
export async function deleteInsights(
  tx: Tx,
  call: EnvironmentCall,
  { before, after }: { before: Dashboard; after: Dashboard },
): Promise<void> {
  if (before.deleted || !after.deleted) {
    throw invalidField("delete_insights", "invalid_input", "It goes with `deleted`: true.");
  }
  if (!hasScope(call.caller.grant, "insight:write")) throw permissionDenied("It takes the scope insight:write.");
  const ids = await holdInsights(tx, after);
  const places = Map.groupBy(await tilesOfInsights(tx, ids), ({ insightId }) => insightId);
  for (const insight of await findInsights(tx, after.teamId, ids)) {
    const isElsewhere = (places.get(insight.id) ?? []).length > 1;
    if (isElsewhere || insight.deleted || !mayDo(call.caller, "insight", insight, "viewer")) continue;
    await INSIGHTS.changeRecord(tx, call, insight, { deleted: true });
  }
}
