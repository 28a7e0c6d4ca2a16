import { type Dashboard, findInsight, holdRows, tilesOfInsights } from "../../metadata/mod.ts";
import type { Tx } from "../../store/mod.ts";
import { invalidField, permissionDenied } from "../http/errors.ts";
import { readFields, required } from "../http/fields.ts";
import { json } from "../http/reply.ts";
import { INSIGHTS } from "../insights/resource.ts";
import { recordRoutes, resourceRoutes } from "../resource/routes.ts";
import { sharingRoutes } from "../resource/sharingRoutes.ts";
import { mayDo, requireEditor } from "../serve/access.ts";
import { renewed } from "../serve/guard.ts";
import { type EnvironmentCall, environmentRoutes } from "../serve/route.ts";
import { contentOf } from "./content.ts";
import { NEW_TILE_FIELDS } from "./fields.ts";
import { DASHBOARDS } from "./resource.ts";
import { NEW_TILE } from "./shape.ts";

export const dashboardRoutes = environmentRoutes([
  ...resourceRoutes(DASHBOARDS),
  {
    method: "POST",
    path: "dashboards/:id/tiles/",
    summary: "Put an insight on a dashboard",
    scope: "dashboard:write",
    requires: ["insight"],
    responses: { 201: NEW_TILE },
    body: NEW_TILE_FIELDS,
    handle: addTileTo,
  },
  ...sharingRoutes(DASHBOARDS, "dashboard", checkTiles),
  ...recordRoutes(DASHBOARDS),
]);

/** Who shares a dashboard by a link must see all insights that it opens. Throws ApiError 403. */
async function checkTiles(tx: Tx, { caller }: EnvironmentCall, dashboard: Dashboard): Promise<void> {
  const { insights } = await contentOf(tx, dashboard);
  if (insights.every((insight) => mayDo(caller, "insight", insight, "viewer"))) return;
  throw permissionDenied("There are insights on this dashboard that are closed to you, and a link would open them.");
}

/** The same as naming the dashboard among those of the insight. */
async function addTileTo(call: EnvironmentCall): Promise<Response> {
  const insightId = required("insight", readFields(NEW_TILE_FIELDS, await call.body()).insight);
  const { dashboardId, tile } = await call.deps.db.write(async (tx) => {
    const own = await renewed(tx, call);
    const { id: dashboardId, teamId, ...dashboard } = await DASHBOARDS.findToChange(tx, own);
    requireEditor(own.caller, "dashboard", { ...dashboard, id: dashboardId });
    await holdRows(tx, "insights", teamId, [insightId]);
    const insight = await findInsight(tx, teamId, insightId);
    if (insight === null || insight.deleted || !mayDo(own.caller, "insight", insight, "viewer")) {
      throw invalidField("insight", "does_not_exist", `Invalid pk "${insightId}" - object does not exist.`);
    }
    const present = (await tilesOfInsights(tx, [insightId])).map((one) => one.dashboardId);
    await INSIGHTS.changeRecord(tx, own, insight, { dashboards: [...new Set([...present, dashboardId])] });
    const tile = (await tilesOfInsights(tx, [insightId])).find((one) => one.dashboardId === dashboardId)!;
    return { dashboardId, tile };
  });
  const { id, deleted, layouts, color } = tile;
  return json({ id, dashboard_id: dashboardId, insight: insightId, deleted, layouts, color }, 201);
}
