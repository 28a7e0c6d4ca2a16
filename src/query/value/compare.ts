import { HogqlError } from "../shape/errors.ts";
import { allOf, FALSE, join, type Sql, sql, text } from "../sql/sql.ts";
import type { Calendar } from "../time/dates.ts";
import { isDayStart } from "../time/zone.ts";
import { asDatetime, asNumeric, asText } from "./convert.ts";
import { dayValue, uuidConstant } from "./literals.ts";
import { describe, isNumeric, mayBeNaN, typeOf, type Value, value } from "./types.ts";

/**
 * Comparisons with HogQL's null rules: `=` is true for two NULLs and false for one, `!=` its negation, an order
 * with NULL is false. Where the result only decides (a positive condition of WHERE, HAVING or an `If`), NULL does
 * as well as false, so the plain operator is used: it can be pushed down to the files.
 */
export function compare(op: string, left: Value, right: Value, isPositive: boolean, calendar: Calendar): Value {
  const pattern = PATTERNS[op];
  if (pattern !== undefined) return comparePattern(pattern, left, right, isPositive, calendar);
  const [given, b] = harmonise(left, right, calendar);
  const a = asksForDays(op, given, b, calendar) ? value(given.ofDay!, given.type) : given;
  const result = (condition: Sql) => value(condition, typeOf("bool"), [left, right]);
  const someNull = a.type.nullable || b.type.nullable;
  const bothNull = a.type.nullable && b.type.nullable;
  if (op === "==") {
    if (a.type.kind === "null" || b.type.kind === "null") return result(isNull(a, b));
    if (!someNull || (isPositive && !bothNull)) return result(sql`(${a.sql} = ${b.sql})`);
    return result(sql`(${a.sql} IS NOT DISTINCT FROM ${b.sql})`);
  }
  if (op === "!=") {
    if (a.type.kind === "null" || b.type.kind === "null") return result(sql`(NOT ${isNull(a, b)})`);
    return result(someNull ? sql`(${a.sql} IS DISTINCT FROM ${b.sql})` : sql`(${a.sql} <> ${b.sql})`);
  }
  const ordered = ORDERS[op]?.(a, b);
  if (ordered === undefined) throw new HogqlError(`The operator \`${op}\` is not supported yet.`);
  return result(someNull && !isPositive ? sql`coalesce(${ordered}, ${FALSE})` : ordered);
}

/** Whether all times of a day compare with a known instant in the same way: it is where a day begins, or the end of the one before. */
function asksForDays(op: string, { ofDay }: Value, { instant }: Value, { timezone }: Calendar): boolean {
  if (ofDay === undefined || instant === undefined) return false;
  if (op === ">=" || op === "<") return isDayStart(instant.epochMilliseconds, timezone) && isWholeMs(instant);
  return (op === ">" || op === "<=") && isDayStart(instant.epochMilliseconds + 1, timezone);
}

const isWholeMs = (at: Temporal.ZonedDateTime): boolean => at.epochNanoseconds % 1_000_000n === 0n;

/** `=` between the sides of a JOIN, as PostHog has it: NULL meets nothing. */
export function meets(left: Value, right: Value, calendar: Calendar): Value {
  const [a, b] = harmonise(left, right, calendar);
  return value(sql`(${a.sql} = ${b.sql})`, typeOf("bool"), [left, right]);
}

function isNull(a: Value, b: Value): Sql {
  const tested = [a, b].filter((side) => side.type.kind !== "null");
  return allOf(tested.map((side) => sql`(${side.sql} IS NULL)`));
}

/** To the engine NaN is more than all numbers, to ClickHouse neither more nor less. */
const ORDERS: Record<string, (a: Value, b: Value) => Sql> = {
  "<": (a, b) => ordering(sql`${a.sql} < ${b.sql}`, b),
  "<=": (a, b) => ordering(sql`${a.sql} <= ${b.sql}`, b),
  ">": (a, b) => ordering(sql`${a.sql} > ${b.sql}`, a),
  ">=": (a, b) => ordering(sql`${a.sql} >= ${b.sql}`, a),
};

const ordering = (condition: Sql, greater: Value): Sql =>
  mayBeNaN(greater) ? sql`(${condition} AND NOT isnan(${greater.sql}))` : sql`(${condition})`;

interface Pattern {
  /** `pattern` is the right side where that is a literal. */
  match: (a: Sql, b: Sql, pattern: Value["constant"]) => Sql;
  isNegated: boolean;
}

/** A backslash escapes `%`, `_` and itself, and stands for itself elsewhere; the engine's plain form is faster where there is none. */
const likes =
  (operator: Sql): Pattern["match"] =>
  (a, b, pattern) => {
    if (typeof pattern !== "string") return sql`(${a} ${operator} ${b} ESCAPE '\\')`;
    if (!pattern.includes("\\")) return sql`(${a} ${operator} ${b})`;
    const escaped = pattern.replace(/\\([%_\\]|$)|\\/g, (met, special) => (special === undefined ? "\\\\" : met));
    return sql`(${a} ${operator} ${text(escaped)} ESCAPE '\\')`;
  };
const like = likes(sql`LIKE`);
const ilike = likes(sql`ILIKE`);
/** A dot meets the end of a line, too; without one the engine's plain form is faster. */
const regex: Pattern["match"] = (a, b, pattern) => {
  const isPlain = typeof pattern === "string" && !pattern.includes(".");
  return isPlain ? sql`regexp_matches(${a}, ${b})` : sql`regexp_matches(${a}, ${b}, 's')`;
};
const iregex: Pattern["match"] = (a, b) => sql`regexp_matches(${a}, ${b}, 'is')`;

