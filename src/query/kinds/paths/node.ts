import { type Static, Type } from "@sinclair/typebox";
import type { JsonObject } from "../../../types/mod.ts";
import { INSIGHT_FIELDS } from "../../insight/node.ts";
import { anything, check, object, optional } from "../../shape/shapes.ts";

/** What paths may be made of. */
export const ITEM_TYPES = ["$pageview", "$screen", "custom_event", "hogql"] as const;

/** Longer texts of a user are refused. */
const MAX_TEXT = 2_000;
/** Rules, wildcards and excluded items. */
const MAX_TEXTS = 200;

const Text = Type.String({ maxLength: MAX_TEXT });
const Texts = optional(Type.Array(Text, { maxItems: MAX_TEXTS }));

/** A rule of cleaning: what the regular expression finds becomes the alias. */
const RuleSchema = object({ regex: optional(Text), alias: optional(Text), order: anything });

const PathsFilterSchema = object({
  includeEventTypes: optional(Type.Array(Type.Union(ITEM_TYPES.map((type) => Type.Literal(type))), { maxItems: 10 })),
  pathsHogQLExpression: optional(Type.String()),
  startPoint: optional(Text),
  endPoint: optional(Text),
  pathGroupings: Texts,
  excludeEvents: Texts,
  stepLimit: optional(Type.Integer({ minimum: 1, maximum: 100 })),
  edgeLimit: optional(Type.Integer({ minimum: 1, maximum: 10_000 })),
  minEdgeWeight: optional(Type.Integer({ minimum: 0 })),
  maxEdgeWeight: optional(Type.Integer({ minimum: 0 })),
  pathReplacements: optional(Type.Boolean()),
  localPathCleaningFilters: optional(Type.Array(RuleSchema, { maxItems: MAX_TEXTS })),
  pathStartKey: optional(Type.String()),
  pathEndKey: optional(Type.String()),
  pathDropoffKey: optional(Type.String()),
  showFullUrls: anything,
});

export const PathsSchema = object({
  kind: Type.Literal("PathsQuery"),
  ...INSIGHT_FIELDS,
  pathsFilter: optional(PathsFilterSchema),
  funnelPathsFilter: anything,
});

export type PathsFilter = Static<typeof PathsFilterSchema>;
export type PathsQuery = Static<typeof PathsSchema>;

/** A PathsQuery's shape. Errors: TerminalError `invalid_query` that names the place. */
export const readPaths = (node: JsonObject): PathsQuery => check(PathsSchema, node, "");
