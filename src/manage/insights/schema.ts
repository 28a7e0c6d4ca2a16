import { Type } from "@sinclair/typebox";
import { anyObject, anything, integer, nullable, object, TIME, text } from "../../openapi/mod.ts";
import { shownFields } from "../http/fields.ts";
import { ACCESS_FIELDS, USER } from "../http/shapes.ts";
import { CACHE_FIELDS } from "../query/schema.ts";
import { INSIGHT_FIELDS } from "./fields.ts";

const { order, deleted, ...SHOWN } = shownFields(INSIGHT_FIELDS);

const BASIC = {
  ...SHOWN,
  filters: nullable(anyObject("The legacy form of the query; empty where there is a query.")),
  query: nullable(anyObject("The query node, as it was asked.")),
  id: integer(),
  short_id: text(),
  dashboard_tiles: Type.Array(
    object("InsightTile", { id: integer(), dashboard_id: integer(), deleted: nullable(Type.Boolean()) }),
  ),
  last_refresh: nullable(TIME),
  updated_at: TIME,
  created_by: USER,
  created_at: TIME,
  last_modified_at: TIME,
};

/** The short form, with `basic=true`. */
export const BASIC_INSIGHT = object("BasicInsight", { ...BASIC, refreshing: Type.Boolean() });

const WHOLE = {
  ...BASIC,
  ...CACHE_FIELDS,
  order,
  deleted,
  result: anything("What was answered to the query; null for nothing."),
  hasMore: nullable(Type.Boolean()),
  columns: nullable(Type.Array(text())),
  types: nullable(Type.Array(anything())),
  hogql: nullable(text()),
  last_modified_by: USER,
  is_sample: Type.Boolean(),
  ...ACCESS_FIELDS,
  alerts: Type.Array(anything()),
  timezone: nullable(text("IANA name.")),
  filters_hash: nullable(text("The key of the result in the cache.")),
};

export const INSIGHT = object("Insight", {
  ...WHOLE,
  color: Type.Optional(nullable(text("Of its tile, with `from_dashboard`."))),
  layouts: Type.Optional(anything("Of its tile, with `from_dashboard`.")),
});

/** A list may hold the short form of all. */
export const INSIGHTS_PAGE = object("InsightsPage", {
  count: integer("Of the whole list."),
  next: nullable(Type.String({ format: "uri" })),
  previous: nullable(Type.String({ format: "uri" })),
  results: Type.Array(Type.Union([INSIGHT, BASIC_INSIGHT])),
});
export const INSIGHTS = Type.Array(Type.Union([INSIGHT, BASIC_INSIGHT]));

export const SHARED_INSIGHT = object("SharedInsight", { insight: INSIGHT });

export const SHARING = object("Sharing", { created_at: nullable(TIME), enabled: Type.Boolean(), access_token: text() });

/** A file that is asked for before there is a result, or where there will be none. */
export const NO_FILE = object("InsightWithoutFile", CACHE_FIELDS);
