import { type TSchema, Type } from "@sinclair/typebox";
import {
  alertsOfInsights,
  findUsers,
  type Insight,
  type Tile,
  tilesOfInsights,
  type User,
  visibleAmong,
} from "../../metadata/mod.ts";
import { anyObject, anything, integer, nullable, object, TIME, text } from "../../openapi/mod.ts";
import type { Tx } from "../../store/mod.ts";
import type { JsonObject } from "../../types/mod.ts";
import { ALERT, showAlerts } from "../alerts/shown/alert.ts";
import { shownFields } from "../http/fields.ts";
import type { JsonText } from "../http/longList.ts";
import { isoTime } from "../http/reply.ts";
import { pageOf } from "../http/shapes.ts";
import { type Answer, cacheFields } from "../query/answer.ts";
import { CACHE_FIELDS } from "../query/schema.ts";
import { accessMembers, type Members, shape, userOf } from "../resource/shape.ts";
import { accessLevel, type Viewer, visibleTo } from "../serve/access.ts";
import { hasScope } from "../serve/guard.ts";
import { INSIGHT_FIELDS } from "./fields.ts";

/** Records that an insight is shown with. */
export interface Related {
  users: ReadonlyMap<number, User>;
  /** Live tiles, by insight. */
  tiles: ReadonlyMap<number, Tile[]>;
  /** Bodies of its alerts, by insight; none for a viewer that may not read alerts. */
  alerts: ReadonlyMap<number, readonly object[]>;
}

/** Of each alert. */
const CHECKS_SHOWN = 5;

/** Those of several insights at once. */
export async function relatedOf(tx: Tx, insights: readonly Insight[], viewer: Viewer): Promise<Related> {
  const userIds = insights.flatMap((insight) => [insight.createdBy, insight.lastModifiedBy]);
  const users = await findUsers(tx, userIds);
  const tiles = await tilesOfInsights(
    tx,
    insights.map(({ id }) => id),
  );
  const visible = viewer === "link" ? null : visibleTo(viewer, "dashboard");
  const ids = tiles.map(({ dashboardId }) => dashboardId);
  const teamId = insights[0]?.teamId ?? 0;
  // Dashboards that the viewer cannot see are not named either.
  const seen = await visibleAmong(tx, { teamId, kind: "dashboard", ids, visible });
  const shown = tiles.filter(({ dashboardId }) => seen.has(dashboardId));
  const alerts = await alertsOf(tx, insights, viewer);
  return { users, tiles: Map.groupBy(shown, (tile) => tile.insightId), alerts };
}

async function alertsOf(tx: Tx, insights: readonly Insight[], viewer: Viewer): Promise<Related["alerts"]> {
  if (viewer === "link" || !hasScope(viewer.grant, "alert:read")) return new Map();
  const byId = new Map(insights.map((insight) => [insight.id, insight]));
  const found = await alertsOfInsights(tx, insights[0]?.teamId ?? 0, [...byId.keys()]);
  const bodies = await showAlerts(
    tx,
    viewer,
    found.map((alert) => ({ ...alert, insight: byId.get(alert.insightId)! })),
    CHECKS_SHOWN,
  );
  return Map.groupBy(bodies, (_, index) => found[index]!.insightId);
}

/** An insight as it is shown. */
export interface ShownInsight extends Insight {
  /** As it was asked: changed by what a dashboard or the request puts over it. Null without one. */
  query: JsonObject | null;
  /** Null for an insight without a query. */
  answer: Answer | null;
}

/** What it is shown with. */
export interface Around extends Related {
  viewer: Viewer;
  timezone: string | null;
}

const FIELDS = shownFields(INSIGHT_FIELDS);

const HEAD: Members<ShownInsight, Related> = {
  id: integer(),
  short_id: text(),
  name: FIELDS.name,
  derived_name: FIELDS.derived_name,
  filters: [
    nullable(anyObject("The legacy form of the query; empty where there is a query.")),
    ({ query, filters }) => (query === null ? filters : {}),
  ],
  query: nullable(anyObject("The query node, as it was asked.")),
  dashboards: [FIELDS.dashboards, (insight, around) => tilesOf(insight, around).map((tile) => tile.dashboardId)],
  dashboard_tiles: [
    Type.Array(object("InsightTile", { id: integer(), dashboard_id: integer(), deleted: nullable(Type.Boolean()) })),
    (insight, around) =>
      tilesOf(insight, around).map(({ id, dashboardId, deleted }) => ({ id, dashboard_id: dashboardId, deleted })),
  ],
  description: FIELDS.description,
  last_refresh: [nullable(TIME), ({ answer }) => isoTime(answer?.computedAtMs ?? null)],
};
const TAIL: Members<ShownInsight, Related> = {
  saved: FIELDS.saved,
  tags: FIELDS.tags,
  updated_at: TIME,
  created_by: userOf(({ createdBy }) => createdBy),
  created_at: TIME,
  last_modified_at: TIME,
  favorited: FIELDS.favorited,
};

