import { Type } from "@sinclair/typebox";
import { anything, integer, nullable, object, TIME, text } from "../../openapi/mod.ts";
import { shownFields } from "../http/fields.ts";
import { ACCESS_FIELDS, USER } from "../http/shapes.ts";
import { INSIGHT } from "../insights/schema.ts";
import { DASHBOARD_FIELDS } from "./fields.ts";

const { filters, variables, ...SHOWN } = shownFields(DASHBOARD_FIELDS);

const BASIC = {
  ...SHOWN,
  id: integer(),
  created_at: TIME,
  created_by: USER,
  last_modified_at: TIME,
  last_modified_by: USER,
  is_shared: Type.Boolean(),
  creation_mode: text(),
  team_id: integer(),
  restriction_level: integer(),
  access_control_version: text(),
  last_accessed_at: Type.Null(),
  last_refresh: Type.Null(),
  ...ACCESS_FIELDS,
};

/** A dashboard in lists. */
export const BASIC_DASHBOARD = object("BasicDashboard", BASIC);

const TILE = {
  id: integer(),
  dashboard_id: integer(),
  deleted: nullable(Type.Boolean()),
  layouts: anything("Where it stands, by size of the screen."),
  color: nullable(text()),
};

export const DASHBOARD = object("Dashboard", {
  ...BASIC,
  filters,
  variables,
  persisted_filters: filters,
  persisted_variables: variables,
  tiles: Type.Array(object("Tile", { ...TILE, order: integer(), insight: INSIGHT, text: Type.Null() })),
});

/** A tile that was just put on a dashboard. */
export const NEW_TILE = object("NewTile", { ...TILE, insight: integer("The id of the insight.") });
