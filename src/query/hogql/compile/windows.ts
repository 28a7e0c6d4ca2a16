import { HogqlError } from "../../shape/errors.ts";
import { integer, join, type Sql, sql } from "../../sql/sql.ts";
import { describe, isNumeric, type Value } from "../../value/types.ts";
import { isWhole, type Window, type WindowCall, type WindowFrame } from "../syntax/tree.ts";
import { emitCall } from "./calls.ts";
import { compileExpression } from "./compile.ts";
import { orderSql } from "./items.ts";
import type { Scope } from "./scope.ts";

/** Compiles `f(x) OVER (…)`, or OVER the name of a window. Errors: HogqlError. */
export function compileWindow(node: WindowCall, scope: Scope): Value {
  const window = node.over_expr ?? scope.windows.get(node.over_identifier ?? "");
  if (window === undefined) throw new HogqlError(`There is no window \`${node.over_identifier}\`.`);
  // f(p)(x): the first brackets are then the parameters.
  const hasParams = node.args.length > 0;
  const call = {
    ...node,
    node: "Call" as const,
    args: hasParams ? node.args : (node.exprs ?? []),
    params: hasParams ? node.exprs : null,
  };
  if (/InFrame$/.test(node.name)) checkFrame(node.name, window);
  return { ...emitCall(call, scope, false, windowSql(window, scope)), isWindow: true };
}

/** What is behind OVER. */
function windowSql(window: Window, scope: Scope): Sql {
  const clauses: Sql[] = [];
  const partitions = (window.partition_by ?? []).map((part) => compileExpression(part, scope).sql);
  if (partitions.length > 0) clauses.push(sql`PARTITION BY ${join(partitions, ", ")}`);
  const orders = (window.order_by ?? []).map((order) => orderSql(order, compileExpression(order.expr, scope)));
  if (orders.length > 0) clauses.push(sql`ORDER BY ${join(orders, ", ")}`);
  if (window.frame_method != null) clauses.push(frameSql(window, scope));
  return sql`(${join(clauses, " ")})`;
}

function frameSql(window: Window, scope: Scope): Sql {
  const method = window.frame_method === "ROWS" ? sql`ROWS` : sql`RANGE`;
  const start = boundSql(window.frame_start, scope);
  if (window.frame_end == null) return sql`${method} ${start}`;
  return sql`${method} BETWEEN ${start} AND ${boundSql(window.frame_end, scope)}`;
}

function boundSql(bound: WindowFrame | null | undefined, scope: Scope): Sql {
  if (bound == null) throw new HogqlError("A window's frame needs a start.");
  if (bound.frame_type === "CURRENT ROW") return sql`CURRENT ROW`;
  const side = bound.frame_type === "PRECEDING" ? sql`PRECEDING` : sql`FOLLOWING`;
  return sql`${distanceSql(bound.frame_value, scope)} ${side}`;
}

function distanceSql(distance: WindowFrame["frame_value"], scope: Scope): Sql {
  if (distance == null) return sql`UNBOUNDED`;
  if (typeof distance === "number") {
    if (!isWhole(distance)) throw new HogqlError("The distance of a window's frame must be a whole number.");
    return integer(distance);
  }
  const value = compileExpression(distance, scope);
  if (value.constant === undefined || !isNumeric(value.type)) {
    throw new HogqlError(`The distance of a window's frame must be a whole number, not ${describe(value.type)}.`);
  }
  return value.sql;
}

/** ClickHouse looks only inside of the frame, the engine always in the whole partition: the two must be the same. */
function checkFrame(name: string, window: Window): void {
  const isWhole = (bound: WindowFrame | null | undefined, side: string): boolean =>
    bound?.frame_type === side && bound.frame_value == null;
  const fits =
    name === "lagInFrame"
      ? window.frame_method == null || isWhole(window.frame_start, "PRECEDING")
      : isWhole(window.frame_end, "FOLLOWING");
  if (!fits) {
    const other = name === "lagInFrame" ? "lag" : "lead";
    throw new HogqlError(`\`${name}\` needs a frame that reaches to the end it looks to: use \`${other}\`.`);
  }
}
