import {
  DASHBOARD_ORDERS,
  type Dashboard,
  type DashboardFilter,
  findInsight,
  findInsights,
  findUsers,
  listDashboards,
  tilesOfDashboard,
  tilesOfInsights,
} from "../../metadata/mod.ts";
import { invalidField } from "../http/errors.ts";
import { readFields, required } from "../http/fields.ts";
import { orderParam, readOrder } from "../http/order.ts";
import { PAGE_QUERY, pageBody, readPage } from "../http/page.ts";
import { flagParam, OVERRIDES_QUERY, textParam } from "../http/query.ts";
import { json } from "../http/reply.ts";
import { ACTIVITY_PAGE, pageOf, TIMEOUT } from "../http/shapes.ts";
import { changeInsight } from "../insights/change.ts";
import { showInsights } from "../insights/show.ts";
import { mergeOverrides, type Overrides, readOverride } from "../query/overrides.ts";
import { parseRefresh, REFRESH_PARAM } from "../query/refresh.ts";
import { objectAccessRoutes } from "../resource/accessRoutes.ts";
import { requireEditor, seesAll } from "../serve/access.ts";
import { ACTIVITY_QUERY, activityReply } from "../serve/activity.ts";
import { type EnvironmentCall, environmentRoutes } from "../serve/route.ts";
import { basicDashboardBody, dashboardBody, tileBody } from "./body.ts";
import { addDashboard, changeDashboard } from "./change.ts";
import { DASHBOARD_FIELDS, NEW_TILE_FIELDS, TILES } from "./fields.ts";
import { findDashboardOf } from "./find.ts";
import { BASIC_DASHBOARD, DASHBOARD, NEW_TILE } from "./schema.ts";

/** What `readFilter` reads. */
const FILTER_QUERY = {
  search: textParam("Part of the name or of a tag."),
  pinned: flagParam("Only those that are pinned, or with `false` only the others."),
  user: textParam("Only your own, whatever the value."),
};

/** How the insights in a dashboard are shown. */
const SHOWING_QUERY = { refresh: REFRESH_PARAM, ...OVERRIDES_QUERY };

export const dashboardRoutes = environmentRoutes([
  {
    method: "GET",
    path: "dashboards/",
    summary: "List the dashboards",
    scope: "dashboard:read",
    query: { ...PAGE_QUERY, ...FILTER_QUERY, order: orderParam(DASHBOARD_ORDERS) },
    responses: { 200: pageOf(BASIC_DASHBOARD) },
    handle: list,
  },
  {
    method: "POST",
    path: "dashboards/",
    summary: "Create a dashboard",
    scope: "dashboard:write",
    query: SHOWING_QUERY,
    responses: { 201: DASHBOARD, ...TIMEOUT },
    body: DASHBOARD_FIELDS,
    handle: create,
  },
  {
    method: "GET",
    path: "dashboards/:id/",
    summary: "Retrieve a dashboard with its insights; `refresh` says whether results may be calculated",
    scope: "dashboard:read",
    query: SHOWING_QUERY,
    responses: { 200: DASHBOARD, ...TIMEOUT },
    async handle(call) {
      return json(await wholeBody(call, await findDashboardOf(call), ownOverrides(call)));
    },
  },
  {
    method: "PATCH",
    path: "dashboards/:id/",
    summary: "Change a dashboard and its `tiles`; `deleted` hides it, and brings it back",
    scope: "dashboard:write",
    query: SHOWING_QUERY,
    responses: { 200: DASHBOARD, ...TIMEOUT },
    body: { ...DASHBOARD_FIELDS, ...TILES },
    handle: patch,
  },
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
  {
    method: "GET",
    path: "dashboards/:id/activity/",
    summary: "What was done to a dashboard, newest first",
    scope: "activity_log:read",
    query: ACTIVITY_QUERY,
    responses: { 200: ACTIVITY_PAGE },
    async handle(call) {
      const { id, teamId } = await findDashboardOf(call, { deleted: true });
      return activityReply(call, { teamId, scope: "Dashboard", itemId: String(id) });
    },
  },
  ...objectAccessRoutes("dashboards/:id/", {
    resource: "dashboard",
    log: "Dashboard",
    table: "dashboards",
    find: (call) => findDashboardOf(call),
  }),
]);

