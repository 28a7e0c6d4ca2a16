import { type HogqlResponse, type MadeQuery, runTree } from "../hogql/mod.ts";
import { and, constant, from } from "../hogql/syntax/build.ts";
import type { Expression, Join, Order, Select } from "../hogql/syntax/tree.ts";
import type { QueryContext } from "../source/context.ts";

/** A page of the rows of a table, in the terms of HogQL. */
export interface Listing {
  table: "events" | "persons" | "groups" | Join;
  select: Expression[];
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
    where: and(where),
    having: having.length === 0 ? null : and(having),
    group_by_mode: isGrouped ? "all" : null,
    order_by: orders,
    limit: constant(limit),
    offset: offset === 0 ? null : constant(offset),
  };
}

/** The rows of a listing, all in memory. Errors: those of `runTree`. */
export async function runListing(
  tree: Select,
  context: QueryContext,
  placeholders: MadeQuery["placeholders"] = new Map(),
): Promise<HogqlResponse> {
  const { resultsFile, ...answer } = await runTree({ tree, placeholders }, context);
  return resultsFile === undefined ? answer : { ...answer, results: (await resultsFile.take()) as unknown[][] };
}
