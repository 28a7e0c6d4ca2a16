import { type Static, Type } from "@sinclair/typebox";
import type { Json } from "../../types/mod.ts";
import { cohortOf, inCohort } from "../filter/cohorts.ts";
import { cleanedPath } from "../filter/paths.ts";
import { invalidQuery, notSupported } from "../shape/errors.ts";
import { object, optional } from "../shape/shapes.ts";
import type { QueryContext } from "../source/context.ts";
import type { EventsTable } from "../source/events.ts";
import { subjectOf } from "../source/subjects.ts";
import { asNumber } from "../sql/properties.ts";
import { integer, type Sql, sql, TRUE, text } from "../sql/sql.ts";
import { floatText } from "../value/convert.ts";

const Name = Type.Union([Type.String(), Type.Number()]);
const PartSchema = object({
  property: Name,
  type: optional(Type.String()),
  group_type_index: optional(Type.Number()),
  histogram_bin_count: optional(Type.Integer({ minimum: 1, maximum: 1000 })),
  normalize_url: optional(Type.Boolean()),
});

/** `breakdownFilter` of a node. */
export const BreakdownSchema = object({
  breakdown: optional(Type.Union([Name, Type.Array(Name, { maxItems: 100 })])),
  breakdown_type: optional(Type.String()),
  breakdown_limit: optional(Type.Integer({ minimum: 1, maximum: 1000 })),
  breakdown_hide_other_aggregation: optional(Type.Boolean()),
  breakdown_histogram_bin_count: optional(Type.Integer({ minimum: 1, maximum: 1000 })),
  breakdown_normalize_url: optional(Type.Boolean()),
  breakdown_group_type_index: optional(Type.Number()),
  breakdown_path_cleaning: optional(Type.Boolean()),
  breakdowns: optional(Type.Array(PartSchema, { maxItems: 3 })),
});

export type BreakdownFilter = Static<typeof BreakdownSchema>;

/** PostHog's marks for events without the property, and for all values beyond the limit. */
export const NULL_VALUE = "$$_posthog_breakdown_null_$$";
export const OTHER_VALUE = "$$_posthog_breakdown_other_$$";

/** What everybody is in. */
export const ALL_USERS = "all";

/** One property that rows are told apart by. */
export interface Part {
  type: Json;
  key: string;
  groupTypeIndex: Json;
  /** Numbers are put into so many bins of one width; null: values as they are. */
  bins: number | null;
  normalizesUrl: boolean;
  /** By the environment's rules. */
  cleansPath: boolean;
  place: string;
}

/** How the rows of an insight are told apart: by values of properties, or by each of some cohorts. */
export type Breakdown =
  | { kind: "properties"; parts: Part[] /** Values are lists. */; isList: boolean }
  | { kind: "cohorts"; ids: (number | typeof ALL_USERS)[]; place: string };

/** The breakdown that a node asks for; null for none. Errors: TerminalError `invalid_query`. */
export function readBreakdown(filter: BreakdownFilter | null | undefined): Breakdown | null {
  const place = "breakdownFilter";
  if (filter?.breakdowns != null && filter.breakdowns.length > 0) {
    const parts = filter.breakdowns.map((part, i) => ({
      type: part.type ?? "event",
      key: String(part.property),
      groupTypeIndex: part.group_type_index ?? null,
      bins: part.histogram_bin_count ?? null,
      normalizesUrl: part.normalize_url === true,
      cleansPath: filter.breakdown_path_cleaning === true,
      place: `${place}.breakdowns.${i}`,
    }));
    for (const part of parts) refuseElsewhere(part.type, part.place);
    if (parts.some((part) => part.type === "cohort")) throw notSupported(place, "a cohort among several breakdowns");
    return { kind: "properties", parts, isList: true };
  }
  const given = filter?.breakdown;
  if (given == null || given === "" || (Array.isArray(given) && given.length === 0)) return null;
  const type = filter?.breakdown_type ?? "event";
  refuseElsewhere(type, place);
  const list = Array.isArray(given) ? given : [given];
  if (type === "cohort") return { kind: "cohorts", ids: list.map(cohortId), place: `${place}.breakdown` };
  const parts = list.map((key) => ({
    type,
    key: String(key),
    groupTypeIndex: filter?.breakdown_group_type_index ?? null,
    bins: filter?.breakdown_histogram_bin_count ?? null,
    normalizesUrl: filter?.breakdown_normalize_url === true,
    cleansPath: filter?.breakdown_path_cleaning === true,
    place,
  }));
  if (parts.length > 3) throw invalidQuery(`${place}.breakdown`, "at most 3 properties");
  return { kind: "properties", parts, isList: list.length > 1 };
}

