import type { Calendar } from "../../dates.ts";
import { HogqlError } from "../../errors.ts";
import { type Sql, sql } from "../../sql.ts";
import { asBool, asCondition, asDate, asDatetime, asFloat, asInt, asNumeric, asText } from "../convert.ts";
import { describe, type Kind, type Type, typeOf, type Value, value } from "../types.ts";

/**
 * How an argument is taken: converted to that kind, or `any` as it is. `?` may be left out, `*` may repeat
 * (only the last). These words are the documentation of a function.
 */
export type Take = "any" | "text" | "number" | "float" | "int" | "bool" | "condition" | "time" | "date" | "array";
export type ArgumentSpec = Take | `${Take}?` | `${Take}*`;

export interface CallContext extends Calendar {
  /** As the user wrote it. */
  name: string;
  /** `quantile(0.9)(x)`: [0.9]. */
  params: readonly (string | number | boolean | null)[];
}

export interface FunctionSpec {
  min: number;
  max: number;
  params: number;
  /** Aggregates take a filter (`sumIf`) and `distinct`. */
  isAggregate: boolean;
  /** Whether an argument only decides: it may be NULL for false, so its comparisons stay plain. */
  isCondition: (index: number, isPositive: boolean) => boolean;
  emit: (args: Value[], call: CallContext, filter: Sql | null) => Value;
}

function takeOf(specs: readonly ArgumentSpec[], index: number): Take {
  const spec = specs[Math.min(index, specs.length - 1)] ?? "any";
  return spec.replace(/[?*]$/, "") as Take;
}

export function arity(specs: readonly ArgumentSpec[]): { min: number; max: number } {
  const last = specs.at(-1);
  return {
    min: specs.filter((spec) => !/[?*]$/.test(spec)).length,
    max: last?.endsWith("*") ? Number.POSITIVE_INFINITY : specs.length,
  };
}

export function convert(argument: Value, take: Take, calendar: Calendar): Value {
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
      return value(asCondition(argument), typeOf("bool"), [argument]);
    case "time":
      return asDatetime(argument, calendar);
    case "date":
      return asDate(argument, calendar);
    case "array":
      if (argument.type.kind !== "array") throw new HogqlError(`Expected an array, not ${describe(argument.type)}.`);
      return argument;
    case "any":
      return argument;
  }
}

/** The kind of a result: fixed, or that of the first argument. */
export type Result = Kind | "same" | Type;

function resultType(result: Result, args: readonly Value[], nullable: boolean): Type {
  if (typeof result === "object") return result;
  if (result !== "same") return typeOf(result, nullable);
  return { ...args[0]!.type, nullable: nullable || args[0]!.type.nullable, isJson: undefined };
}

/** A function of its arguments' values: NULL where one of them is, unless `result` says otherwise. */
export function scalar(
  specs: ArgumentSpec[],
  result: Result,
  emit: (...args: Sql[]) => Sql,
  nullable?: boolean,
): FunctionSpec {
  return {
    ...arity(specs),
    params: 0,
    isAggregate: false,
    isCondition: () => false,
    emit: (args, call) => {
      const taken = args.map((argument, i) => convert(argument, takeOf(specs, i), call));
      const type = resultType(result, taken, nullable ?? taken.some((argument) => argument.type.nullable));
      return value(emit(...taken.map((argument) => argument.sql)), type, args);
    },
  };
}

/** A function that needs more than its arguments' SQL. */
export function special(specs: ArgumentSpec[], emit: (args: Value[], call: CallContext) => Value): FunctionSpec {
  return {
    ...arity(specs),
    params: 0,
    isAggregate: false,
    isCondition: () => false,
    emit: (args, call) =>
      emit(
        args.map((argument, i) => convert(argument, takeOf(specs, i), call)),
        call,
      ),
  };
}

export interface AggregateOptions {
  /** Number of parameters in the first brackets. */
  params?: number;
  /** What an empty set gives when the argument cannot be NULL; NULL where absent. */
  empty?: (type: Type) => Sql | null;
  /** The result cannot be NULL. */
  never?: boolean;
}

/** An aggregate: `emit` writes the call, the filter of `…If` is put behind it. */
export function aggregate(
  specs: ArgumentSpec[],
  result: Result,
  emit: (args: Sql[], types: Type[], params: CallContext["params"]) => Sql,
  options: AggregateOptions = {},
): FunctionSpec {
  return {
    ...arity(specs),
    params: options.params ?? 0,
    isAggregate: true,
    isCondition: () => false,
    emit: (args, call, filter) => {
      const taken = args.map((argument, i) => convert(argument, takeOf(specs, i), call));
      const types = taken.map((argument) => argument.type);
      const plain = emit(
        taken.map((argument) => argument.sql),
        types,
        call.params,
      );
      const filtered = filter === null ? plain : sql`${plain} FILTER (WHERE ${filter})`;
      const isNullable = types.some((type) => type.nullable);
      const empty = isNullable ? null : (options.empty?.(types[0]!) ?? null);
      const type = resultType(result, taken, !options.never && empty === null);
      if (options.never || empty !== null) type.nullable = false;
      const whole = empty === null ? filtered : sql`coalesce(${filtered}, ${empty})`;
      return { sql: whole, type, isAggregate: true };
    },
  };
}
