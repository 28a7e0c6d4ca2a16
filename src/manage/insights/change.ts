import {
  addTile,
  changesBetween,
  createInsight,
  dashboardNames,
  findDashboard,
  findInsight,
  type Insight,
  tilesOfInsights,
  updateInsight,
  updateTile,
} from "../../metadata/mod.ts";
import type { Tx } from "../../store/mod.ts";
import type { JsonObject } from "../../types/mod.ts";
import { invalidField, notFound } from "../http/errors.ts";
import { mayDo, requireEditor } from "../serve/access.ts";
import { recordOf } from "../serve/activity.ts";
import type { EnvironmentCall } from "../serve/route.ts";
import { applyValues, type InsightValues, NEW_INSIGHT, patchInsight } from "./fields.ts";

/** Fields that the activity log speaks of. */
const LOGGED = [
  "name",
  "derived_name",
  "description",
  "filters",
  "query",
  "order",
  "deleted",
  "saved",
  "favorited",
  "tags",
  "dashboards",
];

/** Makes an insight and puts it on the dashboards named. Throws ApiError 400 for one that is not there. */
export async function addInsight(tx: Tx, call: EnvironmentCall, values: InsightValues): Promise<Insight> {
  const { environment, caller, nowMs } = call;
  const content = applyValues(NEW_INSIGHT, values);
  const insight = await createInsight(tx, { teamId: environment.id, userId: caller.user.id, content, nowMs });
  await placeOn(tx, call, insight, values.dashboards ?? []);
  // One without a name is a draft that clients make while they explore.
  if (nameOf(insight) !== null) await record(tx, call, insight, "created");
  return insight;
}

/**
 * Changes an insight, and with `dashboards` what it is shown on; both or neither. A deleted one leaves every
 * dashboard, and can only be brought back. Throws ApiError 400 and 404.
 */
export async function changeInsight(
  tx: Tx,
  call: EnvironmentCall,
  id: number,
  values: InsightValues,
  o: { restores: boolean },
): Promise<Insight> {
  const present = await findInsight(tx, call.environment.id, id);
  if (present === null || (present.deleted && !o.restores)) throw notFound();
  requireEditor(call.caller, present, "insight");
  const before = await loggedState(tx, present);
  const changed = patchInsight(present, values, call.caller.user.id, call.nowMs);
  await updateInsight(tx, changed);
  const wanted = changed.deleted ? [] : values.dashboards;
  if (wanted !== undefined) await placeOn(tx, call, changed, wanted);
  const changes = changesBetween("Insight", before, await loggedState(tx, changed), LOGGED);
  await record(tx, call, changed, "updated", changes);
  return changed;
}

/** Makes the live tiles of an insight those of the dashboards named. */
async function placeOn(
  tx: Tx,
  call: EnvironmentCall,
  insight: Insight,
  dashboardIds: readonly number[],
): Promise<void> {
  const tiles = await tilesOfInsights(tx, [insight.id]);
  const present = new Set(tiles.map((tile) => tile.dashboardId));
  const wanted = new Set(dashboardIds);
  for (const id of wanted) await requireDashboard(tx, call, id, { isChanged: !present.has(id) });
  for (const tile of tiles) {
    if (wanted.has(tile.dashboardId)) continue;
    const dashboard = await findDashboard(tx, insight.teamId, tile.dashboardId);
    // A list says nothing of what its sender cannot see. A deleted insight leaves all dashboards, whoever deletes it.
    if (!insight.deleted && dashboard !== null) {
      if (!mayDo(call.caller, dashboard, "viewer")) continue;
      requireEditor(call.caller, dashboard, "dashboard");
    }
    await updateTile(tx, { ...tile, deleted: true });
  }
  for (const dashboardId of wanted) {
    if (!present.has(dashboardId)) await addTile(tx, { dashboardId, insightId: insight.id });
  }
}

/** Throws ApiError 400 for a dashboard that is not there, 403 for one that the caller may not change. */
async function requireDashboard(tx: Tx, call: EnvironmentCall, id: number, o: { isChanged: boolean }): Promise<void> {
  const dashboard = await findDashboard(tx, call.environment.id, id);
  if (dashboard === null || dashboard.deleted || !mayDo(call.caller, dashboard, "viewer")) {
    throw invalidField("dashboards", "does_not_exist", `Invalid pk "${id}" - object does not exist.`);
  }
  if (o.isChanged) requireEditor(call.caller, dashboard, "dashboard");
}

async function loggedState(tx: Tx, insight: Insight): Promise<JsonObject> {
  const ids = (await tilesOfInsights(tx, [insight.id])).map((tile) => tile.dashboardId);
  const names = await dashboardNames(tx, insight.teamId, ids);
  const { name, description, filters, query, order, deleted, saved, favorited, tags } = insight;
  const dashboards = ids.map((id) => ({ id, name: names.get(id) ?? null }));
  const plain = { name, description, filters, query, order, deleted, saved, favorited, tags };
  return { ...plain, derived_name: insight.derivedName, dashboards };
}

/** What people know it by; null for a draft. */
export const nameOf = (insight: Insight): string | null => insight.name || insight.derivedName || null;

/** Notes what was done to an insight. */
export function record(
  tx: Tx,
  call: EnvironmentCall,
  insight: Insight,
  activity: string,
  changes: ReturnType<typeof changesBetween> | null = null,
): Promise<void> {
  const detail = { name: nameOf(insight), short_id: insight.shortId, changes };
  return recordOf(tx, call, { teamId: insight.teamId, scope: "Insight", itemId: String(insight.id), activity, detail });
}