function refuseElsewhere(type: string, place: string): void {
  if (type.startsWith("data_warehouse")) throw notSupported(place, `a breakdown of type "${type}"`);
}

function cohortId(id: string | number): number | typeof ALL_USERS {
  return id === ALL_USERS || id === 0 ? ALL_USERS : Number(id);
}

/** The name of a cohort, as items show it. Errors: TerminalError `invalid_query` when there is none. */
export function cohortName(id: number | typeof ALL_USERS, context: QueryContext, place: string): string {
  return id === ALL_USERS ? "all users" : cohortOf(id, context, place).name;
}

/** Whether the person of an event is in a cohort of a breakdown. */
export function cohortMember(
  id: number | typeof ALL_USERS,
  events: EventsTable,
  context: QueryContext,
  place: string,
): Sql {
  return id === ALL_USERS ? TRUE : inCohort(cohortOf(id, context, place), events.personId(), context);
}

/** The number that a part with bins puts into them; NULL for what is none. */
export function binnedNumber(part: Part, events: EventsTable, context: QueryContext): Sql {
  return asNumber(subjectOf(part, events, context, part.place).text);
}

/** The value of a part without bins as text: `NULL_VALUE` where it is missing, null or empty. */
export function breakdownValue(part: Part, events: EventsTable, context: QueryContext): Sql {
  const subject = subjectOf(part, events, context, part.place);
  const plain = part.normalizesUrl ? normalizedUrl(subject.text) : typed(subject);
  const value = part.cleansPath ? cleanedPath(plain, context) : plain;
  return sql`coalesce(nullif(${value}, ''), ${text(NULL_VALUE)})`;
}

/** What a property holds by its definition: other values count as missing. */
function typed({ text: value, type }: { text: Sql; type: string | null }): Sql {
  if (type === "Boolean") return sql`CASE WHEN ${value} IN ('true', 'false') THEN ${value} END`;
  return type === "Numeric" ? floatText(asNumber(value)) : value;
}

/** Without what ends a URL and says nothing: slashes, and signs of an empty query or fragment. */
function normalizedUrl(url: Sql): Sql {
  const trimmed = sql`rtrim(${url}, '/?#')`;
  return sql`CASE WHEN ${trimmed} = '' THEN '/' ELSE ${trimmed} END`;
}

/**
 * The bins of a part over numbers from `low` to `high`, as columns: `edges` where each begins, `labels` like `[10,17.5]`.
 * A bin ends before the next one; the last takes the largest number, too.
 */
export function binColumns(bins: number, low: Sql, high: Sql, as: { edges: Sql; labels: Sql }): Sql {
  const count = integer(bins);
  const edge = (i: Sql): Sql => sql`(${low} + ${i} * ((${high} - ${low}) / CAST(${count} AS DOUBLE)))`;
  const end = sql`CASE WHEN i + 1 = ${count} THEN ${high} + 0.01 ELSE ${edge(sql`(i + 1)`)} END`;
  const label = sql`'[' || ${floatText(edge(sql`i`))} || ',' || ${floatText(sql`(${end})`)} || ']'`;
  return sql`list_transform(range(${count}), lambda i: ${edge(sql`i`)}) AS ${as.edges},
    list_transform(range(${count}), lambda i: ${label}) AS ${as.labels}`;
}

/** The label of the bin that a number is in. */
export function binLabel(number: Sql, { edges, labels }: { edges: Sql; labels: Sql }): Sql {
  return sql`coalesce(${labels}[len(list_filter(${edges}, lambda e: e <= ${number}))], ${text(NULL_VALUE)})`;
}
