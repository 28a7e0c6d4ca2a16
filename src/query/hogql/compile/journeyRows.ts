import type { NameMarks } from "../../../lake/mod.ts";
import { join, name, RELATION, type Sql, sql, type WalkedJourneys } from "../../sql/sql.ts";
import { asDatetime } from "../../value/convert.ts";
import { and, field, identity } from "../syntax/build.ts";
import { type Expression, eachChild, type Join, type Part, type Query, type Select } from "../syntax/tree.ts";
import { conjuncts } from "./bounds.ts";
import { compileExpression, compileQuery } from "./compile.ts";
import { nameMarks } from "./nameMarks.ts";
import { type CompiledQuery, Scope } from "./scope.ts";

/** What a SELECT has that gives a row for each event that it reads. */
const PLAIN: ReadonlySet<string> = new Set(["node", "start", "end", "place", "select", "select_from", "where"]);

/**
 * How the rows of a walk are read where journeys hold the order of a file's events: null for rows that are no single events
 * of persons. `made`: as of `Select.instead`. Errors: as of `compileQuery`.
 */
export function journeyedRows(rows: Query, scope: Scope, made: Query | null = null): WalkedJourneys | null {
  const columns = plainColumns(rows);
  const actor = columns?.get("actor");
  if (columns === null || actor === undefined || !isField(columns.get("timestamp"), "timestamp")) return null;
  if (!isField(actor, "person_id")) return null;
  const select = rows as Select;
  const told = [...columns.keys()].map((key) =>
    aliased(key, key === "actor" ? identity("person_id") : columns.get(key)!),
  );
  return {
    isById: actor.node === "Field" && actor.isIdentity !== true,
    others: compiled(told, select.where ?? null, "others", scope),
    ...marksOf(select, columns, scope),
    made: made === null ? null : withNames(compileQuery(made, scope.compilation, new Map())),
    whole: columns.has("uuid") ? compiled(told, select.where ?? null, undefined, scope) : null,
  };
}

/** Expressions by the names of their columns; null for what is more than a SELECT of single events. */
function plainColumns(rows: Query): Map<string, Expression> | null {
  if (rows.node !== "SelectQuery") return null;
  const said = Object.entries(rows).filter(
    ([, value]) => value != null && !(Array.isArray(value) && value.length === 0),
  );
  if (said.some(([clause]) => !PLAIN.has(clause))) return null;
  const { table, alias: _, ...more } = rows.select_from ?? ({ node: "JoinExpr" } as Join);
  const isEvents = table !== undefined && table !== null && isField(table, "events");
  if (!isEvents || Object.entries(more).some(([key, value]) => !PLAIN.has(key) && value != null)) return null;
  const columns = rows.select.map((one) => (one.node === "Alias" ? ([one.alias, one.expr] as const) : null));
  return columns.includes(null) ? null : new Map(columns as [string, Expression][]);
}

/** What tells the rows of journeys: times, names (and whether events are personless) where these decide about steps, and places where more does. */
function marksOf({ where }: Select, columns: ReadonlyMap<string, Expression>, scope: Scope) {
  const named = (...keys: string[]) =>
    keys.flatMap((key) => (columns.has(key) ? [aliased(key, columns.get(key)!)] : []));
  const masks = named("steps", "excluded");
  const conditions = conjuncts(where).map((condition) => ({ condition, at: timeOf(condition, scope) }));
  const spans = conditions.flatMap(({ at }) => at ?? []);
  const rest = conditions.filter(({ at }) => at === null).map(({ condition }) => condition);
  const byName = masks.every(isOfNames);
  const ofNames = rest.filter(isOfNames);
  const value = named("value");
  const isValueNamed = byName && value.every(isOfNames);
  const isTold = isValueNamed && ofNames.length === rest.length;
  const place = aliased("place", identity("person_id"));
  const within = {
    fromMs: mostOf(
      spans.flatMap(({ fromMs }) => fromMs ?? []),
      Math.max,
    ),
    toMs: mostOf(
      spans.flatMap(({ toMs }) => toMs ?? []),
      Math.min,
    ),
  };
  const more = rest.filter((condition) => !isOfNames(condition));
  return {
    ...within,
    isValueNamed,
    keyed: byName ? keyedPlaces(more, isValueNamed ? [] : value, scope) : null,
    names: byName ? namesOf({ masks, value: isValueNamed ? value : [], conditions: ofNames }, scope) : null,
    // Values are read of no more rows than there must be.
    places: isTold
      ? null
      : isValueNamed
        ? compiled([place, ...(byName ? [] : masks)], and(rest), "journeyed", scope)
        : compiled([place, ...(byName ? [] : masks), ...value], and(rest), "journeyed", scope, within),
  };
}

