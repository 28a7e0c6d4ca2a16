import { isJsonObject, type Json, type JsonObject } from "../../types/mod.ts";
import { asNumber, isObject, stringifyExact } from "../exact.ts";
import type { Carried, DefinitionKind, ObjectKind, Tile } from "./model.ts";

/** Where each kind is listed, and which members are taken of it. */
export const OBJECTS: Record<ObjectKind, { path: string; members: readonly string[] }> = {
  cohort: { path: "cohorts/", members: ["name", "description", "is_static", "filters"] },
  action: { path: "actions/", members: ["name", "description", "steps", "tags"] },
  insight: {
    path: "insights/?basic=true",
    members: ["name", "derived_name", "description", "query", "filters", "saved", "favorited", "tags"],
  },
  dashboard: { path: "dashboards/", members: ["name", "description", "pinned", "filters", "variables", "tags"] },
  annotation: {
    path: "annotations/",
    members: ["content", "date_marker", "scope", "creation_type", "hidden_in_user_interface"],
  },
  alert: {
    path: "alerts/",
    members: ["name", "condition", "config", "detector_config", "calculation_interval", "skip_weekend"],
  },
};

export const DEFINITIONS: Record<
  DefinitionKind,
  { path: string; keys: readonly string[]; members: readonly string[] }
> = {
  event_definition: {
    path: "event_definitions/",
    keys: ["name"],
    members: ["description", "tags", "verified", "hidden"],
  },
  property_definition: {
    path: "property_definitions/",
    keys: ["name", "type", "group_type_index"],
    members: ["property_type", "description", "tags", "verified", "hidden"],
  },
};

/** Settings of a project that change answers, or how these are shown. What they are where nobody has set them. */
export const SETTINGS: Record<string, readonly Json[]> = {
  timezone: ["UTC"],
  week_start_day: [null, 0],
  test_account_filters: [null, []],
  path_cleaning_filters: [null, []],
  person_display_name_properties: [null, []],
  correlation_config: [null, {}],
  data_attributes: [null, [], ["data-attr"]],
  anonymize_ips: [null, false],
};
export const PRIMARY_DASHBOARD = "primary_dashboard";

/** The members named, without those that are absent or null. */
export function taken(item: JsonObject, members: readonly string[]): JsonObject {
  const entries = members.map((name) => [name, item[name]] as const);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined && value !== null)) as JsonObject;
}

/** An item of a list as it is carried. */
export function carriedOf(kind: ObjectKind, item: JsonObject): Carried {
  const body = taken(item, OBJECTS[kind].members);
  if (kind === "insight") {
    // A query has taken the place of the old filters.
    if (body.query === undefined) delete body.query;
    else delete body.filters;
  }
  if (kind === "cohort" && body.is_static === true) delete body.filters;
  if (kind === "action" && Array.isArray(body.steps)) body.steps = body.steps.filter(isJsonObject).map(wholeStep);
  if (kind === "annotation") Object.assign(body, placeOf(item));
  if (kind === "alert") Object.assign(body, watchedBy(item));
  return { id: kind === "alert" ? String(item.id) : Number(item.id), body };
}

/** What an annotation stands on; others belong to what they were made at, which is left. */
function placeOf(item: JsonObject): JsonObject {
  if (item.scope === "dashboard_item") return taken(item, ["dashboard_item"]);
  return item.scope === "dashboard" ? taken(item, ["dashboard_id"]) : {};
}

/** The insight of an alert, and its bounds without when they were made. */
function watchedBy({ insight, threshold }: JsonObject): JsonObject {
  return {
    insight: isJsonObject(insight) ? (insight.id ?? null) : null,
    ...(isJsonObject(threshold) && { threshold: taken(threshold, ["configuration"]) }),
  };
}

const STEP = [
  "event",
  "properties",
  "selector",
  "tag_name",
  "text",
  "text_matching",
  "href",
  "href_matching",
  "url",
  "url_matching",
];

/** Without members that are told only: of an element's selector, for example. */
const wholeStep = (step: JsonObject): JsonObject => ({ url_matching: "contains", ...taken(step, STEP) });

/** The tiles of a dashboard as it is retrieved, without those that were taken away. */
export function tilesOf(dashboard: JsonObject): Tile[] {
  const tiles = Array.isArray(dashboard.tiles) ? dashboard.tiles.filter(isJsonObject) : [];
  return tiles
    .filter((tile) => tile.deleted !== true)
    .map((tile) => ({
      insight: isJsonObject(tile.insight) ? Number(tile.insight.id) : null,
      text: isJsonObject(tile.text) ? String(tile.text.body ?? "") : null,
      layouts: isJsonObject(tile.layouts) ? tile.layouts : {},
      color: typeof tile.color === "string" ? tile.color : null,
    }));
}

/** Equal for objects that mean the same: without order of members, and without what is empty. */
export function fingerprint(value: Json): string {
  return stringifyExact(meant(value) ?? null);
}

function meant(value: Json): Json | undefined {
  if (Array.isArray(value)) return value.length === 0 ? undefined : value.map((item) => meant(item) ?? null);
  if (!isObject(value)) return value === null || value === "" || value === false ? undefined : asNumber(value);
  const entries = Object.entries(value)
    .map(([name, member]) => [name, meant(member)] as const)
    .filter(([, member]) => member !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return entries.length === 0 ? undefined : (Object.fromEntries(entries) as JsonObject);
}
