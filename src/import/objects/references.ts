import type { Json, JsonObject } from "../../types/mod.ts";
import { isObject } from "../exact.ts";

/** What queries, filters, annotations and alerts name by a number. */
export type ReferredKind = "cohort" | "action" | "group_type" | "insight" | "dashboard";

/** The number here of what has this number there; null where it is not here. */
export type Resolve = (kind: ReferredKind, id: number) => number | null;

/** Members that hold the number of a group type. */
const GROUP_TYPE_MEMBERS = new Set([
  "group_type_index",
  "math_group_type_index",
  "aggregation_group_type_index",
  "breakdown_group_type_index",
]);
const COHORT_TYPES: ReadonlySet<unknown> = new Set([
  "cohort",
  "static-cohort",
  "precalculated-cohort",
  "dynamic-cohort",
]);
/** Members that hold HogQL, whatever object they are in. */
const HOGQL_MEMBERS = new Set(["math_hogql", "funnelAggregateByHogQL", "pathsHogQLExpression", "hogql"]);
/** Members that hold lists of HogQL, of queries that list rows. */
const HOGQL_LISTS = new Set(["select", "where", "orderBy"]);

/** The same with the numbers of here. Numbers that `resolve` does not know stay as they are. */
export function withIds(value: Json, resolve: Resolve): Json {
  if (Array.isArray(value)) return value.map((item) => withIds(item, resolve));
  if (!isObject(value)) return value;
  const entries = Object.entries(value).map(([name, member]): [string, Json] => [
    name,
    memberWithIds(name, member, value, resolve),
  ]);
  return Object.fromEntries(entries);
}

/** What a value refers to, each once. */
export function referencesIn(value: Json): { kind: ReferredKind; id: number }[] {
  const found = new Map<string, { kind: ReferredKind; id: number }>();
  withIds(value, (kind, id) => {
    found.set(`${kind} ${id}`, { kind, id });
    return id;
  });
  return [...found.values()];
}

function memberWithIds(name: string, member: Json, of: JsonObject, resolve: Resolve): Json {
  const kind = kindOf(name, of);
  if (kind !== null) return mapped(member, kind, resolve);
  if (isHogql(name, of)) return hogqlIn(member, resolve);
  return withIds(member, resolve);
}

/** What a member names, by the object that it is in. */
function kindOf(name: string, of: JsonObject): ReferredKind | null {
  if (GROUP_TYPE_MEMBERS.has(name)) return "group_type";
  if (name === "actionId") return "action";
  if (name === "dashboard_item" || name === "dashboard_id") return placeOf(name, of);
  if (name === "insight") return Object.hasOwn(of, "calculation_interval") ? "insight" : null;
  if (name === "id") return of.kind === "ActionsNode" || of.type === "actions" ? "action" : null;
  if (name === "value" || name === "property") return COHORT_TYPES.has(of.type) ? "cohort" : null;
  if (name === "breakdown") return of.breakdown_type === "cohort" ? "cohort" : null;
  if (name === "key") return of.type === "behavioral" && of.event_type === "actions" ? "action" : null;
  if (name === "seq_event") return of.seq_event_type === "actions" ? "action" : null;
  return null;
}

/** Of an annotation: where it stands. */
function placeOf(name: "dashboard_item" | "dashboard_id", of: JsonObject): ReferredKind | null {
  if (!Object.hasOwn(of, "date_marker")) return null;
  return name === "dashboard_item" ? "insight" : "dashboard";
}

function isHogql(name: string, of: JsonObject): boolean {
  if (HOGQL_MEMBERS.has(name)) return true;
  if (name === "query") return of.kind === "HogQLQuery";
  if (name === "key" || name === "property") return of.type === "hogql";
  if (name === "breakdown") return of.breakdown_type === "hogql";
  return HOGQL_LISTS.has(name) && typeof of.kind === "string";
}

/** A number, a number as text, or a list of these. "all" and 0 mean everybody. */
function mapped(value: Json, kind: ReferredKind, resolve: Resolve): Json {
  if (Array.isArray(value)) return value.map((item) => mapped(item, kind, resolve));
  const isText = typeof value === "string" && /^\d+$/.test(value);
  const id = isText ? Number(value) : value;
  if (typeof id !== "number" || (kind === "cohort" && id === 0)) return value;
  const here = resolve(kind, id) ?? id;
  return isText ? String(here) : here;
}

/** Texts and names in quotes, comments; then what names a cohort or an action. */
const HOGQL =
  /'(?:[^'\\]|\\.|'')*'|"(?:[^"\\]|\\.)*"|`(?:[^`\\]|\\.)*`|--[^\n]*|\/\*[\s\S]*?\*\/|(\bCOHORT\s+|\bmatchesAction\s*\(\s*)(\d+)/gi;

function hogqlIn(value: Json, resolve: Resolve): Json {
  if (Array.isArray(value)) return value.map((item) => hogqlIn(item, resolve));
  if (typeof value !== "string") return withIds(value, resolve);
  return value.replace(HOGQL, (whole: string, before: string | undefined, digits: string | undefined) => {
    if (before === undefined || digits === undefined) return whole;
    const kind = /^cohort/i.test(before) ? "cohort" : "action";
    return `${before}${resolve(kind, Number(digits)) ?? digits}`;
  });
}