const tilesOf = ({ id }: Insight, { tiles }: Related) => tiles.get(id) ?? [];

/** The short form, with `basic=true`; what the viewer may do with it only where `viewer` is given. */
export const BASIC_INSIGHT = shape<ShownInsight, Related & { viewer?: Viewer }>("BasicInsight", {
  ...HEAD,
  refreshing: [Type.Boolean(), () => false],
  ...TAIL,
  user_access_level: [
    Type.Optional(text("What you may do with it, where `user_access_level` asks for that.")),
    (insight, { viewer }) => (viewer === undefined ? undefined : accessLevel(viewer, "insight", insight)),
  ],
});

const NO_ANSWER = {
  is_cached: false,
  last_refresh: null,
  cache_target_age: null,
  next_allowed_client_refresh: null,
  query_status: null,
};

type Cache = { [K in keyof typeof CACHE_FIELDS]: unknown };
/** What is known of the answer to its query. */
interface Answered {
  cache: Cache;
  /** Those of the result. */
  members: ReturnType<JsonText["members"]>;
}

/** A member of the result; null for nothing. */
const answered = (schema: TSchema, name: string) =>
  [schema, (_: ShownInsight, { members }: Answered) => members.get(name) ?? null] as const;

const CACHE = Object.fromEntries(
  (Object.keys(CACHE_FIELDS) as (keyof Cache)[]).map((name) => [
    name,
    [CACHE_FIELDS[name], (_: ShownInsight, { cache }: Answered) => cache[name]],
  ]),
) as Members<ShownInsight, Answered>;

const RANGE = Type.Object({ date_from: text(), date_to: text() }, { description: "The dates that the query meant." });

const WHOLE: Members<ShownInsight, Around & Answered> = {
  ...HEAD,
  ...TAIL,
  order: FIELDS.order,
  deleted: FIELDS.deleted,
  ...CACHE,
  result: answered(anything("What was answered to the query; null for nothing."), "results"),
  hasMore: answered(nullable(Type.Boolean()), "hasMore"),
  columns: answered(nullable(Type.Array(text())), "columns"),
  types: answered(nullable(Type.Array(anything())), "types"),
  hogql: answered(nullable(text()), "hogql"),
  resolved_date_range: answered(nullable(RANGE), "resolved_date_range"),
  last_modified_by: userOf(({ lastModifiedBy }) => lastModifiedBy),
  is_sample: Type.Boolean(),
  alerts: [Type.Array(ALERT.schema), ({ id }, { alerts }) => alerts.get(id) ?? []],
  ...accessMembers("insight"),
  timezone: [nullable(text("IANA name.")), (_, { timezone }) => timezone],
  filters_hash: [
    nullable(text("The key of the result in the cache.")),
    ({ answer }) => answer?.question.cacheKey ?? null,
  ],
};

const { schema, show } = shape("Insight", WHOLE);

/** The whole object; with `from_dashboard` there are members of its tile, too. */
export const INSIGHT = {
  show(insight: ShownInsight, around: Around) {
    const { answer } = insight;
    const cache = answer === null ? NO_ANSWER : cacheFields(answer);
    return show(insight, { ...around, cache, members: answer?.text?.members() ?? new Map() });
  },
  schema: object("Insight", {
    ...schema.properties,
    color: Type.Optional(nullable(text("Of its tile, with `from_dashboard`."))),
    layouts: Type.Optional(anything("Of its tile, with `from_dashboard`.")),
  }),
};

const EITHER = Type.Union([INSIGHT.schema, BASIC_INSIGHT.schema]);

/** A list may hold the short form of all. */
export const INSIGHTS_PAGE = pageOf(EITHER, "InsightsPage");
export const INSIGHTS_LIST = Type.Array(EITHER);

/** A file that is asked for before there is a result, or where there will be none. */
export const NO_FILE = object("InsightWithoutFile", CACHE_FIELDS);
