import { Type } from "@sinclair/typebox";
import {
  findDashboard,
  INSIGHT_ORDERS,
  type Insight,
  lastViewedInsights,
  listInsights,
  noteInsightView,
  type Tile,
  tilesOfInsights,
} from "../../metadata/mod.ts";
import { ERROR } from "../../openapi/mod.ts";
import { invalidField } from "../http/errors.ts";
import { readFields, text } from "../http/fields.ts";
import { orderParam, readOrder } from "../http/order.ts";
import { PAGE_QUERY, pageBody, readPage } from "../http/page.ts";
import { flagParam, numberParam, OVERRIDES_QUERY, textParam } from "../http/query.ts";
import { empty, json } from "../http/reply.ts";
import { ACTIVITY_PAGE, TIMEOUT } from "../http/shapes.ts";
import { mergeOverrides, NO_OVERRIDES, type Overrides, readOverride } from "../query/overrides.ts";
import { parseRefresh, REFRESH_PARAM } from "../query/refresh.ts";
import { objectAccessRoutes } from "../resource/accessRoutes.ts";
import { mayDo } from "../serve/access.ts";
import { ACTIVITY_QUERY, activityReply } from "../serve/activity.ts";
import { readId } from "../serve/guard.ts";
import { type EnvironmentCall, environmentRoutes } from "../serve/route.ts";
import { addInsight, changeInsight, nameOf } from "./change.ts";
import { INSIGHT_FIELDS } from "./fields.ts";
import { FILTER_QUERY, readInsightFilter } from "./filter.ts";
import { BASIC_INSIGHT, INSIGHT, INSIGHTS, INSIGHTS_PAGE, NO_FILE } from "./schema.ts";
import { listShared, retrieveShared } from "./shared.ts";
import { findInsightOf, findLiveInsight, insightFile, type Showing, showInsight, showInsights } from "./show.ts";

const LAST_VIEWED = 5;

const CANCEL_FIELDS = { client_query_id: { ...text(), schema: Type.String({ minLength: 1 }) } };

/** What `showingOf` reads. */
const SHOWING_QUERY = {
  refresh: REFRESH_PARAM,
  client_query_id: textParam("What you call the query, to cancel it by."),
  basic: flagParam("The short form."),
  ...OVERRIDES_QUERY,
};

export const insightRoutes = environmentRoutes([
  {
    method: "GET",
    path: "insights/",
    summary: "List the insights",
    scope: "insight:read",
    query: { ...SHOWING_QUERY, ...PAGE_QUERY, ...FILTER_QUERY, order: orderParam(INSIGHT_ORDERS) },
    responses: { 200: INSIGHTS_PAGE, ...TIMEOUT },
    handle: list,
    handleShared: listShared,
  },
  {
    method: "POST",
    path: "insights/",
    summary: "Create an insight",
    scope: "insight:write",
    query: SHOWING_QUERY,
    responses: { 201: INSIGHT, ...TIMEOUT },
    body: INSIGHT_FIELDS,
    handle: create,
  },
  {
    method: "GET",
    path: "insights/activity/",
    summary: "What was done to the insights, newest first",
    scope: "activity_log:read",
    query: ACTIVITY_QUERY,
    responses: { 200: ACTIVITY_PAGE },
    handle: (call) => activityReply(call, { teamId: call.environment.id, scope: "Insight" }),
  },
  {
    method: "GET",
    path: "insights/my_last_viewed/",
    summary: `The ${LAST_VIEWED} insights that the caller looked at last`,
    scope: "insight:read",
    query: SHOWING_QUERY,
    responses: { 200: INSIGHTS, ...TIMEOUT },
    handle: myLastViewed,
  },
  {
    method: "POST",
    path: "insights/cancel/",
    summary: "End the queries that run under a `client_query_id`",
    scope: ["insight:read", "query:read"],
    body: CANCEL_FIELDS,
    requires: ["client_query_id"],
    responses: { 200: null },
    unlogged: "changes no record",
    handle: cancel,
  },
  {
    method: "GET",
    path: "insights/:id/",
    summary: "Retrieve an insight; `refresh` says whether its result may be calculated",
    scope: "insight:read",
    query: {
      ...SHOWING_QUERY,
      from_dashboard: numberParam("The id of a dashboard, whose filters are put over the query."),
    },
    responses: {
      200: [INSIGHT, BASIC_INSIGHT],
      202: NO_FILE,
      400: [ERROR, NO_FILE],
      500: [ERROR, NO_FILE],
      ...TIMEOUT,
    },
    handle: retrieve,
    handleShared: retrieveShared,
  },
  {
    method: "PATCH",
    path: "insights/:id/",
    summary: "Change an insight; `deleted` hides it, and brings it back",
    scope: "insight:write",
    query: SHOWING_QUERY,
    responses: { 200: INSIGHT, ...TIMEOUT },
    body: INSIGHT_FIELDS,
    handle: patch,
  },
  {
    method: "PUT",
    path: "insights/:id/",
    summary: "The same as PATCH: what the body does not name stays",
    scope: "insight:write",
    query: SHOWING_QUERY,
    responses: { 200: INSIGHT, ...TIMEOUT },
    body: INSIGHT_FIELDS,
    handle: patch,
  },
  {
    method: "DELETE",
    path: "insights/:id/",
    summary: "Not allowed: an insight is never removed for good",
    scope: "insight:write",
    responses: { 405: null },
    unlogged: "changes nothing",
    handle: async () => new Response(null, { status: 405, headers: { Allow: "GET, PATCH, PUT, OPTIONS" } }),
  },
  {
    method: "GET",
    path: "insights/:id/activity/",
    summary: "What was done to an insight, newest first",
    scope: "activity_log:read",
    query: ACTIVITY_QUERY,
    responses: { 200: ACTIVITY_PAGE },
    handle: activity,
  },
  {
    method: "POST",
    path: "insights/:id/viewed/",
    summary: "Note that the caller looked at an insight",
    scope: "insight:read",
    responses: { 200: null },
    unlogged: "a look is no change",
    handle: viewed,
  },
  ...objectAccessRoutes("insights/:id/", {
    resource: "insight",
    log: "Insight",
    table: "insights",
    async find(call) {
      const insight = await findLiveInsight(call);
      return { ...insight, name: nameOf(insight) };
    },
  }),
]);

