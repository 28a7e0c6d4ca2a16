import type { GroupIndex, Json } from "../../../types/mod.ts";
import { personFilters } from "../../filter/personFilters.ts";
import { aggregatesOver } from "../../hogql/embedding.ts";
import { and, compare, constant, field, from, joined, orderBy } from "../../hogql/syntax/build.ts";
import { parseExpression, parseOrder } from "../../hogql/syntax/fragments.ts";
import type { Expression, Join, Order, Select } from "../../hogql/syntax/tree.ts";
import { searchGroups } from "../../list/groups.ts";
import { listingTree } from "../../list/listing.ts";
import { searchPersons } from "../../list/persons.ts";
import { invalidQuery } from "../../shape/errors.ts";
import type { QueryContext } from "../../source/context.ts";
import { inTurn, withoutComment } from "../events/columns.ts";
import type { ActorRows } from "../kind.ts";
import { type Column, specialColumn, specialOrder } from "./columns.ts";
import type { ActorsQuery } from "./node.ts";
import type { FoundActors } from "./source.ts";

const DEFAULT_LIMIT = 100;

/** An ActorsQuery as HogQL. */
export interface ActorsPlan {
  columns: Column[];
  /** The last value of a row is the actor's id, where the rows are not grouped. */
  tree: Select;
  isGrouped: boolean;
  group: GroupIndex | null;
}

/** Errors: HogqlError, TerminalError `invalid_query`. */
export async function planActors(
  query: ActorsQuery,
  { rows, placeholders }: FoundActors,
  context: QueryContext,
): Promise<ActorsPlan> {
  const group = rows?.group ?? null;
  const table = group === null ? "persons" : "groups";
  const id = rows === null ? field("persons", "id") : field("source", "actor_id");
  const names = query.select?.length ? query.select : defaultColumns(rows);
  const columns = await inTurn(names, async (text): Promise<Column> => {
    const name = withoutComment(text);
    const special = specialColumn(name, id, group);
    return { name: text, ...(special ?? { item: await parseExpression(name, context) }) };
  });
  const tables = rows === null ? from(table) : from(rows.query, "source", recordOf(table, group));
  const items = columns.map(({ item }) => item);
  const aggregates = items.filter(aggregatesOver(tables, context, placeholders));
  const isGrouped = aggregates.length > 0;
  const orders = await ordersOf(query, columns, { group, aggregates, id }, context);
  const tree = listingTree({
    table: tables,
    select: isGrouped ? items : [...items, id],
    where: conditionsOf(query, group, context),
    isGrouped,
    orders: isGrouped ? orders : [...orders, orderBy(id)],
    limit: Math.min(query.limit ?? DEFAULT_LIMIT, context.limits.maxRows),
    offset: query.offset ?? 0,
  });
  return { columns, tree, isGrouped, group };
}

const defaultColumns = (rows: ActorRows | null): string[] => {
  if (rows?.group != null) return ["group"];
  const told = rows?.columns.includes("event_distinct_ids") ? ["event_distinct_ids"] : [];
  return ["person", "id", "person.$delete", ...told];
};

/** What is known of an actor; an actor without a record stays in the list. */
function recordOf(table: "persons" | "groups", group: GroupIndex | null): Join {
  const source = field("source", "actor_id");
  if (group === null) return { ...joined(table, compare(field(table, "id"), "==", source)), join_type: "LEFT JOIN" };
  const ofType = compare(field(table, "index"), "==", constant(group));
  const on = and([compare(field(table, "key"), "==", source), ofType]);
  return { ...joined(table, on), join_type: "LEFT JOIN" };
}

/** The largest count first, the newest, or by the first column: as PostHog does. */
async function ordersOf(
  { orderBy: texts, select }: ActorsQuery,
  columns: readonly Column[],
  o: { group: GroupIndex | null; aggregates: Expression[]; id: Expression },
  context: QueryContext,
): Promise<Order[]> {
  if (texts?.length) {
    return inTurn([...texts.entries()], async ([i, text]) => {
      const [, name = text, direction = "asc"] = /^(.*?)(?:\s+(asc|desc))?$/is.exec(withoutComment(text)) ?? [];
      const special = specialOrder(name, o.group, context);
      if (special === null) return parseOrder(withoutComment(text), context);
      if (o.aggregates.length > 0) throw invalidQuery(`orderBy.${i}`, "must be a column of the grouped rows");
      const isId = name === "id";
      return orderBy(isId ? o.id : special, direction.toLowerCase() === "desc" ? "DESC" : "ASC");
    });
  }
  const isCount = (item: Expression) => item.node === "Call" && item.name === "count" && item.args.length === 0;
  const aggregate = o.aggregates.find(isCount) ?? o.aggregates[0];
  if (aggregate !== undefined) return [orderBy(aggregate.node === "Alias" ? aggregate.expr : aggregate, "DESC")];
  if (select?.includes("created_at")) return [orderBy(field("created_at"), "DESC")];
  const [first] = columns;
  if (first === undefined || first.item.node === "Constant") return [];
  return [orderBy(first.item.node === "Alias" ? first.item.expr : first.item)];
}

/** What is asked of the actors themselves. Errors: TerminalError `invalid_query`. */
function conditionsOf(
  { search, properties, fixedProperties }: ActorsQuery,
  group: GroupIndex | null,
  context: QueryContext,
): Expression[] {
  const filters = [
    ...personFilters((properties ?? null) as Json, context, "properties"),
    ...personFilters((fixedProperties ?? null) as Json, context, "fixedProperties"),
  ];
  if (group !== null && filters.length > 0) throw invalidQuery("properties", "groups are not filtered here");
  return [...(search ? [group === null ? searchPersons(search) : searchGroups(search)] : []), ...filters];
}
