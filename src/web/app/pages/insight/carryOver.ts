import type { QueryNode } from "../../api/node.ts";

/** What questions of all kinds mean the same by. */
const SHARED = ["properties", "filterTestAccounts", "samplingFactor", "aggregation_group_type_index"];
/** Retention has dates of its own: as many of its intervals as it has columns. */
const OWN_DATES: ReadonlySet<string> = new Set(["RetentionQuery"]);
const HAS_SERIES: ReadonlySet<string> = new Set(["TrendsQuery", "FunnelsQuery", "StickinessQuery", "LifecycleQuery"]);
const HAS_INTERVAL: ReadonlySet<string> = new Set(["TrendsQuery", "StickinessQuery", "LifecycleQuery"]);
/** A lifecycle has one series. */
const SERIES_MAX: Readonly<Record<string, number>> = { LifecycleQuery: 1 };
/** What is counted is a matter of trends; steps and the like have another meaning of it. */
const MATH = ["math", "math_property", "math_property_type", "math_hogql", "math_group_type_index", "optionalInFunnel"];

/** A new question of another kind, with the parts of the old one that both have. */
export function carryOver(from: QueryNode, blank: QueryNode): QueryNode {
  const next: QueryNode = { ...blank };
  for (const name of SHARED) if (from[name] !== undefined) next[name] = from[name];
  const hasDates = from.dateRange !== undefined && !OWN_DATES.has(from.kind) && !OWN_DATES.has(blank.kind);
  if (hasDates) next.dateRange = from.dateRange;
  if (HAS_SERIES.has(from.kind) && HAS_SERIES.has(blank.kind)) {
    const series = (from.series as Record<string, unknown>[]).map(withoutMath);
    next.series = series.slice(0, SERIES_MAX[blank.kind] ?? series.length);
  }
  if (HAS_INTERVAL.has(from.kind) && HAS_INTERVAL.has(blank.kind) && from.interval !== undefined)
    next.interval = from.interval;
  return next;
}

const withoutMath = (entity: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(entity).filter(([name]) => !MATH.includes(name)));
