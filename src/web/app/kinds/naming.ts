import type { Breakdown, BreakdownFilter, EntityNode } from "../question/types.ts";

/** Names of events that SDKs send, as people know them. */
const KNOWN: Readonly<Record<string, string>> = {
  $pageview: "Pageview",
  $pageleave: "Pageleave",
  $autocapture: "Autocapture",
  $screen: "Screen",
  $identify: "Identify",
  $groupidentify: "Group identify",
  $rageclick: "Rageclick",
  $exception: "Exception",
  $feature_flag_called: "Feature flag called",
  $web_vitals: "Web vitals",
};

export const NONE = "$$_posthog_breakdown_null_$$";
export const OTHER = "$$_posthog_breakdown_other_$$";

/** What people call an event. */
export const eventName = (event: string | null | undefined): string =>
  event === null || event === undefined || event === "" ? "All events" : (KNOWN[event] ?? event);

/** What a series or step is about: its own name, else that of its event or action. */
export function entityName(entity: EntityNode): string {
  if (entity.custom_name) return entity.custom_name;
  if (entity.kind === "EventsNode") return eventName(entity.event === undefined ? entity.name : entity.event);
  if (entity.kind === "GroupNode") return (entity.nodes ?? []).map(entityName).join(" or ") || "Several events";
  return entity.name ?? `Action ${entity.id}`;
}

const MATHS: Readonly<Record<string, string>> = {
  total: "count",
  dau: "unique users",
  weekly_active: "weekly active users",
  monthly_active: "monthly active users",
  unique_session: "unique sessions",
  unique_group: "unique groups",
  first_time_for_user: "first time",
  first_matching_event_for_user: "first time with filters",
  hogql: "SQL",
  sum: "sum",
  avg: "average",
  min: "minimum",
  max: "maximum",
  median: "median",
  p75: "75th percentile",
  p90: "90th percentile",
  p95: "95th percentile",
  p99: "99th percentile",
};

const PER_ACTOR = /^(\w+)_count_per_actor$/;

/** What is counted of a series, in words: "count", "unique users", "average". */
export function mathName(math: string | undefined): string {
  const word = PER_ACTOR.exec(math ?? "")?.[1];
  if (word !== undefined) return `count per user ${MATHS[word] ?? word}`;
  return MATHS[math ?? "total"] ?? math ?? "count";
}

/** A series with what is counted of it: "Pageview unique users", "buy's price average". */
export function seriesName(entity: EntityNode): string {
  const name = entityName(entity);
  if (entity.custom_name) return name;
  return entity.math_property
    ? `${name}'s ${entity.math_property} ${mathName(entity.math)}`
    : `${name} ${mathName(entity.math)}`;
}

/** A value of a breakdown, or several of them beside each other. */
export function breakdownName(value: unknown): string {
  if (Array.isArray(value)) return value.map(breakdownName).join(" · ");
  if (value === NONE || value === "" || value === null || value === undefined) return "(none)";
  if (value === OTHER) return "Other";
  const bin = /^\[(-?[\d.]+),\s*(-?[\d.]+)\]$/.exec(String(value));
  return bin === null ? String(value) : `${bin[1]} to ${bin[2]}`;
}

export const isOther = (value: unknown): boolean =>
  value === OTHER || (Array.isArray(value) && value.some((one) => one === OTHER));

/** By what an answer is divided; empty: by nothing. */
export function breakdownsOf(filter: BreakdownFilter | undefined): readonly Breakdown[] {
  if (filter?.breakdowns?.length) return filter.breakdowns;
  const { breakdown, breakdown_type: type = "event" } = filter ?? {};
  if (breakdown === undefined || breakdown === null || breakdown === "") return [];
  return [breakdown].flat().map((property) => ({ type: String(type), property: property as string | number }));
}

/** That in words: "Browser and plan". */
export const breakdownTitle = (filter: BreakdownFilter | undefined): string =>
  breakdownsOf(filter)
    .map(({ type, property }) =>
      type === "cohort" ? "cohort" : String(property).replace(/^\$/, "").replaceAll("_", " "),
    )
    .join(" and ");