const PATTERNS: Record<string, Pattern> = {
  like: { match: like, isNegated: false },
  "not like": { match: like, isNegated: true },
  ilike: { match: ilike, isNegated: false },
  "not ilike": { match: ilike, isNegated: true },
  "=~": { match: regex, isNegated: false },
  "!~": { match: regex, isNegated: true },
  "=~*": { match: iregex, isNegated: false },
  "!~*": { match: iregex, isNegated: true },
};

function comparePattern(pattern: Pattern, left: Value, right: Value, isPositive: boolean, calendar: Calendar): Value {
  const [a, b] = [asText(left, calendar), asText(right, calendar)];
  const matched = pattern.match(sql`CAST(${a.sql} AS VARCHAR)`, sql`CAST(${b.sql} AS VARCHAR)`, b.constant);
  const someNull = a.type.nullable || b.type.nullable;
  const bothNull = a.type.nullable && b.type.nullable;
  const needsFalse = someNull && (bothNull || pattern.isNegated || !isPositive);
  const otherwise = bothNull ? sql`(${a.sql} IS NULL AND ${b.sql} IS NULL)` : FALSE;
  const exact = needsFalse ? sql`coalesce(${matched}, ${otherwise})` : matched;
  return value(pattern.isNegated ? sql`(NOT ${exact})` : exact, typeOf("bool"), [left, right]);
}

/** `expr [NOT] BETWEEN low AND high`; false with a NULL, negated or not. */
export function between(
  expr: Value,
  low: Value,
  high: Value,
  isNegated: boolean,
  isPositive: boolean,
  calendar: Calendar,
): Value {
  const [a, from] = harmonise(expr, low, calendar);
  const [b, to] = harmonise(expr, high, calendar);
  const inside = sql`(${a.sql} >= ${from.sql} AND ${b.sql} <= ${to.sql})`;
  const result = (condition: Sql) => value(condition, typeOf("bool"), [expr, low, high]);
  const nullable = [expr, low, high].filter((side) => side.type.nullable);
  if (nullable.length === 0) return result(isNegated ? sql`(NOT ${inside})` : inside);
  // NOT of a NULL bound and a failed one would be true.
  if (isNegated) return result(allOf([...nullable.map((side) => sql`${side.sql} IS NOT NULL`), sql`NOT ${inside}`]));
  return result(isPositive ? inside : sql`coalesce(${inside}, ${FALSE})`);
}

/** `expr [NOT] IN (members)`; a NULL is in the list only where the list names it. */
export function inList(
  expr: Value,
  members: readonly Value[],
  isNegated: boolean,
  isPositive: boolean,
  calendar: Calendar,
): Value {
  const result = (condition: Sql) =>
    value(isNegated ? sql`(NOT ${condition})` : condition, typeOf("bool"), [expr, ...members]);
  const listed = members.filter((member) => member.type.kind !== "null");
  const pairs = listed.map((member) => harmonise(expr, member, calendar));
  const groups = new Map<Sql, Sql[]>();
  for (const [a, b] of pairs) groups.set(a.sql, [...(groups.get(a.sql) ?? []), b.sql]);
  const conditions = [...groups].map(([a, list]) => sql`${a} IN (${join(list, ", ")})`);
  if (listed.length < members.length) conditions.push(sql`${expr.sql} IS NULL`);
  if (conditions.length === 0) return result(FALSE);
  const any = sql`(${join(conditions, " OR ")})`;
  const someNull = pairs.some(([a, b]) => a.type.nullable || b.type.nullable);
  return result(someNull && (isNegated || !isPositive) ? sql`coalesce(${any}, ${FALSE})` : any);
}

/** Brings two sides to comparable kinds. Errors: HogqlError where HogQL has no such comparison. */
function harmonise(left: Value, right: Value, calendar: Calendar): [Value, Value] {
  const [a, b] = [left.type.kind, right.type.kind];
  if (a === b || a === "null" || b === "null") return [left, right];
  if (isNumeric(left.type) && isNumeric(right.type)) return [asNumeric(left), asNumeric(right)];
  if (a === "string") return withText(left, right, calendar);
  if (b === "string") return swap(withText(right, left, calendar));
  if (a === "date" && b === "datetime") return [asDatetime(left, calendar), right];
  if (a === "datetime" && b === "date") return [left, asDatetime(right, calendar)];
  throw new HogqlError(`Cannot compare ${describe(left.type)} with ${describe(right.type)}.`);
}

const swap = ([a, b]: [Value, Value]): [Value, Value] => [b, a];

/** A text beside something else is read as that. */
function withText(string: Value, other: Value, calendar: Calendar): [Value, Value] {
  switch (other.type.kind) {
    case "int":
    case "float":
      return [asNumeric(string), other];
    case "bool":
      return [string, asText(other, calendar)];
    case "datetime":
      return [readable(string, asDatetime(string, calendar), "time"), other];
    case "date": {
      const at = readable(string, asDatetime(string, calendar), "date");
      return at.instant === undefined ? [at, asDatetime(other, calendar)] : [dayValue(at.instant.toPlainDate()), other];
    }
    case "uuid": {
      const uuid = uuidConstant(string);
      return uuid === null
        ? [string, value(sql`CAST(${other.sql} AS VARCHAR)`, typeOf("string", other.type.nullable), [other])]
        : [uuid, other];
    }
    default:
      throw new HogqlError(`Cannot compare a string with ${describe(other.type)}.`);
  }
}

/** A literal that is no date would be NULL and silently match nothing. */
function readable(string: Value, parsed: Value, what: string): Value {
  if (typeof string.constant === "string" && parsed.instant === undefined) {
    throw new HogqlError(`Cannot read '${string.constant.slice(0, 50)}' as a ${what}.`);
  }
  return parsed;
}
