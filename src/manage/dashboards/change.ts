import {
  changesBetween,
  createDashboard,
  type Dashboard,
  findDashboard,
  setTilesOfDashboard,
  type Tile,
  tilesOfDashboard,
  updateDashboard,
  updateTile,
} from "../../metadata/mod.ts";
import type { Tx } from "../../store/mod.ts";
import type { Json, JsonObject } from "../../types/mod.ts";
import { invalidField, notFound } from "../http/errors.ts";
import { readFields, required } from "../http/fields.ts";
import { requireEditor } from "../serve/access.ts";
import { recordOf } from "../serve/activity.ts";
import type { EnvironmentCall } from "../serve/route.ts";
import { applyValues, type DashboardValues, NEW_DASHBOARD, patchDashboard, TILE_FIELDS, TILE_ID } from "./fields.ts";

const LOGGED = ["name", "description", "pinned", "deleted", "filters", "variables", "tags", "tiles"];

export async function addDashboard(tx: Tx, call: EnvironmentCall, values: DashboardValues): Promise<Dashboard> {
  const { environment, caller, nowMs } = call;
  const content = applyValues(NEW_DASHBOARD, values);
  const dashboard = await createDashboard(tx, { teamId: environment.id, userId: caller.user.id, content, nowMs });
  await record(tx, call, dashboard, "created");
  return dashboard;
}

/**
 * Changes a dashboard and its tiles; both or neither. A deleted one takes its tiles with it, and brings them back.
 * Throws ApiError 400, 403 and 404.
 */
export async function changeDashboard(
  tx: Tx,
  call: EnvironmentCall,
  id: number,
  values: DashboardValues & { tiles?: JsonObject[] },
  o: { restores: boolean },
): Promise<Dashboard> {
  const present = await findDashboard(tx, call.environment.id, id);
  if (present === null || (present.deleted && !o.restores)) throw notFound();
  requireEditor(call.caller, present, "dashboard");
  const before = await loggedState(tx, present);
  const changed = patchDashboard(present, values, call.caller.user.id, call.nowMs);
  await updateDashboard(tx, changed);
  if (changed.deleted !== present.deleted) await setTilesOfDashboard(tx, id, { deleted: changed.deleted });
  const tiles = await tilesOfDashboard(tx, id, { withDeleted: true });
  for (const [i, wish] of (values.tiles ?? []).entries()) await changeTile(tx, tiles, wish, i);
  const changes = changesBetween("Dashboard", before, await loggedState(tx, changed), LOGGED);
  await record(tx, call, changed, "updated", changes);
  return changed;
}

async function changeTile(tx: Tx, tiles: readonly Tile[], wish: JsonObject, index: number): Promise<void> {
  const id = required(`tiles__${index}__id`, readFields(TILE_ID, wish).id);
  const tile = tiles.find((candidate) => candidate.id === id);
  if (tile === undefined) {
    throw invalidField(`tiles__${index}__id`, "does_not_exist", `Invalid pk "${id}" - object does not exist.`);
  }
  const values = readFields(TILE_FIELDS, wish);
  // One that never was deleted stays so.
  const deleted = values.deleted || (tile.deleted === null ? null : (values.deleted ?? tile.deleted));
  await updateTile(tx, { id, deleted, color: values.color ?? tile.color, layouts: values.layouts ?? tile.layouts });
}

async function loggedState(tx: Tx, dashboard: Dashboard): Promise<JsonObject> {
  const { name, description, pinned, deleted, filters, variables, tags } = dashboard;
  const tiles = (await tilesOfDashboard(tx, dashboard.id)).map(
    (tile): Json => ({ id: tile.id, insight_id: tile.insightId, color: tile.color, layouts: tile.layouts }),
  );
  return { name, description, pinned, deleted, filters, variables, tags, tiles };
}

function record(
  tx: Tx,
  call: EnvironmentCall,
  dashboard: Dashboard,
  activity: string,
  changes: ReturnType<typeof changesBetween> | null = null,
): Promise<void> {
  const detail = { name: dashboard.name, changes };
  const item = { teamId: dashboard.teamId, scope: "Dashboard" as const, itemId: String(dashboard.id) };
  return recordOf(tx, call, { ...item, activity, detail });
}
