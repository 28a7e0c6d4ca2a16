import { type Static, Type } from "@sinclair/typebox";
import type { JsonObject } from "../../../types/mod.ts";
import { INSIGHT_FIELDS } from "../../insight/node.ts";
import { inside } from "../../shape/errors.ts";
import { anything, check, object, optional } from "../../shape/shapes.ts";
import { type FunnelsQuery, readSteps } from "../funnels/node.ts";

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

/** The actors of a step of a funnel, before, after, or up to it. */
const FunnelPathsSchema = object({
  funnelPathType: Type.Union([
    Type.Literal("funnel_path_before_step"),
    Type.Literal("funnel_path_between_steps"),
    Type.Literal("funnel_path_after_step"),
  ]),
  funnelSource: Type.Record(Type.String(), Type.Unknown()),
  funnelStep: Type.Integer(),
});

export const PathsSchema = object({
  kind: Type.Literal("PathsQuery"),
  ...INSIGHT_FIELDS,
  pathsFilter: optional(PathsFilterSchema),
  funnelPathsFilter: optional(FunnelPathsSchema),
});

export type PathsFilter = Static<typeof PathsFilterSchema>;
/** `funnelStep` is as of a FunnelsActorsQuery. */
export type FunnelPaths = Omit<Static<typeof FunnelPathsSchema>, "funnelSource"> & { funnelSource: FunnelsQuery };
export type PathsQuery = Omit<Static<typeof PathsSchema>, "funnelPathsFilter"> & {
  funnelPathsFilter: FunnelPaths | null;
};

/** Where the funnel stands. */
export const FUNNEL_PLACE = "funnelPathsFilter.funnelSource";

/** A PathsQuery's shape. Errors: TerminalError `invalid_query` that names the place. */
export function readPaths(node: JsonObject): PathsQuery {
  const { funnelPathsFilter: filter, ...query } = check(PathsSchema, node, "");
  if (filter == null) return { ...query, funnelPathsFilter: null };
  const funnelSource = inside(FUNNEL_PLACE, () => readSteps(filter.funnelSource as JsonObject));
  return { ...query, funnelPathsFilter: { ...filter, funnelSource } };
}
