import { addTile, createInsight, recordActivity } from "../../metadata/mod.ts";
import type { Tx } from "../../store/mod.ts";
import { NEW_INSIGHT } from "../insights/fields.ts";
import type { Who } from "../serve/activity.ts";
import type { TemplateTile } from "./templates.ts";

/** Makes the insights of a template and puts them on a dashboard. `userId`: in whose name. */
export async function fillDashboard(
  tx: Tx,
  who: Who,
  o: { teamId: number; dashboardId: number; userId: number; tiles: readonly TemplateTile[] },
): Promise<void> {
  const { teamId, dashboardId, userId } = o;
  for (const { name, description, query, place } of o.tiles) {
    const content = { ...NEW_INSIGHT, name, description, query, saved: true, isSample: true };
    const insight = await createInsight(tx, { teamId, userId, content, nowMs: who.atMs });
    await addTile(tx, { dashboardId, insightId: insight.id, layouts: { sm: { ...place } } });
    const detail = { name, short_id: insight.shortId, changes: null };
    const item = { teamId, scope: "Insight" as const, itemId: String(insight.id) };
    await recordActivity(tx, { ...item, activity: "created", detail, ...who });
  }
}
