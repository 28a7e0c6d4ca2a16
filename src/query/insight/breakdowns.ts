import { type Static, Type } from "@sinclair/typebox";
import type { Json } from "../../types/mod.ts";
import { cohortOf } from "../filter/cohorts.ts";
import { cleanedPath } from "../filter/paths.ts";
import { type Subject, subjectOf } from "../filter/subjects.ts";
import { alias, arithmetic, call, compare, constant, field, from, select } from "../hogql/syntax/build.ts";
import type { Expression, Query, Select } from "../hogql/syntax/tree.ts";
import { invalidQuery, notSupported } from "../shape/errors.ts";
import { object, optional } from "../shape/shapes.ts";
import type { QueryContext } from "../source/context.ts";

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

/** The condition that the person of an event is in a cohort of a breakdown; none for everybody. */
export function cohortMember(id: number | typeof ALL_USERS, context: QueryContext, place: string): Expression[] {
  if (id === ALL_USERS) return [];
  return [compare(field("person_id"), "in cohort", constant(cohortOf(id, context, place).id))];
}

/** The value of a part as text: `NULL_VALUE` where it is missing, null or empty. `place`: of the part among all. */
export function keyOf(part: Part, place: number, context: QueryContext): Expression {
  const value = valueOfPart(part, place, context);
  const [text] = value.node === "Call" && value.name === "nullIf" ? value.args : [];
  const missing = constant(NULL_VALUE);
  // One look at a column instead of two saves a tenth of grouping by it; what is not stored is not made twice.
  if (text?.node === "Field") return call("if", compare(text, ">", constant("")), text, missing);
  return call("coalesce", value, missing);
}

/** The same, but NULL where it is missing, null or empty. */
export function valueOfPart(part: Part, place: number, context: QueryContext): Expression {
  if (part.bins !== null) return binLabel(binnedNumber(part, context), place);
  const subject = subjectOf(part, context, part.place);
  const plain = part.normalizesUrl ? normalizedUrl(subject.text) : typed(subject);
  return call("nullIf", part.cleansPath ? cleanedPath(plain, context.pathCleaningFilters) : plain, constant(""));
}

/** By the definition of a property: other values count as missing. */
const typed = ({ type, defined, text }: Subject): Expression =>
  type === "Boolean" || type === "Numeric" ? call("toString", defined) : text;

/** Without what ends a URL and says nothing: slashes, and signs of an empty query or fragment. */
function normalizedUrl(url: Expression): Expression {
  const trimmed = call("trimRight", url, constant("/?#"));
  return call("if", compare(trimmed, "==", constant("")), constant("/"), trimmed);
}

/** The number that a part with bins puts into them; NULL for what is none, and for infinity, which would leave no bins to the others. */
function binnedNumber(part: Part, context: QueryContext): Expression {
  const { number } = subjectOf(part, context, part.place);
  return call("if", call("isFinite", number), number, constant(null));
}

/** The label of the bin that a number is in, beside the row of `binsOf`. */
function binLabel(number: Expression, place: number): Expression {
  const isBelow: Expression = { node: "Lambda", args: ["edge"], expr: compare(field("edge"), "<=", number) };
  const nth = call("arrayCount", isBelow, field("bins", `edges${place}`));
  return call("nullIf", { node: "ArrayAccess", array: field("bins", `labels${place}`), property: nth }, constant(""));
}

/**
 * The bins of the parts that have some, over the numbers of rows: one row with columns `edges0` where each begins, `labels0` like
 * `[10,17.5]`, and so on by the places of the parts; null for no bins. A bin ends before the next one; the last takes the largest
 * number, too.
 */
export function binsOf(
  parts: readonly Part[],
  rows: Omit<Select, "node" | "select">,
  context: QueryContext,
): Query | null {
  const binned = parts.flatMap((part, i) => (part.bins === null ? [] : [{ part, bins: part.bins, i }]));
  if (binned.length === 0) return null;
  const extremes = binned.flatMap(({ part, i }) => {
    const number = binnedNumber(part, context);
    return [alias(`low${i}`, call("min", number)), alias(`high${i}`, call("max", number))];
  });
  const columns = binned.flatMap(({ bins, i }) => binColumns(bins, i));
  return select(columns, { select_from: from(select(extremes, rows)) });
}

function binColumns(bins: number, place: number): Expression[] {
  const [low, high, count] = [field(`low${place}`), field(`high${place}`), constant(bins)];
  const width = arithmetic(arithmetic(high, "-", low), "/", count);
  const edge = (i: Expression) => arithmetic(low, "+", arithmetic(i, "*", width));
  const next = arithmetic(field("i"), "+", constant(1));
  const end = call("if", compare(next, "==", count), arithmetic(high, "+", constant(0.01)), edge(next));
  const text = (number: Expression) => call("toString", number);
  const label = call("concat", constant("["), text(edge(field("i"))), constant(","), text(end), constant("]"));
  const each = (expr: Expression) => call("arrayMap", { node: "Lambda", args: ["i"], expr }, call("range", count));
  return [alias(`edges${place}`, each(edge(field("i")))), alias(`labels${place}`, each(label))];
}
