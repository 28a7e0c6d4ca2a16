import {
  createInsight,
  findInsight,
  findUsers,
  INSIGHT_ORDERS,
  type Insight,
  type InsightFilter,
  type InsightOrder,
  listInsights,
  updateInsight,
} from "../../metadata/mod.ts";
import { invalidField, notFound } from "../http/errors.ts";
import { readFields } from "../http/fields.ts";
import { readId } from "../http/guard.ts";
import { pageBody, readPage } from "../http/page.ts";
import { empty, json } from "../http/reply.ts";
import { type EnvironmentCall, environmentRoutes } from "../http/route.ts";
import { type Answer, answerQuery } from "../query/answer.ts";
import { type DirectMode, parseRefresh, requireDirect } from "../query/refresh.ts";
import { basicInsightBody, insightBody } from "./body.ts";
import { applyValues, INSIGHT_FIELDS, NEW_INSIGHT, patchInsight } from "./fields.ts";

export const insightRoutes = environmentRoutes([
  { method: "GET", path: "insights/", summary: "List the insights", scope: "insight:read", handle: list },
  {
    method: "POST",
    path: "insights/",
    summary: "Create an insight",
    scope: "insight:write",
    body: INSIGHT_FIELDS,
    handle: create,
  },
  { method: "GET", path: "insights/:id/", summary: "Retrieve an insight", scope: "insight:read", handle: retrieve },
  {
    method: "PATCH",
    path: "insights/:id/",
    summary: "Change an insight; `deleted` hides it, and brings it back",
    scope: "insight:write",
    body: INSIGHT_FIELDS,
    handle: patch,
  },
  {
    method: "DELETE",
    path: "insights/:id/",
    summary: "Not allowed: an insight is never removed for good",
    scope: "insight:write",
    handle: async () => empty(405),
  },
]);

/** Throws before anything is written or calculated. */
function readMode(call: EnvironmentCall): DirectMode {
  const refresh = call.query.get("refresh");
  return requireDirect(parseRefresh(refresh ?? undefined));
}

async function create(call: EnvironmentCall): Promise<Response> {
  const mode = readMode(call);
  const content = applyValues(NEW_INSIGHT, readFields(INSIGHT_FIELDS, await call.body()));
  const o = { teamId: call.environment.id, userId: call.caller.user.id, content, nowMs: call.nowMs };
  return json(await wholeBody(call, await call.deps.db.write((tx) => createInsight(tx, o)), mode), 201);
}

async function retrieve(call: EnvironmentCall): Promise<Response> {
  const mode = readMode(call);
  const insight = await find(call);
  if (insight.deleted) throw notFound();
  return json(isBasic(call) ? await basicBody(call, insight, mode) : await wholeBody(call, insight, mode));
}

async function patch(call: EnvironmentCall): Promise<Response> {
  const mode = readMode(call);
  const present = await find(call);
  const body = await call.body();
  const checkVisible = (insight: Insight) => {
    if (insight.deleted && body.deleted !== false) throw notFound();
  };
  checkVisible(present);
  const values = readFields(INSIGHT_FIELDS, body);
  const updated = await call.deps.db.write(async (tx) => {
    // Read again: two changes of different fields at the same moment must both stay.
    const current = await findInsight(tx, call.environment.id, present.id);
    if (current === null) throw notFound();
    checkVisible(current);
    const changed = patchInsight(current, values, call.caller.user.id, call.nowMs);
    await updateInsight(tx, changed);
    return changed;
  });
  return json(await wholeBody(call, updated, mode));
}

async function list(call: EnvironmentCall): Promise<Response> {
  const mode = readMode(call);
  const page = readPage(call.query);
  const { count, insights } = await call.deps.db.read((tx) =>
    listInsights(tx, readFilter(call), { ...page, ...readOrder(call.query.get("order")) }),
  );
  const results: unknown[] = [];
  for (const insight of insights) {
    results.push(isBasic(call) ? await basicBody(call, insight, mode) : await wholeBody(call, insight, mode));
  }
  return json(pageBody(call.url, page, count, results));
}

function readFilter(call: EnvironmentCall): InsightFilter {
  const { query } = call;
  const filter: InsightFilter = { teamId: call.environment.id };
  const shortId = query.get("short_id");
  if (shortId !== null) filter.shortId = shortId;
  const saved = query.get("saved");
  if (saved !== null) filter.saved = saved.toLowerCase() === "true";
  if (query.has("favorited")) filter.favorited = true;
  if (query.has("user")) filter.createdBy = call.caller.user.id;
  const createdBy = query.get("created_by");
  if (createdBy !== null) {
    const id = readId(createdBy);
    if (id === null) throw invalidField("created_by", "invalid_choice", "Select a valid choice.");
    filter.createdBy = id;
  }
  const search = query.get("search");
  if (search !== null && search !== "") filter.search = search;
  return filter;
}

/** An order that does not exist counts as absent. */
function readOrder(order: string | null): { order: InsightOrder; descending: boolean } {
  const descending = order?.startsWith("-") ?? false;
  const name = descending ? order?.slice(1) : order;
  const known = (Object.keys(INSIGHT_ORDERS) as InsightOrder[]).find((candidate) => candidate === name);
  return known === undefined ? { order: "order", descending: false } : { order: known, descending };
}

async function find(call: EnvironmentCall): Promise<Insight> {
  const id = readId(call.params.id);
  const insight = id === null ? null : await call.deps.db.read((tx) => findInsight(tx, call.environment.id, id));
  if (insight === null) throw notFound();
  return insight;
}

const isBasic = (call: EnvironmentCall): boolean =>
  ["true", "1", "yes"].includes((call.query.get("basic") ?? "").toLowerCase());

async function answerOf(call: EnvironmentCall, insight: Insight, mode: DirectMode): Promise<Answer | null> {
  return insight.query === null ? null : answerQuery(call, insight.query, mode);
}

function usersOf(call: EnvironmentCall, insight: Insight) {
  const ids = [insight.createdBy, insight.lastModifiedBy].filter((id) => id !== null);
  return call.deps.db.read((tx) => findUsers(tx, ids));
}

async function basicBody(call: EnvironmentCall, insight: Insight, mode: DirectMode) {
  return basicInsightBody(insight, await usersOf(call, insight), await answerOf(call, insight, mode));
}

async function wholeBody(call: EnvironmentCall, insight: Insight, mode: DirectMode) {
  const answer = await answerOf(call, insight, mode);
  // The zone belongs to a result; a look into the cache that finds none has none.
  const timezone = mode !== "force_cache" || answer?.response ? call.environment.timezone : null;
  return insightBody(insight, await usersOf(call, insight), call.caller, answer, timezone);
}
