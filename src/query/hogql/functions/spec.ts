import { HogqlError } from "../../shape/errors.ts";
import type { Sql } from "../../sql/sql.ts";
import type { Calendar } from "../../time/dates.ts";
import { asBool, asCondition, asDate, asDatetime, asFloat, asInt, asNumeric, asText } from "../../value/convert.ts";
import { describe, type Kind, type Type, typeOf, type Value, value } from "../../value/types.ts";

/** Each way to take an argument. These words are the documentation of a function. */
const TAKES = {
  any: (argument: Value) => argument,
  text: asText,
  number: asNumeric,
  float: asFloat,
  int: asInt,
  bool: asBool,
  condition: (argument: Value) => value(asCondition(argument), typeOf("bool", argument.type.nullable), [argument]),
  time: asDatetime,
  date: asDate,
  array: ofKind("array"),
  map: ofKind("map"),
  tuple: ofKind("tuple"),
  lambda: (argument: Value) => {
    if (argument.parameter !== undefined) return argument;
    throw new HogqlError("Expected a lambda (`x -> …`) as the first argument.");
  },
} satisfies Record<string, (argument: Value, calendar: Calendar) => Value>;

export type Take = keyof typeof TAKES;
/** `?` may be left out, `*` may repeat (only the last). */
export type ArgumentSpec = Take | `${Take}?` | `${Take}*`;

export interface CallContext extends Calendar {
  /** As the user wrote it. */
  name: string;
  /** `quantile(0.9)(x)`: [0.9]. */
  params: readonly (string | number | boolean | null)[];
  /** At most so many rows come out of the SELECT; known when all of it is compiled. */
  groupsMax: () => number;
  /** Over the events of a SELECT that reads nothing else: how many meet a condition. */
  countRows?: ((where: Sql) => Sql) | undefined;
  /** A name that the statement has nowhere else, for the parameter of a lambda. */
  fresh: () => Sql;
}

/** Which rows an aggregate reads, in what order, and what it gives where there are none. */
export interface Rows {
  filter: Sql | null;
  /** The window in brackets behind OVER. */
  over: Sql | null;
  order: Sql | null;
  isDistinct: boolean;
  ifNone: "usual" | "null" | "zero";
}

export const ALL_ROWS: Rows = { filter: null, over: null, order: null, isDistinct: false, ifNone: "usual" };

export interface FunctionSpec {
  kind: "scalar" | "aggregate" | "window";
  /** Its arguments, as its table describes them. */
  takes: readonly ArgumentSpec[];
  min: number;
  max: number;
  /** The most parameters in the first brackets. */
  params: number;
  /** Whether an argument only decides: it may be NULL for false, so its comparisons stay plain. */
  isCondition: (index: number, isPositive: boolean, count: number) => boolean;
  /** Of a function that takes a lambda first: what the lambda is called with, for a call with these other arguments. */
  lambda?: (parameter: Sql, others: readonly Value[]) => Value[];
  emit: (args: Value[], call: CallContext, rows: Rows) => Value;
  /** The same aggregate over the elements of one list: what combinators build on. */
  overList?: (list: Value, call: CallContext) => Value;
  /** Over nothing at all it gives the type's zero. */
  givesZero?: boolean;
  takesOrder?: boolean;
  /** Of an aggregate: a row more than once changes nothing. */
  ignoresRepeats?: boolean;
}

function takeOf(specs: readonly ArgumentSpec[], index: number): Take {
  const spec = specs[Math.min(index, specs.length - 1)] ?? "any";
  return spec.replace(/[?*]$/, "") as Take;
}

function arity(specs: readonly ArgumentSpec[]): { min: number; max: number } {
  const last = specs.at(-1);
  return {
    min: specs.filter((spec) => !/[?*]$/.test(spec)).length,
    max: last?.endsWith("*") ? Number.POSITIVE_INFINITY : specs.length,
  };
}

/** What a function has in common with all that take such arguments. */
export function specOf(kind: FunctionSpec["kind"], specs: readonly ArgumentSpec[]): Omit<FunctionSpec, "emit"> {
  return { ...arity(specs), kind, takes: specs, params: 0, isCondition: () => false };
}

/** The argument itself where it is of a kind, else a refusal. */
function ofKind(kind: "array" | "map" | "tuple"): (argument: Value) => Value {
  return (argument) => {
    if (argument.type.kind === kind) return argument;
    throw new HogqlError(`Expected ${describe(typeOf(kind))}, not ${describe(argument.type)}.`);
  };
}

export function convert(argument: Value, take: Take, calendar: Calendar): Value {
  if (argument.parameter !== undefined && take !== "lambda") throw new HogqlError("A lambda cannot stand here.");
  return TAKES[take](argument, calendar);
}

/** Arguments as a function takes them. */
export function take(args: readonly Value[], specs: readonly ArgumentSpec[], calendar: Calendar): Value[] {
  return args.map((argument, i) => convert(argument, takeOf(specs, i), calendar));
}

/** The type of a result: fixed, or that of the first argument. */
export type Result = Kind | "same" | Type;

export function resultType(result: Result, args: readonly Value[], nullable: boolean): Type {
  if (typeof result === "object") return { ...result, nullable: result.nullable || nullable };
  if (result !== "same") return typeOf(result, nullable);
  return { ...args[0]!.type, nullable: nullable || args[0]!.type.nullable, isJson: undefined };
}

/** A function of its arguments' values: NULL where one of them is, unless `nullable` says otherwise. */
export function scalar(
  specs: ArgumentSpec[],
  result: Result,
  emit: (...args: Sql[]) => Sql,
  nullable?: boolean,
): FunctionSpec {
  return special(specs, (args) => {
    const isNullable = nullable ?? args.some((argument) => argument.type.nullable);
    return value(emit(...args.map((argument) => argument.sql)), resultType(result, args, isNullable), args);
  });
}

/** A function that needs more than its arguments' SQL. */
export function special(specs: ArgumentSpec[], emit: (args: Value[], call: CallContext) => Value): FunctionSpec {
  return { ...specOf("scalar", specs), emit: (args, call) => emit(take(args, specs, call), call) };
}

/** The text of an argument that must be a literal: it is checked before anything runs. */
export function literalText(argument: Value | undefined, what: string): string {
  if (typeof argument?.constant !== "string") throw new HogqlError(`${what} must be a string literal.`);
  return argument.constant;
}
