import type { InsightContent } from "../../metadata/mod.ts";
import type { JsonObject } from "../../types/mod.ts";
import { list, object } from "../http/compound.ts";
import { boolean, type Field, type FieldValues, integer, nullable, text } from "../http/fields.ts";
import { checkNode } from "../query/nodes.ts";
import { SAVED_NODE } from "../query/schema.ts";
import { tagsField } from "../resource/tags.ts";

const TEXT_MAX = 400;

function queryNode(): Field<JsonObject> {
  return { schema: SAVED_NODE, read: checkNode };
}

export const INSIGHT_FIELDS = {
  name: nullable(text({ maxLength: TEXT_MAX, blank: true })),
  derived_name: nullable(text({ maxLength: TEXT_MAX, blank: true })),
  description: nullable(text({ maxLength: TEXT_MAX, blank: true })),
  filters: nullable(object()),
  query: nullable(queryNode()),
  order: nullable(integer()),
  deleted: boolean(),
  saved: boolean(),
  favorited: boolean(),
  tags: tagsField(),
  dashboards: list(integer()),
};
export type InsightValues = FieldValues<typeof INSIGHT_FIELDS>;

export const NEW_INSIGHT: InsightContent = {
  name: null,
  derivedName: null,
  description: null,
  filters: {},
  query: null,
  order: null,
  deleted: false,
  saved: false,
  favorited: false,
  isSample: false,
  tags: [],
};

/** Fields whose change counts as a modification; favouring or tagging an insight does not. */
export const MODIFYING = ["name", "description", "filters", "query", "deleted", "saved"] as const;
