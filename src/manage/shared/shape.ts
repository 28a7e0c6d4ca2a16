import { Type } from "@sinclair/typebox";
import type { Dashboard, Insight, Tile } from "../../metadata/mod.ts";
import { anyObject, anything, integer, nullable, object, oneOf, text } from "../../openapi/mod.ts";
import type { JsonObject } from "../../types/mod.ts";
import type { Placed } from "../dashboards/content.ts";
import { INSIGHT } from "../insights/shape.ts";
import { shape } from "../resource/shape.ts";
import { LINK_SETTINGS } from "../resource/sharingRoutes.ts";

/** An insight of a shared dashboard, before it is answered. `query`: as it will be asked. */
type HeadInsight = Insight & { query: JsonObject | null };
const HEAD = shape<HeadInsight>("SharedTileInsight", {
  id: integer(),
  short_id: text(),
  name: nullable(text()),
  derived_name: nullable(text()),
  description: nullable(text()),
  query: nullable(anyObject("The query node, under the dashboard's filters.")),
});

const TEXT = shape<NonNullable<Tile["text"]>>("SharedTileText", { body: text("Markdown.") });

const TILE = shape<Placed<HeadInsight>>("SharedTile", {
  id: integer(),
  order: integer(),
  layouts: anything("Where it stands, by size of the screen."),
  color: nullable(text()),
  text: [nullable(TEXT.schema), ({ text }) => text && TEXT.show(text, null)],
  insight: [nullable(HEAD.schema), ({ insight }) => insight && HEAD.show(insight, null)],
});

export const SHARED_DASHBOARD = shape<Dashboard, { tiles: readonly Placed<HeadInsight>[] }>("SharedDashboard", {
  id: integer(),
  name: nullable(text()),
  description: text(),
  filters: anyObject("Over all of its insights."),
  tiles: [Type.Array(TILE.schema), (_, { tiles }) => tiles.map((tile) => TILE.show(tile, null))],
});

/** What a link opens, as JSON. */
export const OPENED_INSIGHT = object("OpenedInsight", {
  type: oneOf(["insight"]),
  insight: INSIGHT.schema,
  settings: LINK_SETTINGS,
});
export const OPENED_DASHBOARD = object("OpenedDashboard", {
  type: oneOf(["dashboard"]),
  dashboard: SHARED_DASHBOARD.schema,
  settings: LINK_SETTINGS,
});