async function create(call: EnvironmentCall): Promise<Response> {
  const values = readFields(DASHBOARD_FIELDS, await call.body());
  const own = ownOverrides(call);
  const dashboard = await call.deps.db.write((tx) => addDashboard(tx, call, values));
  return json(await wholeBody(call, dashboard, own), 201);
}

async function patch(call: EnvironmentCall): Promise<Response> {
  const body = await call.body();
  const restores = body.deleted === false;
  const { id } = await findDashboardOf(call, { deleted: restores });
  const values = { ...readFields(DASHBOARD_FIELDS, body), ...readFields(TILES, body) };
  const own = ownOverrides(call);
  const dashboard = await call.deps.db.write((tx) => changeDashboard(tx, call, id, values, { restores }));
  return json(await wholeBody(call, dashboard, own));
}

/** The same as naming the dashboard among those of the insight. */
async function addTileTo(call: EnvironmentCall): Promise<Response> {
  const dashboard = await findDashboardOf(call);
  requireEditor(call.caller, dashboard, "dashboard");
  const { id: dashboardId, teamId } = dashboard;
  const insightId = required("insight", readFields(NEW_TILE_FIELDS, await call.body()).insight);
  const tile = await call.deps.db.write(async (tx) => {
    const insight = await findInsight(tx, teamId, insightId);
    if (insight === null || insight.deleted) {
      throw invalidField("insight", "does_not_exist", `Invalid pk "${insightId}" - object does not exist.`);
    }
    const present = (await tilesOfInsights(tx, [insightId])).map((one) => one.dashboardId);
    const dashboards = [...new Set([...present, dashboardId])];
    await changeInsight(tx, call, insightId, { dashboards }, { restores: false });
    return (await tilesOfInsights(tx, [insightId])).find((one) => one.dashboardId === dashboardId)!;
  });
  const { id, deleted, layouts, color } = tile;
  return json({ id, dashboard_id: dashboardId, insight: insightId, deleted, layouts, color }, 201);
}

async function list(call: EnvironmentCall): Promise<Response> {
  const page = readPage(call.query);
  const order = readOrder(call.query.get("order"), DASHBOARD_ORDERS, DASHBOARD_ORDERS.name);
  const filter = readFilter(call);
  const { count, items, users } = await call.deps.db.read(async (tx) => {
    const found = await listDashboards(tx, filter, { ...page, ...order });
    return { ...found, users: await findUsers(tx, found.items.flatMap(makersOf)) };
  });
  const bodies = items.map((dashboard) => basicDashboardBody(dashboard, users, call.caller));
  return json(pageBody(call.url, page, count, bodies));
}

function readFilter({ query, environment, caller }: EnvironmentCall): DashboardFilter {
  const search = query.get("search");
  return {
    teamId: environment.id,
    openOnly: !seesAll(caller),
    ...(search ? { search } : {}),
    ...(query.has("pinned") ? { pinned: query.get("pinned") !== "false" } : {}),
    ...(query.has("user") ? { createdBy: caller.user.id } : {}),
  };
}

const makersOf = ({ createdBy, lastModifiedBy }: Dashboard) => [createdBy, lastModifiedBy];

/** What the request puts over the insights. Throws ApiError 400, so it is read before anything is changed. */
function ownOverrides({ query }: EnvironmentCall): Overrides {
  return {
    filters: readOverride(query, "filters_override"),
    variables: readOverride(query, "variables_override"),
  };
}

async function wholeBody(call: EnvironmentCall, dashboard: Dashboard, own: Overrides) {
  const { tiles, insights, users } = await call.deps.db.read(async (tx) => {
    const tiles = await tilesOfDashboard(tx, dashboard.id);
    const ids = tiles.map((tile) => tile.insightId);
    const insights = (await findInsights(tx, dashboard.teamId, ids)).filter((insight) => !insight.deleted);
    return { tiles, insights, users: await findUsers(tx, makersOf(dashboard)) };
  });
  const bodies = await showInsights(call, insights, {
    mode: parseRefresh(call.query.get("refresh") ?? undefined),
    viewer: call.caller,
    overrides: mergeOverrides({ filters: dashboard.filters, variables: dashboard.variables }, own),
  });
  const bodyById = new Map(bodies.map((body) => [body.id, body]));
  const shown = tiles.flatMap((tile, order) => {
    const body = bodyById.get(tile.insightId);
    return body === undefined ? [] : [tileBody(tile, order, body)];
  });
  return dashboardBody(dashboard, users, call.caller, shown);
}
