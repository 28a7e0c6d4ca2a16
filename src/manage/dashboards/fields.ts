import { changeTimeMs, type Dashboard, type DashboardContent } from "../../metadata/mod.ts";
import { anyJson, boolean, type FieldValues, integer, list, nullable, object, text } from "../http/fields.ts";
import { tagSet, tagsField } from "../insights/fields.ts";

const NAME_MAX = 400;
const COLOR_MAX = 400;

export const DASHBOARD_FIELDS = {
  name: nullable(text({ maxLength: NAME_MAX, blank: true })),
  description: text({ blank: true }),
  pinned: boolean(),
  deleted: boolean(),
  filters: object(),
  variables: nullable(object()),
  tags: tagsField(),
};
export type DashboardValues = FieldValues<typeof DASHBOARD_FIELDS>;

/** Of an entry of `tiles`; its `id` says which one. */
export const TILE_FIELDS = {
  deleted: nullable(boolean()),
  color: nullable(text({ maxLength: COLOR_MAX, blank: true })),
  layouts: anyJson(),
};
export const TILE_ID = { id: integer({ min: 1 }) };
export const TILES = { tiles: list(object()) };

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

/** The content with the given values in place of the present ones. */
export function applyValues(present: DashboardContent, values: DashboardValues): DashboardContent {
  return {
    name: values.name === undefined ? present.name : values.name,
    description: values.description ?? present.description,
    pinned: values.pinned ?? present.pinned,
    deleted: values.deleted ?? present.deleted,
    filters: values.filters ?? present.filters,
    variables: values.variables === undefined ? present.variables : (values.variables ?? {}),
    tags: values.tags === undefined ? present.tags : tagSet(values.tags),
  };
}

/** A dashboard after a PATCH. */
export function patchDashboard(present: Dashboard, values: DashboardValues, userId: number, nowMs: number): Dashboard {
  return {
    ...present,
    ...applyValues(present, values),
    updatedAtMs: changeTimeMs(present.updatedAtMs, nowMs),
    lastModifiedAtMs: changeTimeMs(present.lastModifiedAtMs, nowMs),
    lastModifiedBy: userId,
  };
}
