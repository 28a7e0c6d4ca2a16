import {
  addTextTile,
  addTile,
  createInsight,
  type Dashboard,
  findDashboard,
  type Insight,
  recordActivity,
  type Tile,
  tilesOfInsights,
  updateTile,
} from "../../metadata/mod.ts";
import type { Tx } from "../../store/mod.ts";
import { invalidField } from "../http/errors.ts";
import { INSIGHTS } from "../insights/resource.ts";
import { mayDo } from "../serve/access.ts";
import { whoOf } from "../serve/activity.ts";
import type { EnvironmentCall } from "../serve/route.ts";
import { contentOf, holdInsights } from "./content.ts";

/** A name has at most 400 characters. */
const NAME_ROOM = 393;

/** The dashboard that a new one is to be like. Throws ApiError 400 for one that the caller does not see. */
export async function findOriginal(tx: Tx, { environment, caller }: EnvironmentCall, id: number): Promise<Dashboard> {
  const found = await findDashboard(tx, environment.id, id);
  if (found !== null && !found.deleted && mayDo(caller, "dashboard", found, "viewer")) return found;
  throw invalidField("use_dashboard", "invalid_input", "Invalid value provided");
}

/**
 * Puts on a dashboard what stands on another one and the caller sees: the same insights, or with `areCopied` new ones like them.
 * Throws ApiError 403 for one of the same insights that the caller may not change.
 */
export async function copyTiles(
  tx: Tx,
  call: EnvironmentCall,
  o: { original: Dashboard; dashboardId: number; areCopied: boolean },
): Promise<void> {
  const { dashboardId } = o;
  if (!o.areCopied) await holdInsights(tx, o.original);
  const { tiles, insights } = await contentOf(tx, o.original);
  for (const { insightId, text, layouts, color } of tiles) {
    if (text !== null) await addTextTile(tx, { dashboardId, text, layouts, color });
    const insight = insights.find(({ id }) => id === insightId);
    if (insight === undefined || !mayDo(call.caller, "insight", insight, "viewer")) continue;
    const tile = await (o.areCopied ? addCopy : addSame)(tx, call, insight, dashboardId);
    await updateTile(tx, { ...tile, layouts, color });
  }
}

async function addSame(tx: Tx, call: EnvironmentCall, insight: Insight, dashboardId: number): Promise<Tile> {
  const present = (await tilesOfInsights(tx, [insight.id])).map((tile) => tile.dashboardId);
  await INSIGHTS.changeRecord(tx, call, insight, { dashboards: [...present, dashboardId] });
  return addTile(tx, { dashboardId, insightId: insight.id });
}

async function addCopy(tx: Tx, call: EnvironmentCall, insight: Insight, dashboardId: number): Promise<Tile> {
  const [teamId, who] = [insight.teamId, whoOf(call)];
  const content = { ...insight, name: insight.name ? `${insight.name.slice(0, NAME_ROOM)} (Copy)` : null };
  const copy = await createInsight(tx, { teamId, userId: call.caller.user.id, content, nowMs: call.nowMs });
  const detail = { name: content.name ?? insight.derivedName, short_id: copy.shortId, changes: null };
  const item = { teamId, scope: "Insight" as const, itemId: String(copy.id) };
  await recordActivity(tx, { ...item, activity: "created", detail, ...who });
  return addTile(tx, { dashboardId, insightId: copy.id });
}
