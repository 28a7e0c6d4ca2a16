import type { Calendar } from "../../dates.ts";
import { HogqlError } from "../../errors.ts";
import type { Sql } from "../../sql.ts";
import { asBool, asCondition, asDate, asDatetime, asFloat, asInt, asNumeric, asText } from "../convert.ts";
import { describe, type Kind, type Type, typeOf, type Value, value } from "../types.ts";

/**
 * How an argument is taken: converted to that kind, or `any` as it is. `?` may be left out, `*` may repeat
 * (only the last). These words are the documentation of a function.
 */
export type Take =
  | "any"
  | "text"
  | "number"
  | "float"
  | "int"
  | "bool"
  | "condition"
  | "time"
  | "date"
  | "array"
  | "map"
  | "tuple"
  | "lambda";
export type ArgumentSpec = Take | `${Take}?` | `${Take}*`;

export interface CallContext extends Calendar {
  /** As the user wrote it. */
  name: string;
  /** `quantile(0.9)(x)`: [0.9]. */
  params: readonly (string | number | boolean | null)[];
  /** At most so many rows come out of the SELECT; known when all of it is compiled. */
  groupsMax: () => number;
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
  takesOrder?: boolean;
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
function expectKind(argument: Value, kind: "array" | "map" | "tuple"): Value {
  if (argument.type.kind === kind) return argument;
  throw new HogqlError(`Expected ${describe(typeOf(kind))}, not ${describe(argument.type)}.`);
}

export function convert(argument: Value, take: Take, calendar: Calendar): Value {
  if (argument.parameter !== undefined && take !== "lambda") throw new HogqlError("A lambda cannot stand here.");
  switch (take) {
    case "text":
      return asText(argument, calendar);
    case "number":
      return asNumeric(argument);
    case "float":
      return asFloat(argument);
    case "int":
      return asInt(argument);
    case "bool":
      return asBool(argument);
    case "condition":
      return value(asCondition(argument), typeOf("bool", argument.type.nullable), [argument]);
    case "time":
      return asDatetime(argument, calendar);
    case "date":
      return asDate(argument, calendar);
    case "array":
    case "map":
    case "tuple":
      return expectKind(argument, take);
    case "lambda":
      if (argument.parameter === undefined) throw new HogqlError("Expected a lambda (`x -> …`) as the first argument.");
      return argument;
    case "any":
      return argument;
  }
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
