import { changeTimeMs, type Insight, type InsightContent } from "../../metadata/mod.ts";
import type { JsonObject } from "../../types/mod.ts";
import { boolean, type Field, type FieldValues, integer, list, nullable, object, text } from "../http/fields.ts";
import { checkNode } from "../query/nodes.ts";
import { SAVED_NODE } from "../query/schema.ts";

const TEXT_MAX = 400;
const TAG_MAX = 255;

function queryNode(): Field<JsonObject> {
  return { schema: SAVED_NODE, read: checkNode };
}

/** Labels; trimmed, and lower-cased by `tagSet`. */
export const tagsField = () => list(text({ maxLength: TAG_MAX }));

/** Lower-case, sorted, each once. */
export function tagSet(tags: readonly string[]): string[] {
  return [...new Set(tags.map((tag) => tag.toLowerCase()))].sort();
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

/** The content with the given values in place of the present ones. */
export function applyValues(present: InsightContent, values: InsightValues): InsightContent {
  const pick = <T>(value: T | undefined, old: T): T => (value === undefined ? old : value);
  return {
    name: pick(values.name, present.name),
    derivedName: pick(values.derived_name, present.derivedName),
    description: pick(values.description, present.description),
    filters: pick(values.filters, present.filters),
    query: pick(values.query, present.query),
    order: pick(values.order, present.order),
    deleted: pick(values.deleted, present.deleted),
    saved: pick(values.saved, present.saved),
    favorited: pick(values.favorited, present.favorited),
    tags: values.tags === undefined ? present.tags : tagSet(values.tags),
    isSample: false,
  };
}

/** Fields whose change counts as a modification; favouring or tagging an insight does not. */
const MODIFYING = ["name", "description", "filters", "query", "deleted", "saved"] as const;

/** An insight after a PATCH. */
export function patchInsight(present: Insight, values: InsightValues, userId: number, nowMs: number): Insight {
  const isModified = MODIFYING.some((name) => values[name] !== undefined);
  return {
    ...present,
    ...applyValues(present, values),
    updatedAtMs: changeTimeMs(present.updatedAtMs, nowMs),
    lastModifiedAtMs: isModified ? changeTimeMs(present.lastModifiedAtMs, nowMs) : present.lastModifiedAtMs,
    lastModifiedBy: isModified ? userId : present.lastModifiedBy,
  };
}
