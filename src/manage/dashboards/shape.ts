import { Type } from "@sinclair/typebox";
import type { Dashboard, TileText } from "../../metadata/mod.ts";
import { anything, integer, nullable, object, TIME, text } from "../../openapi/mod.ts";
import { shownFields } from "../http/fields.ts";
import { INSIGHT } from "../insights/shape.ts";
import { accessMembers, always, type Members, shape, userOf, type WithUsers } from "../resource/shape.ts";
import type { Viewer } from "../serve/access.ts";
import type { Placed } from "./content.ts";
import { DASHBOARD_FIELDS } from "./fields.ts";

const EVERYONE_CAN_EDIT = 21;

/** What a dashboard is shown with. */
export interface Around extends WithUsers {
  viewer: Viewer;
  /** Those of the dashboards that a link opens. */
  shared: ReadonlySet<number>;
}

const FIELDS = shownFields(DASHBOARD_FIELDS);

const BASIC: Members<Dashboard, Around> = {
  id: integer(),
  name: FIELDS.name,
  description: FIELDS.description,
  pinned: FIELDS.pinned,
  created_at: TIME,
  created_by: userOf(({ createdBy }) => createdBy),
  last_modified_at: TIME,
  last_modified_by: userOf(({ lastModifiedBy }) => lastModifiedBy),
  is_shared: [Type.Boolean(), ({ id }, { shared }) => shared.has(id)],
  deleted: FIELDS.deleted,
  creation_mode: [text(), () => "default"],
  tags: FIELDS.tags,
  team_id: integer(),
  restriction_level: [integer(), () => EVERYONE_CAN_EDIT],
  access_control_version: [text(), () => "v1"],
  // Looks at dashboards are not noted; results have their times, each its own.
  last_accessed_at: always(null),
  last_refresh: always(null),
  ...accessMembers("dashboard"),
};

/** A dashboard in lists. */
export const BASIC_DASHBOARD = shape("BasicDashboard", BASIC);

const TILE = {
  id: integer(),
  dashboard_id: integer(),
  deleted: nullable(Type.Boolean()),
  layouts: anything("Where it stands, by size of the screen."),
  color: nullable(text()),
};

type TextTile = TileText & { id: number; teamId: number };
const TILE_TEXT = shape<TextTile, WithUsers>("TileText", {
  id: integer("That of its tile."),
  body: text("Markdown."),
  created_by: userOf(({ createdBy }) => createdBy),
  last_modified_at: TIME,
  last_modified_by: userOf(({ lastModifiedBy }) => lastModifiedBy),
  team: [integer(), "teamId"],
});

const SHOWN_TILE = shape<Placed<object>, WithUsers & { teamId: number }>("Tile", {
  id: TILE.id,
  dashboard_id: TILE.dashboard_id,
  order: integer(),
  deleted: TILE.deleted,
  layouts: TILE.layouts,
  color: TILE.color,
  insight: nullable(INSIGHT.schema),
  text: [
    nullable(TILE_TEXT.schema),
    ({ id, text }, { teamId, users }) => text && TILE_TEXT.show({ ...text, id, teamId }, { users }),
  ],
});

export const DASHBOARD = shape<Dashboard, Around & { tiles: readonly Placed<object>[] }>("Dashboard", {
  ...BASIC,
  filters: FIELDS.filters,
  variables: FIELDS.variables,
  persisted_filters: [FIELDS.filters, ({ filters }) => filters],
  persisted_variables: [FIELDS.variables, ({ variables }) => variables],
  tiles: [
    Type.Array(SHOWN_TILE.schema),
    ({ teamId }, { tiles, users }) => tiles.map((tile) => SHOWN_TILE.show(tile, { teamId, users })),
  ],
});

/** A tile that was just put on a dashboard. */
export const NEW_TILE = object("NewTile", { ...TILE, insight: integer("The id of the insight.") });
