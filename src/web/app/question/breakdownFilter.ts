import type { Breakdown, BreakdownFilter, PickedProperty } from "./types.ts";

/** A cohort of a breakdown; `all`: everybody. */
export type CohortId = number | "all";

/** What a node is broken down by: properties, or cohorts. */
export interface BrokenBy {
  parts: readonly Breakdown[];
  cohorts: readonly CohortId[];
}

/** A breakdown in any of the forms that nodes have. */
export function brokenBy(filter: BreakdownFilter | undefined | null): BrokenBy {
  const { breakdowns, breakdown, breakdown_type: type } = filter ?? {};
  if (breakdowns != null && breakdowns.length > 0) return { parts: breakdowns, cohorts: [] };
  const list = (Array.isArray(breakdown) ? breakdown : [breakdown]).filter((one) => one != null && one !== "");
  if (type === "cohort") return { parts: [], cohorts: list.map((id) => (id === "all" ? id : Number(id))) };
  const parts = list.map((property) => ({
    type: (type as string | undefined) ?? "event",
    property: property as string,
    ...given("group_type_index", filter?.breakdown_group_type_index),
    ...given("histogram_bin_count", filter?.breakdown_histogram_bin_count),
    ...given("normalize_url", filter?.breakdown_normalize_url),
  }));
  return { parts, cohorts: [] };
}

const given = (name: string, value: unknown) => (value == null ? {} : { [name]: value });

const OWN = [
  "breakdown",
  "breakdown_type",
  "breakdowns",
  "breakdown_group_type_index",
  "breakdown_histogram_bin_count",
  "breakdown_normalize_url",
];

/** The filter with other parts; what else it has stays. Undefined where nothing is left to break down by. */
export function withBroken(
  filter: BreakdownFilter | undefined | null,
  { parts, cohorts }: BrokenBy,
): BreakdownFilter | undefined {
  const rest = Object.fromEntries(Object.entries(filter ?? {}).filter(([name]) => !OWN.includes(name)));
  if (cohorts.length > 0) return { ...rest, breakdown_type: "cohort", breakdown: cohorts };
  return parts.length === 0 ? undefined : { ...rest, breakdowns: parts };
}

/** What was picked as a part of a breakdown. */
export const partOf = ({ type, key, group_type_index }: PickedProperty): Breakdown => ({
  type,
  property: key,
  ...(type === "group" && { group_type_index }),
});

/** The property of a breakdown, as pickers know it. */
export const pickedOf = ({ type, property, group_type_index }: Breakdown): PickedProperty => ({
  type: type as PickedProperty["type"],
  key: String(property),
  ...(type === "group" && { group_type_index }),
});
