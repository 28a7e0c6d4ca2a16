import {
  addTile,
  changeTimeMs,
  createInsight,
  dashboardNames,
  findDashboard,
  findInsight,
  holdRows,
  INSIGHT_ORDERS,
  type Insight,
  listInsights,
  tilesOfInsights,
  updateInsight,
  updateTile,
} from "../../metadata/mod.ts";
import type { Tx } from "../../store/mod.ts";
import { invalidField } from "../http/errors.ts";
import { flagParam, OVERRIDES_QUERY, textParam } from "../http/query.ts";
import { TIMEOUT } from "../http/shapes.ts";
import { readOverrides } from "../query/overrides.ts";
import { parseRefresh, REFRESH_PARAM } from "../query/refresh.ts";
import { held } from "../resource/held.ts";
import { byId, Resource } from "../resource/resource.ts";
import { apiValues, recordValues } from "../resource/shape.ts";
import { mayDo, requireEditor } from "../serve/access.ts";
import type { EnvironmentCall } from "../serve/route.ts";
import { INSIGHT_FIELDS, type InsightValues, MODIFYING, NEW_INSIGHT } from "./fields.ts";
import { FILTER_QUERY, readInsightFilter } from "./filter.ts";
import { INSIGHT, INSIGHTS_PAGE } from "./shape.ts";
import { type Showing, showInsights } from "./show.ts";

/** What people know it by; null for a draft. */
const nameOf = (insight: Insight): string | null => insight.name || insight.derivedName || null;

/** A saved query, shown with its answer. */
export const INSIGHTS = new Resource<Insight, InsightValues, EnvironmentCall, Showing>({
  noun: "insight",
  path: "insights",
  scope: "insight",
  log: "Insight",
  controlled: "insight",
  summaries: { retrieve: "Retrieve an insight; `refresh` says whether its result may be calculated" },
  fields: INSIGHT_FIELDS,
  schema: INSIGHT.schema,
  pageSchema: INSIGHTS_PAGE,
  listQuery: FILTER_QUERY,
  orders: INSIGHT_ORDERS,
  order: INSIGHT_ORDERS.order,
  find: byId(findInsight),
  hold: held("insights", byId(findInsight)),
  list: (tx, call, page) => listInsights(tx, readInsightFilter(call), page),
  /** Puts it on the dashboards named. */
  async make(tx, call, { dashboards = [], ...values }) {
    const { environment, caller, nowMs } = call;
    const content = { ...NEW_INSIGHT, ...recordValues(values) };
    const insight = await createInsight(tx, { teamId: environment.id, userId: caller.user.id, content, nowMs });
    await placeOn(tx, call, insight, dashboards);
    return insight;
  },
  /** With `dashboards` also what it is shown on; a deleted one leaves every dashboard. */
  async change(tx, call, before, values) {
    const { dashboards, ...own } = values;
    const isModified = MODIFYING.some((name) => values[name] !== undefined);
    const after = {
      ...before,
      ...recordValues(own),
      isSample: false,
      updatedAtMs: changeTimeMs(before.updatedAtMs, call.nowMs),
      ...(isModified && {
        lastModifiedAtMs: changeTimeMs(before.lastModifiedAtMs, call.nowMs),
        lastModifiedBy: call.caller.user.id,
      }),
    };
    await updateInsight(tx, after);
    const wanted = after.deleted ? [] : dashboards;
    if (wanted !== undefined) await placeOn(tx, call, after, wanted);
    return { after };
  },
  nameOf,
  // One without a name is a draft that clients make while they explore.
  isDraft: (insight) => nameOf(insight) === null,
  async logged(tx, insight) {
    const { dashboards: _, ...own } = INSIGHT_FIELDS;
    const ids = (await tilesOfInsights(tx, [insight.id])).map((tile) => tile.dashboardId);
    const names = await dashboardNames(tx, insight.teamId, ids);
    const dashboards = ids.map((id) => ({ id, name: names.get(id) ?? null }));
    return { ...apiValues(insight, Object.keys(own)), dashboards };
  },
  whole: {
    query: {
      refresh: REFRESH_PARAM,
      client_query_id: textParam("What you call the query, to cancel it by."),
      basic: flagParam("The short form."),
      user_access_level: flagParam("The short form with what you may do with each insight."),
      ...OVERRIDES_QUERY,
    },
    responses: TIMEOUT,
    wanted: ({ query, caller, request }) => ({
      mode: parseRefresh(query.get("refresh") ?? undefined),
      viewer: caller,
      queryId: query.get("client_query_id"),
      basic: request.method === "GET" && isTrue(query.get("basic")),
      hasRights: isTrue(query.get("user_access_level")),
      overrides: readOverrides(query),
    }),
    show: showInsights,
  },
});

const isTrue = (text: string | null): boolean => ["true", "1", "yes"].includes((text ?? "").toLowerCase());

/** Makes the live tiles of an insight those of the dashboards named. */
async function placeOn(
  tx: Tx,
  call: EnvironmentCall,
  insight: Insight,
  dashboardIds: readonly number[],
): Promise<void> {
  const tilesNow = () => tilesOfInsights(tx, [insight.id]);
  const wanted = new Set(dashboardIds);
  // A change of such a dashboard writes its tiles, too.
  const placed = (await tilesNow()).map((tile) => tile.dashboardId);
  await holdRows(tx, "dashboards", insight.teamId, [...wanted, ...placed]);
  const tiles = await tilesNow();
  const present = new Set(tiles.map((tile) => tile.dashboardId));
  for (const id of wanted) await requireDashboard(tx, call, id, { isChanged: !present.has(id) });
  for (const tile of tiles) {
    if (wanted.has(tile.dashboardId)) continue;
    const dashboard = await findDashboard(tx, insight.teamId, tile.dashboardId);
    // Dashboards that the caller cannot see stay as they are, unless the insight is deleted: then it leaves all of them.
    if (!insight.deleted && dashboard !== null) {
      if (!mayDo(call.caller, "dashboard", dashboard, "viewer")) continue;
      requireEditor(call.caller, "dashboard", dashboard);
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
  if (dashboard === null || dashboard.deleted || !mayDo(call.caller, "dashboard", dashboard, "viewer")) {
    throw invalidField("dashboards", "does_not_exist", `Invalid pk "${id}" - object does not exist.`);
  }
  if (o.isChanged) requireEditor(call.caller, "dashboard", dashboard);
}
