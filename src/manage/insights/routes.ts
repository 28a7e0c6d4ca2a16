import { Type } from "@sinclair/typebox";
import {
  findDashboard,
  type Insight,
  lastViewedInsights,
  noteInsightView,
  type Tile,
  tilesOfInsights,
} from "../../metadata/mod.ts";
import { ERROR } from "../../openapi/mod.ts";
import type { Overrides } from "../../query/mod.ts";
import { invalidField } from "../http/errors.ts";
import { text } from "../http/fields.ts";
import { numberParam } from "../http/query.ts";
import { empty, json } from "../http/reply.ts";
import { TIMEOUT } from "../http/shapes.ts";
import { mergeOverrides, NO_OVERRIDES } from "../query/overrides.ts";
import { recordRoutes, routesOf } from "../resource/routes.ts";
import { sharingRoutes } from "../resource/sharingRoutes.ts";
import { allVisibleTo, mayDo } from "../serve/access.ts";
import { activityRoute } from "../serve/activity.ts";
import { readId } from "../serve/guard.ts";
import { type EnvironmentCall, environmentRoutes } from "../serve/route.ts";
import { INSIGHTS } from "./resource.ts";
import { BASIC_INSIGHT, INSIGHT, INSIGHTS_LIST, NO_FILE } from "./shape.ts";
import { listShared, retrieveShared } from "./shared.ts";
import { insightFile, showInsight, showInsights } from "./show.ts";

const LAST_VIEWED = 5;

const CANCEL_FIELDS = { client_query_id: { ...text(), schema: Type.String({ minLength: 1 }) } };

const { list, create, retrieve: found, change, put } = routesOf(INSIGHTS);

export const insightRoutes = environmentRoutes([
  { ...list, handleShared: listShared },
  create,
  activityRoute({
    path: "insights/activity/",
    summary: "What was done to the insights, newest first",
    filter: ({ environment, caller }) => ({
      teamId: environment.id,
      scope: "Insight",
      visible: allVisibleTo(caller),
    }),
  }),
  {
    method: "GET",
    path: "insights/my_last_viewed/",
    summary: `The ${LAST_VIEWED} insights that the caller looked at last`,
    scope: "insight:read",
    query: found.query,
    responses: { 200: INSIGHTS_LIST, ...TIMEOUT },
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
    ...found,
    query: {
      ...found.query,
      from_dashboard: numberParam("The id of a dashboard, whose filters are put over the query."),
    },
    responses: {
      200: [INSIGHT.schema, BASIC_INSIGHT.schema],
      202: NO_FILE,
      400: [ERROR, NO_FILE],
      500: [ERROR, NO_FILE],
      ...TIMEOUT,
    },
    handle: retrieve,
    handleShared: retrieveShared,
  },
  change,
  put,
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
    method: "POST",
    path: "insights/:id/viewed/",
    summary: "Note that the caller looked at an insight",
    scope: "insight:read",
    responses: { 200: null },
    unlogged: "a look is no change",
    handle: viewed,
  },
  ...sharingRoutes(INSIGHTS, "insight"),
  ...recordRoutes(INSIGHTS),
]);

async function retrieve(call: EnvironmentCall): Promise<Response> {
  const showing = INSIGHTS.wanted(call);
  const insight = await INSIGHTS.find(call);
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
    if (!mayDo(call.caller, "dashboard", dashboard, "viewer")) return null;
    return { tile, overrides: { filters: dashboard.filters, variables: dashboard.variables } };
  });
}

async function myLastViewed(call: EnvironmentCall): Promise<Response> {
  const o = { teamId: call.environment.id, userId: call.caller.user.id, limit: LAST_VIEWED };
  const insights = await call.deps.db.read((tx) => lastViewedInsights(tx, o));
  return json(await showInsights(call, insights, INSIGHTS.wanted(call)));
}

async function viewed(call: EnvironmentCall): Promise<Response> {
  const { id: insightId } = await INSIGHTS.find(call);
  const o = { insightId, userId: call.caller.user.id, nowMs: call.nowMs };
  await call.deps.db.write((tx) => noteInsightView(tx, o));
  return empty(200);
}

async function cancel(call: EnvironmentCall): Promise<Response> {
  const { deps, environment, caller } = call;
  const { client_query_id: id } = await call.body();
  if (typeof id !== "string" || id === "") throw invalidField("client_query_id", "invalid_input", "Field is required.");
  await deps.queries.cancels.order({ teamId: environment.id, id, userId: caller.user.id });
  return empty(200);
}
