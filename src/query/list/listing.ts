import type { PlaceholderValue, Scope } from "../hogql/compile/scope.ts";
import { type HogqlResponse, runTree } from "../hogql/mod.ts";
import { and, constant, field, from } from "../hogql/syntax/build.ts";
import type { Expression, Join, Order, Select } from "../hogql/syntax/tree.ts";
import type { QueryContext } from "../source/context.ts";
import { allOf, type Sql } from "../sql/sql.ts";
import { typeOf, value } from "../value/types.ts";

/** The placeholder for what a listing asks of its rows beside HogQL. */
const LISTED = "listed";

/** A page of the rows of a table, in the terms of HogQL. */
export interface Listing {
  table: "events" | "persons" | "groups" | Join;
  select: Expression[];
  /** Beside the condition that `runListing` gets. */
  where?: Expression[];
  having?: Expression[];
  /** By all columns that are no aggregates. */
  isGrouped?: boolean;
  /** A total order, so that pages by `offset` neither skip nor repeat rows. */
  orders: Order[];
  limit: number;
  offset: number;
}

/** A listing as HogQL. */
export function listingTree({ table, select, where = [], having = [], ...rest }: Listing): Select {
  const { isGrouped, orders, limit, offset } = rest;
  return {
    node: "SelectQuery",
    select,
    select_from: typeof table === "string" ? from(table) : table,
    where: and([{ node: "Placeholder", expr: field(LISTED) }, ...where]),
    having: having.length === 0 ? null : and(having),
    group_by_mode: isGrouped ? "all" : null,
    order_by: orders,
    limit: constant(limit),
    offset: offset === 0 ? null : constant(offset),
  };
}

/** What a listing asks of its rows, compiled where the table is known; `bounds`: the time of the events that meet it. */
export function conditionIn(
  compile: (scope: Scope) => Sql[],
  bounds: PlaceholderValue["bounds"] = null,
): PlaceholderValue {
  return { bounds, compile: (scope) => value(allOf(compile(scope)), typeOf("bool")) };
}

/** The rows of a listing, all in memory. `others`: what stands for the placeholders inside of its table. Errors: those of `runTree`. */
export async function runListing(
  tree: Select,
  condition: PlaceholderValue,
  context: QueryContext,
  others: ReadonlyMap<string, PlaceholderValue> = new Map(),
): Promise<HogqlResponse> {
  const placeholders = new Map([...others, [LISTED, condition]]);
  const { resultsFile, ...answer } = await runTree({ tree, placeholders }, context);
  return resultsFile === undefined ? answer : { ...answer, results: (await resultsFile.take()) as unknown[][] };
}
