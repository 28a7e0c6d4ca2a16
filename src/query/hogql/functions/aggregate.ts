import { allOf, join, name, type Sql, sql } from "../../sql/sql.ts";
import { elementOf, optional, type Type, type Value, value, zeroOf } from "../../value/types.ts";
import {
  type ArgumentSpec,
  type CallContext,
  type FunctionSpec,
  type Result,
  type Rows,
  resultType,
  specOf,
  take,
} from "./spec.ts";

/** The engine's aggregate behind one of HogQL. */
export interface Engine {
  /** Its name there, for a first argument of that type. */
  name: string | ((type: Type) => string);
  /** Constants behind the arguments. */
  extra?: (params: CallContext["params"]) => Sql[];
}

interface Options {
  params?: number;
  /** An empty set of what cannot be NULL gives the type's zero, as in ClickHouse, instead of NULL. */
  zero?: boolean;
  /** The result cannot be NULL. */
  never?: boolean;
  takesOrder?: boolean;
}

const nameOf = (engine: Engine, type: Type | undefined): string =>
  typeof engine.name === "string" ? engine.name : engine.name(type ?? { kind: "null", nullable: true });

/** What the engine reads behind an aggregate's brackets. */
export function ofRows(call: Sql, { filter, over }: Rows): Sql {
  const filtered = filter === null ? call : sql`${call} FILTER (WHERE ${filter})`;
  return over === null ? filtered : sql`${filtered} OVER ${over}`;
}

/** An aggregate's arguments as they stand in its brackets. */
export function insideOf(args: readonly Sql[], { isDistinct, order }: Rows): Sql {
  const list = join(args, ", ");
  return sql`${isDistinct ? sql`DISTINCT ` : sql``}${list}${order === null ? sql`` : sql` ORDER BY ${order}`}`;
}

/** A value that is read off rows: an aggregate, or a window function over them. */
export function overRows(written: Sql, type: Type, inputs: readonly Value[], rows: Rows): Value {
  const isWindow = rows.over !== null;
  const base = value(written, type, inputs);
  return { ...base, isAggregate: base.isAggregate || !isWindow, isWindow: base.isWindow || isWindow };
}

/** What stands for no rows at all, by what is asked for. */
export function whereNone(from: Value, rows: Rows, isNever: boolean, zeroUsually: boolean): Value {
  const zero = zeroOf(from.type);
  if (rows.ifNone === "null" && isNever && zero !== null) {
    return { ...from, sql: sql`nullif(${from.sql}, ${zero})`, type: optional(from.type) };
  }
  if (isNever || rows.ifNone === "null" || zero === null) return from;
  if (rows.ifNone === "usual" && !zeroUsually) return from;
  return { ...from, sql: sql`coalesce(${from.sql}, ${zero})`, type: { ...from.type, nullable: false } };
}

/** An aggregate that the engine has. `result` is never NULL with `never`, else NULL over no rows. */
export function aggregate(specs: ArgumentSpec[], result: Result, engine: Engine, options: Options = {}): FunctionSpec {
  const { never = false, zero = false } = options;
  return {
    ...specOf("aggregate", specs),
    params: options.params ?? 0,
    takesOrder: options.takesOrder ?? false,
    givesZero: zero || never,
    emit: (args, call, rows) => {
      const taken = take(args, specs, call);
      const inside = insideOf([...taken.map((argument) => argument.sql), ...(engine.extra?.(call.params) ?? [])], rows);
      const written = sql`${name(nameOf(engine, taken[0]?.type))}(${inside})`;
      const base = overRows(ofRows(written, rows), typeOfResult(result, taken, never), taken, rows);
      return whereNone(base, rows, never, zero && taken.every((argument) => !argument.type.nullable));
    },
    overList:
      specs.length > 1
        ? undefined
        : (list, call) => {
            const element = value(list.sql, elementOf(list.type));
            const engineName = name(nameOf(engine, element.type));
            const extra = engine.extra?.(call.params) ?? [];
            const written = sql`list_aggregate(${join([list.sql, sql`'${engineName}'`, ...extra], ", ")})`;
            return value(written, optional(typeOfResult(result, [element], never)), [list]);
          },
  };
}

function typeOfResult(result: Result, args: readonly Value[], never: boolean): Type {
  const type = resultType(result, args, !never);
  return never ? { ...type, nullable: false } : type;
}

/** The filter of rows, and no argument is NULL. */
export function known(args: readonly Value[], { filter }: Rows): Sql {
  return allOf([...args.map((argument) => sql`${argument.sql} IS NOT NULL`), ...(filter === null ? [] : [filter])]);
}
