import { aggregatesOver } from "../../hogql/embedding.ts";
import { alias, call, constant, field, from, orderBy } from "../../hogql/syntax/build.ts";
import { parseExpression, parseOrder } from "../../hogql/syntax/fragments.ts";
import type { Expression, Order, Select } from "../../hogql/syntax/tree.ts";
import { listingTree } from "../../list/listing.ts";
import { notSupported } from "../../shape/errors.ts";
import type { QueryContext } from "../../source/context.ts";
import { type Column, inTurn, isSpecial, readColumns, withoutComment } from "./columns.ts";
import { TIME, UUID } from "./ends.ts";
import type { EventsQuery } from "./node.ts";

const DEFAULT_LIMIT = 100;

/** An EventsQuery as HogQL. */
export interface EventsPlan {
  /** As they were asked for. */
  select: string[];
  columns: Column[];
  /** In a total order, so that pages by `offset` neither skip nor repeat rows. */
  tree: Select;
  limit: number;
  offset: number;
  /** Where the rows stand in the order of time before all else: newest first or last. */
  timeOrder: Order["order"] | null;
  /** The time and uuid of a row, where these alone tell its place in the order; else empty. */
  key: Expression[];
}

/** Errors: HogqlError, TerminalError `invalid_query`. */
export async function planEvents(query: EventsQuery, context: QueryContext): Promise<EventsPlan> {
  const { maxRows } = context.limits;
  const select = query.select == null || query.select.length === 0 ? ["*"] : query.select;
  const columns = await readColumns(select, context);
  const where = await inTurn(query.where ?? [], (text) => parseExpression(text, context));
  const items = columns.flatMap((column) => column.items);
  const isAggregate = aggregatesOver(from("events"), context);
  const groups = items.filter((item) => !isAggregate(item));
  const isGrouped = groups.length < items.length;
  const rowConditions = where.filter((condition) => !isAggregate(condition));
  const groupConditions = where.filter((condition) => isAggregate(condition));
  const orders =
    query.orderBy == null || query.orderBy.length === 0
      ? defaultOrder(select, items, isAggregate)
      : await readOrders(query.orderBy, context);
  const order = isGrouped || items.some(isNamedLikeKey) ? null : timeOrder(orders);
  const limit = Math.min(query.limit ?? DEFAULT_LIMIT, maxRows);
  const offset = query.offset ?? 0;
  const tree = listingTree({
    table: "events",
    select: items,
    where: rowConditions,
    having: groupConditions,
    isGrouped,
    orders: [...orders, ...(isGrouped ? groups.flatMap(orderByGroup) : orderByKey(order))],
    limit,
    offset,
  });
  const isByKey =
    order !== null && orders.slice(1).every((next) => next.order === order && isColumn(next.expr, "uuid"));
  return { select, columns, tree, limit, offset, timeOrder: order, key: isByKey ? [TIME, UUID] : [] };
}

/** The statement that finds the time of the last row that will be listed in the order of time. */
export function edgeOf({ limit, offset }: EventsPlan, tree: Select, timeOrder: Order["order"]): Select {
  const inner: Select = {
    ...tree,
    select: [alias("t", TIME)],
    order_by: tree.order_by!.slice(0, 1),
    limit: constant(offset + limit + 1),
    offset: null,
  };
  const last = timeOrder === "DESC" ? "min" : "max";
  return {
    node: "SelectQuery",
    select: [call(last, field("t"))],
    select_from: { node: "JoinExpr", table: inner },
  };
}

/** The newest first, the largest aggregate first, else by the first column. */
function defaultOrder(
  select: readonly string[],
  items: readonly Expression[],
  isAggregate: (item: Expression) => boolean,
): Order[] {
  const aggregates = items.filter(isAggregate);
  const isCount = (item: Expression) => item.node === "Call" && item.name === "count" && item.args.length === 0;
  const [aggregate] = [...aggregates.filter(isCount), ...aggregates];
  if (aggregate !== undefined) return [orderBy(unaliased(aggregate), "DESC")];
  const names = select.map(withoutComment);
  if (names.includes("*") || names.includes("timestamp")) return [orderBy(field("timestamp"), "DESC")];
  return [orderBy(unaliased(items[0]!), "ASC")];
}

const unaliased = (item: Expression): Expression => (item.node === "Alias" ? item.expr : item);

async function readOrders(texts: readonly string[], context: QueryContext): Promise<Order[]> {
  return inTurn([...texts.entries()], async ([i, text]) => {
    const plain = withoutComment(text);
    if (isSpecial(plain.replace(/\s+(asc|desc)$/i, ""))) throw notSupported(`orderBy.${i}`, `an order by "${plain}"`);
    return parseOrder(plain, context);
  });
}

/** The direction where rows stand in the order of their time before all else. */
function timeOrder(orders: readonly Order[]): Order["order"] | null {
  const [first] = orders;
  return first !== undefined && isColumn(first.expr, "timestamp") ? first.order : null;
}

const isColumn = (expr: Expression, name: string): boolean => expr.node === "Field" && expr.chain.join(".") === name;
const isNamedLikeKey = (item: Expression): boolean =>
  item.node === "Alias" && (item.alias === "timestamp" || item.alias === "uuid");

/** What tells events apart that the orders leave equal. */
function orderByKey(order: Order["order"] | null): Order[] {
  return order === null ? [orderBy(TIME, "DESC"), orderBy(UUID, "DESC")] : [orderBy(UUID, order)];
}

/** What tells groups apart; a number would mean a column. */
function orderByGroup(item: Expression): Order[] {
  const expr = unaliased(item);
  return expr.node === "Constant" ? [] : [orderBy(expr, "ASC")];
}
