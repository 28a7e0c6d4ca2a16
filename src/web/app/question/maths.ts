import type { EntityNode, PickedProperty } from "./types.ts";

/** How a series turns events into a number (docs/queries.md#maths). */
export interface SeriesMath {
  name: string;
  label: string;
  /** Short, for a legend: "Page view · unique people". */
  short: string;
  needs?: "property" | "group" | "hogql";
}

const AGGREGATES = [
  ["sum", "Sum"],
  ["avg", "Average"],
  ["min", "Minimum"],
  ["max", "Maximum"],
  ["median", "Median"],
  ["p75", "75th percentile"],
  ["p90", "90th percentile"],
  ["p95", "95th percentile"],
  ["p99", "99th percentile"],
] as const;

const COUNTS: readonly SeriesMath[] = [
  { name: "total", label: "Total count", short: "" },
  { name: "dau", label: "Unique people", short: "unique people" },
  { name: "weekly_active", label: "Weekly active people", short: "weekly active" },
  { name: "monthly_active", label: "Monthly active people", short: "monthly active" },
  { name: "unique_session", label: "Unique sessions", short: "unique sessions" },
  { name: "unique_group", label: "Unique groups", short: "unique groups", needs: "group" },
  { name: "first_time_for_user", label: "First time ever", short: "first time ever" },
  { name: "first_matching_event_for_user", label: "First time with these filters", short: "first time with filters" },
  {
    name: "first_time_for_user_with_filters",
    label: "First time with these filters",
    short: "first time with filters",
  },
];
const OF_FUNNELS = "first_time_for_user_with_filters";

const OF_PROPERTY: readonly SeriesMath[] = AGGREGATES.map(([name, label]) => ({
  name,
  label: `${label} of property`,
  short: label.toLowerCase(),
  needs: "property",
}));

const PER_PERSON: readonly SeriesMath[] = AGGREGATES.filter(([name]) => name !== "sum").map(([name, label]) => ({
  name: `${name}_count_per_actor`,
  label: `${label} per person`,
  short: `${label.toLowerCase()} per person`,
}));

const HOGQL: SeriesMath = { name: "hogql", label: "SQL expression", short: "SQL", needs: "hogql" };

export const MATH_GROUPS: readonly { label: string; maths: readonly SeriesMath[] }[] = [
  { label: "Count", maths: COUNTS },
  { label: "Value of a property", maths: OF_PROPERTY },
  { label: "Events per person", maths: PER_PERSON },
  { label: "SQL", maths: [HOGQL] },
];

/** The maths that a trend takes. */
export const TREND_MATHS: readonly string[] = MATH_GROUPS.flatMap(({ maths }) => maths.map(({ name }) => name)).filter(
  (name) => name !== OF_FUNNELS,
);

/** That of a series; undefined for one that is not known here. */
export function mathOf({ math }: EntityNode): SeriesMath | undefined {
  const name = math ?? "total";
  return MATH_GROUPS.flatMap(({ maths }) => maths).find((one) => one.name === name);
}

/** A series with another math, without what only the one before needed. `groupTypeIndex`: of unique groups. */
export function withMath(entity: EntityNode, math: string, groupTypeIndex?: number): EntityNode {
  const { math_property, math_property_type, math_hogql, math_group_type_index, ...rest } = entity;
  const needs = mathOf({ kind: entity.kind, math })?.needs;
  const next: EntityNode = { ...rest, math };
  if (needs === "group") return { ...next, math_group_type_index: groupTypeIndex ?? math_group_type_index ?? 0 };
  if (needs === "hogql") return { ...next, math_hogql: math_hogql ?? "count()" };
  if (needs !== "property" || math_property === undefined) return next;
  const ofGroup = math_property_type === "group_properties" && { math_group_type_index };
  return { ...next, math_property, math_property_type, ...ofGroup };
}

const OWNERS: Partial<Record<PickedProperty["type"], string>> = {
  event: "event_properties",
  person: "person_properties",
  group: "group_properties",
  session: "session_properties",
};

/** Types of properties that a math reads. */
export const MATH_PROPERTY_TYPES = Object.keys(OWNERS) as PickedProperty["type"][];

/** The property that the math of a series reads; null where it has none yet. */
export function mathProperty(entity: EntityNode): PickedProperty | null {
  const { math_property: key, math_property_type: owner = "event_properties", math_group_type_index: index } = entity;
  if (key === undefined || key === "") return null;
  const type = MATH_PROPERTY_TYPES.find((one) => OWNERS[one] === owner) ?? "event";
  return { type, key, ...(type === "group" && { group_type_index: index }) };
}

export function withMathProperty(entity: EntityNode, { type, key, group_type_index }: PickedProperty): EntityNode {
  const { math_group_type_index: _, ...rest } = entity;
  const index = type === "group" && { math_group_type_index: group_type_index };
  return { ...rest, math_property: key, math_property_type: OWNERS[type] ?? "event_properties", ...index };
}