const isTrue = (text: string | null): boolean => ["true", "1", "yes"].includes((text ?? "").toLowerCase());

function showingOf(call: EnvironmentCall): Showing {
  const { query, caller } = call;
  return {
    mode: parseRefresh(query.get("refresh") ?? undefined),
    viewer: caller,
    queryId: query.get("client_query_id"),
    basic: isTrue(query.get("basic")),
    overrides: {
      filters: readOverride(query, "filters_override"),
      variables: readOverride(query, "variables_override"),
    },
  };
}

async function create(call: EnvironmentCall): Promise<Response> {
  const showing = { ...showingOf(call), basic: false };
  const values = readFields(INSIGHT_FIELDS, await call.body());
  const insight = await call.deps.db.write((tx) => addInsight(tx, call, values));
  return json(await showInsight(call, insight, showing), 201);
}

async function patch(call: EnvironmentCall): Promise<Response> {
  const showing = { ...showingOf(call), basic: false };
  const body = await call.body();
  const restores = body.deleted === false;
  const { id } = restores ? await findInsightOf(call) : await findLiveInsight(call);
  const values = readFields(INSIGHT_FIELDS, body);
  // Read again inside: two changes of different fields at the same moment must both stay.
  const insight = await call.deps.db.write((tx) => changeInsight(tx, call, id, values, { restores }));
  return json(await showInsight(call, insight, showing));
}

async function retrieve(call: EnvironmentCall): Promise<Response> {
  const showing = showingOf(call);
  const insight = await findLiveInsight(call);
  const place = await placeOf(call, insight);
  const overrides = mergeOverrides(place?.overrides ?? NO_OVERRIDES, showing.overrides ?? NO_OVERRIDES);
  if (call.query.get("format") === "csv") return insightFile(call, insight, { ...showing, overrides });
  const body = await showInsight(call, insight, { ...showing, overrides, isAlone: true });
  return json(place === null ? body : { ...body, color: place.tile.color, layouts: place.tile.layouts });
}

/** Where the insight is shown, by `from_dashboard`; null where that names no dashboard it is on. */
async function placeOf(call: EnvironmentCall, insight: Insight): Promise<{ tile: Tile; overrides: Overrides } | null> {
  const id = readId(call.query.get("from_dashboard") ?? undefined);
  if (id === null) return null;
  return call.deps.db.read(async (tx) => {
    const tile = (await tilesOfInsights(tx, [insight.id])).find(({ dashboardId }) => dashboardId === id);
    const dashboard = tile === undefined ? null : await findDashboard(tx, insight.teamId, id);
    if (tile === undefined || dashboard === null || dashboard.deleted) return null;
    if (!mayDo(call.caller, dashboard, "viewer")) return null;
    return { tile, overrides: { filters: dashboard.filters, variables: dashboard.variables } };
  });
}

async function list(call: EnvironmentCall): Promise<Response> {
  const showing = showingOf(call);
  const page = readPage(call.query);
  const order = readOrder(call.query.get("order"), INSIGHT_ORDERS, INSIGHT_ORDERS.order);
  const filter = readInsightFilter(call);
  const { count, items } = await call.deps.db.read((tx) => listInsights(tx, filter, { ...page, ...order }));
  return json(pageBody(call.url, page, count, await showInsights(call, items, showing)));
}

async function myLastViewed(call: EnvironmentCall): Promise<Response> {
  const o = { teamId: call.environment.id, userId: call.caller.user.id, limit: LAST_VIEWED };
  const insights = await call.deps.db.read((tx) => lastViewedInsights(tx, o));
  return json(await showInsights(call, insights, showingOf(call)));
}

async function viewed(call: EnvironmentCall): Promise<Response> {
  const { id: insightId } = await findLiveInsight(call);
  const o = { insightId, userId: call.caller.user.id, nowMs: call.nowMs };
  await call.deps.db.write((tx) => noteInsightView(tx, o));
  return empty(200);
}

async function activity(call: EnvironmentCall): Promise<Response> {
  const { id } = await findInsightOf(call);
  return activityReply(call, { teamId: call.environment.id, scope: "Insight", itemId: String(id) });
}

async function cancel(call: EnvironmentCall): Promise<Response> {
  const { client_query_id: id } = await call.body();
  if (typeof id !== "string" || id === "") throw invalidField("client_query_id", "invalid_input", "Field is required.");
  await call.deps.queries.cancels.order(call.environment.id, id);
  return empty(200);
}
