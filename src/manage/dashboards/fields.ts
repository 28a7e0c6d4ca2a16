import type { DashboardContent } from "../../metadata/mod.ts";
import { anyJson, list, members, object } from "../http/compound.ts";
import { bodySchema, boolean, type FieldValues, integer, mapped, nullable, text } from "../http/fields.ts";
import { tagsField } from "../resource/tags.ts";

const NAME_MAX = 400;
const COLOR_MAX = 400;

export const DASHBOARD_FIELDS = {
  name: nullable(text({ maxLength: NAME_MAX, blank: true })),
  description: text({ blank: true }),
  pinned: boolean(),
  deleted: boolean(),
  filters: object(),
  variables: mapped(nullable(object()), (variables) => variables ?? {}),
  tags: tagsField(),
};

/** Of an entry of `tiles`; its `id` says which one. */
export const TILE_FIELDS = {
  deleted: nullable(boolean()),
  color: nullable(text({ maxLength: COLOR_MAX, blank: true })),
  layouts: anyJson(),
};
export const TILE_ID = { id: integer({ min: 1 }) };
/** Markdown, as PostHog's texts in length. */
const BODY = text({ maxLength: 4000, blank: true });
/** Of an entry that is a text, or is to become one. */
export const TILE_TEXT = { text: nullable(members({ body: { field: BODY, isRequired: true } })) };
export const TEXT_FIELDS = { body: BODY };
/** How many texts a dashboard can have; each change of its tiles is logged with all of them. */
export const TEXTS_MAX = 50;
/** Of a new one: the name of a ready-made dashboard that it begins with, or the id of one that it is like. */
export const BEGINNING = {
  use_template: nullable(text({ blank: true })),
  use_dashboard: nullable(integer({ min: 1 })),
  duplicate_tiles: nullable(boolean()),
};
/** Of a change that deletes: whether the insights go with it that are on no other dashboard. */
export const ENDING = { delete_insights: boolean() };
/** Of a change. Each entry is read when its tile is known. */
export const TILES = {
  tiles: list({ ...object(), schema: bodySchema({ ...TILE_ID, ...TILE_FIELDS, ...TILE_TEXT }) }),
};
export type DashboardValues = FieldValues<typeof DASHBOARD_FIELDS & typeof BEGINNING & typeof ENDING & typeof TILES>;

export const NEW_TILE_FIELDS = { insight: integer({ min: 1 }) };

export const NEW_DASHBOARD: DashboardContent = {
  name: null,
  description: "",
  pinned: false,
  deleted: false,
  filters: {},
  variables: {},
  tags: [],
};