/** What names of events tell; `conditions` are those on names. */
function namesOf(
  { masks, value, conditions }: { masks: Expression[]; value: Expression[]; conditions: Expression[] },
  scope: Scope,
): Sql | NameMarks {
  const [steps, excluded = null] = masks;
  const known = value.length > 0 ? null : nameMarks({ steps: steps!, excluded, conditions });
  const columns = [...NAMES.map((one) => aliased(one, field(one))), ...masks, ...value];
  return known ?? compiled(columns, and(conditions), "names", scope);
}

/** Places where one property tells all that names do not: these conditions, and the value; null where more does. */
function keyedPlaces(conditions: readonly Expression[], value: readonly Expression[], scope: Scope) {
  const keys = new Set<string>();
  if (![...conditions, ...value].every((part) => isOfProperty(part, keys))) return null;
  const [key] = keys;
  if (key === undefined || keys.size > 1) return null;
  const events = RELATION.events({ persons: false, properties: false, keys: [[key]], files: "journeyed" });
  const code = aliased("code", identity("person_id"));
  return {
    key,
    rows: sql`SELECT e.place, e.k0 AS value FROM ${events} AS e`,
    told: compiled([code, ...value], and(conditions), "values", scope),
  };
}

const mostOf = (values: number[], most: (...values: number[]) => number): number | null =>
  values.length === 0 ? null : most(...values);

function compiled(
  select: Expression[],
  where: Expression | null,
  files: Join["files"],
  scope: Scope,
  within?: Join["within"],
): Sql {
  const table: Join = { node: "JoinExpr", table: field("events"), files, within };
  const query: Select = { node: "SelectQuery", select, select_from: table, where };
  return withNames(compileQuery(query, scope.compilation, new Map()));
}

/** The same with columns by their names. */
function withNames({ sql: text, columns }: CompiledQuery): Sql {
  const own = columns.map((column, i) => sql`${name(`c${i}`)} AS ${name(column.name)}`);
  return sql`SELECT ${join(own, ", ")} FROM (${text})`;
}

const aliased = (key: string, expr: Expression): Expression => ({ node: "Alias", alias: key, expr });

/** The times that a comparison leaves, exactly, as events have whole milliseconds; null for another condition. */
function timeOf(node: Expression, scope: Scope): { fromMs?: number; toMs?: number } | null {
  if (node.node !== "CompareOperation" || !isField(node.left, "timestamp") || node.right.node !== "Constant")
    return null;
  if (node.op !== ">=" && node.op !== "<" && node.op !== "<=") return null;
  const at = asDatetime(
    compileExpression(node.right, new Scope(scope.compilation, new Map())),
    scope.compilation.context,
  ).instant;
  if (at === undefined || at.microsecond + at.nanosecond > 0) return null;
  const ms = at.epochMilliseconds;
  return node.op === ">=" ? { fromMs: ms } : { toMs: node.op === "<" ? ms - 1 : ms };
}

/** The nodes and functions of which texts and conditions on names are made; another function may read more than its arguments. */
const OF_NAMES: ReadonlySet<string> = new Set([
  "Alias",
  "And",
  "ArithmeticOperation",
  "CompareOperation",
  "Constant",
  "Not",
  "Or",
  "Tuple",
]);
const FUNCTIONS_OF_NAMES: ReadonlySet<string> = new Set(["if", "multiIf", "nullIf", "replaceRegexpAll", "startsWith"]);

const FUNCTIONS_OF_VALUES: ReadonlySet<string> = new Set([...FUNCTIONS_OF_NAMES, "ifNull", "lower", "toString"]);

/** Whether a part of a tree reads nothing of an event but properties, whose keys are added to `keys`. */
function isOfProperty(part: Part, keys: Set<string>): boolean {
  if (part.node === "Field") {
    const [first, key, ...more] = part.chain;
    if (first !== "properties" || typeof key !== "string" || more.length > 0) return false;
    keys.add(key);
    return true;
  }
  if (
    part.node === "Call" ? !FUNCTIONS_OF_VALUES.has(part.name) : !OF_NAMES.has(part.node) && part.node !== "Embedded"
  ) {
    return false;
  }
  let isOf = true;
  eachChild(part, (child) => {
    isOf &&= isOfProperty(child, keys);
  });
  return isOf;
}

/** What the marks of names tell of an event. */
const NAMES = ["event", "personless"];

/** Whether a part of a tree reads nothing of an event but its name, and whether it is personless. */
function isOfNames(part: Part): boolean {
  if (part.node === "Field") return NAMES.some((one) => isField(part, one));
  if (!OF_NAMES.has(part.node) && !(part.node === "Call" && FUNCTIONS_OF_NAMES.has(part.name))) return false;
  let isOf = true;
  eachChild(part, (child) => {
    isOf &&= isOfNames(child);
  });
  return isOf;
}

const isField = (node: unknown, column: string): boolean => {
  const { node: kind, chain } = (node ?? {}) as { node?: string; chain?: unknown[] };
  return kind === "Field" && chain?.length === 1 && chain[0] === column;
};
