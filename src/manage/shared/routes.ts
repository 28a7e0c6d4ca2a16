import { sharedAnnotations } from "../../metadata/mod.ts";
import { ERROR, media } from "../../openapi/mod.ts";
import { type Overrides, overridden } from "../../query/mod.ts";
import { SHARED_ANNOTATION, SHARED_ANNOTATIONS } from "../annotations/shape.ts";
import { overridesOf, placed } from "../dashboards/content.ts";
import { notFound } from "../http/errors.ts";
import { type Query, wordParam } from "../http/query.ts";
import { json } from "../http/reply.ts";
import { TIMEOUT } from "../http/shapes.ts";
import { INSIGHT, NO_FILE } from "../insights/shape.ts";
import { insightFile, nodeOfInsight, type Showing, showInsight } from "../insights/show.ts";
import { mergeOverrides, NO_OVERRIDES } from "../query/overrides.ts";
import { calendarAt } from "../query/question.ts";
import { parseRefresh, REFRESH_PARAM, sharedRefresh } from "../query/refresh.ts";
import { linkSettings } from "../resource/sharingRoutes.ts";
import { readId } from "../serve/guard.ts";
import type { OpenCall, Route } from "../serve/route.ts";
import { DATES_QUERY, isDated, readDates } from "./dates.ts";
import { type Opened, open } from "./opened.ts";
import { OPENED_DASHBOARD, OPENED_INSIGHT, SHARED_DASHBOARD } from "./shape.ts";

const ANSWER_QUERY = { refresh: REFRESH_PARAM, ...DATES_QUERY };
/** The tiles of a dashboard are asked for at once. With dates of the viewer's own hardly any has a result already. */
const TILE_TIMES = 10;
const DATED_TIMES = 2;
/** What is told of them at once. */
const ANNOTATIONS_MAX = 1000;
const REFUSED = { 400: ERROR, 404: ERROR, 429: ERROR, ...TIMEOUT };

/** What an enabled link opens, without a key. */
export const sharedRoutes: Route[] = [
  {
    method: "GET",
    path: "/shared/:token/",
    summary:
      "A shared insight or dashboard; `.json` may stand behind the token. Of a dashboard nothing is calculated: its insights " +
      "are asked for one by one. A browser that opens this address gets a page, unless with `.json` or `format=json`",
    confinement: "open",
    linkParam: "token",
    query: { format: wordParam("`json`: JSON for browsers, too.", ["json"]), ...ANSWER_QUERY },
    responses: { 200: [OPENED_INSIGHT, OPENED_DASHBOARD], ...REFUSED },
    handle: showOpened,
  },
  {
    method: "GET",
    path: "/shared/:token/insights/:id/",
    summary: "A shared insight, or one of a shared dashboard under its filters, with its result",
    confinement: "open",
    linkParam: "token",
    linkTimes: (query) => (isDated(query) ? DATED_TIMES : TILE_TIMES),
    query: { format: wordParam("`csv` for its result as a file.", ["csv"]), ...ANSWER_QUERY },
    responses: { 200: [INSIGHT.schema, media("text/csv")], 202: NO_FILE, ...REFUSED, 400: [ERROR, NO_FILE] },
    handle: showOne,
  },
  {
    method: "GET",
    path: "/shared/:token/annotations/",
    summary:
      `The newest ${ANNOTATIONS_MAX} annotations of what a link shows: of its insights, of its dashboard, of the project and of ` +
      "all projects; none of other insights and dashboards, and none at all where the link's owner hides them",
    confinement: "open",
    linkParam: "token",
    responses: { 200: SHARED_ANNOTATIONS, 404: ERROR, 429: ERROR },
    handle: showAnnotations,
  },
];

async function showAnnotations(call: OpenCall): Promise<Response> {
  const opened = await open(call, call.params.token ?? "");
  if (!opened.link.annotations) return json({ results: [] });
  const { id: teamId, organizationId } = opened.environment;
  const insights = opened.kind === "insight" ? [opened.insight] : opened.content.insights;
  const place = { teamId, organizationId, insightIds: insights.map(({ id }) => id) };
  const dashboardId = opened.kind === "insight" ? null : opened.dashboard.id;
  const found = await call.deps.db.read((tx) => sharedAnnotations(tx, { ...place, dashboardId }, ANNOTATIONS_MAX));
  return json({ results: found.map((one) => SHARED_ANNOTATION.show(one, null)) });
}

const JSON_SUFFIX = /\.json$/;

async function showOpened(call: OpenCall): Promise<Response> {
  const name = call.params.token ?? "";
  const opened = await open(call, name.replace(JSON_SUFFIX, ""));
  const { kind: type, link, environment, caller } = opened;
  const settings = linkSettings(link);
  if (opened.kind === "dashboard") {
    return json({ type, dashboard: dashboardBody(opened, datesOf(call, opened)), settings });
  }
  const insight = await showInsight({ ...call, environment, caller }, opened.insight, showingOf(call, opened));
  return json({ type, insight, settings });
}

async function showOne(call: OpenCall): Promise<Response> {
  const opened = await open(call, call.params.token ?? "");
  const id = readId(call.params.id);
  const insights = opened.kind === "insight" ? [opened.insight] : opened.content.insights;
  const insight = insights.find((one) => one.id === id);
  if (insight === undefined) throw notFound();
  const asker = { ...call, environment: opened.environment, caller: opened.caller };
  const showing = showingOf(call, opened);
  if (call.query.get("format") === "csv") return insightFile(asker, insight, showing);
  return json(await showInsight(asker, insight, showing));
}

/** How an insight is answered to a link: there must be something to see the first time, too. */
function showingOf(call: OpenCall, opened: Opened): Showing & { viewer: "link" } {
  const asked = call.query.get("refresh");
  return {
    mode: asked === null ? "async_except_on_cache_miss" : sharedRefresh(parseRefresh(asked)),
    viewer: "link",
    overrides: datesOf(call, opened),
    isAlone: true,
  };
}

/** What a dashboard puts over its insights, and over that the dates of the request. Throws ApiError 400. */
function datesOf({ query, nowMs }: OpenCall & { query: Query }, opened: Opened): Overrides {
  const base = opened.kind === "dashboard" ? overridesOf(opened.dashboard) : NO_OVERRIDES;
  const dates = readDates(query, opened.link, calendarAt(opened.environment, nowMs));
  const filters = Object.keys(dates).length > 0 ? { date_from: null, date_to: null, ...dates } : {};
  return mergeOverrides(base, { filters, variables: {} });
}

type OpenedDashboard = Extract<Opened, { kind: "dashboard" }>;

function dashboardBody({ dashboard, content }: OpenedDashboard, overrides: Overrides) {
  const heads = content.insights.map((insight) => {
    const node = nodeOfInsight(insight);
    return [insight.id, { ...insight, query: node === null ? null : overridden(node, overrides) }] as const;
  });
  return SHARED_DASHBOARD.show(dashboard, { tiles: placed(content.tiles, new Map(heads)) });
}
