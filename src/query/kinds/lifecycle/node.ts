import { type Static, Type } from "@sinclair/typebox";
import type { JsonObject } from "../../../types/mod.ts";
import { PART_FIELDS } from "../../insight/behind.ts";
import { INSIGHT_FIELDS } from "../../insight/node.ts";
import { readAllSeries, type SeriesNode } from "../../insight/series.ts";
import { notSupported } from "../../shape/errors.ts";
import { check, checkPart, object, optional, shown } from "../../shape/shapes.ts";

/** What an actor is in a bucket, in the order of the answer. */
export const STATUSES = ["new", "returning", "resurrecting", "dormant"] as const;
export type Status = (typeof STATUSES)[number];

const StatusSchema = Type.Union(STATUSES.map((status) => Type.Literal(status)));

export const LifecycleSchema = object({
  kind: Type.Literal("LifecycleQuery"),
  ...INSIGHT_FIELDS,
  series: Type.Array(Type.Unknown(), { minItems: 1, maxItems: 1 }),
  interval: optional(Type.String()),
  // All of it is for the eye: the answer has every status.
  lifecycleFilter: optional(
    Type.Object({ toggledLifecycles: optional(Type.Array(StatusSchema, { maxItems: STATUSES.length })) }),
  ),
});

export type LifecycleQuery = Omit<Static<typeof LifecycleSchema>, "series"> & { series: [SeriesNode] };

/** A lifecycle counts actors, whatever of these a series says. */
const MATHS: ReadonlySet<string> = new Set(["total", "dau"]);

/** A LifecycleQuery's shape. Errors: TerminalError `invalid_query` that names the place. */
export function readLifecycle(node: JsonObject): LifecycleQuery {
  const query = check(LifecycleSchema, node, "");
  const [series] = readAllSeries(node);
  const math = series!.math ?? "total";
  if (!MATHS.has(math)) throw notSupported("series.0.math", `the math ${shown(math)}`);
  return { ...query, series: [series!] };
}

const PartSchema = object({
  ...PART_FIELDS,
  /** A date or time in the bucket; all buckets where it is absent. */
  day: optional(Type.String()),
  status: optional(StatusSchema),
  series: optional(Type.Literal(0)),
});

export interface LifecyclePart {
  day: string | null;
  status: Status | null;
}

/** Whose actors are asked for. Errors: TerminalError `invalid_query` that names the place. */
export function readPart(node: JsonObject): LifecyclePart {
  const { day = null, status = null } = checkPart(PartSchema, node);
  return { day, status };
}
