import type { GroupIndex } from "../../types/mod.ts";
import { call, compare, constant, field, or, orderBy, tuple } from "../hogql/syntax/build.ts";
import type { Expression } from "../hogql/syntax/tree.ts";
import type { QueryContext } from "../source/context.ts";
import { listingTree, runListing } from "./listing.ts";
import { holding } from "./persons.ts";

/** Which groups are wanted; all conditions must hold. */
export interface GroupsQuery {
  index: GroupIndex;
  /** Null for all. */
  keys: readonly string[] | null;
  /** Part of the key or of the properties, in any case. */
  search: string | null;
  limit: number;
  offset: number;
}

export interface ListedGroup {
  key: string;
  /** ISO 8601 in UTC. */
  createdAt: string;
  /** JSON object text: its numbers have all digits. */
  properties: string;
}

/** Groups as they are now, the newest first. Errors: those of `Lake.query`. */
export async function listGroups(
  query: GroupsQuery,
  context: QueryContext,
): Promise<{ groups: ListedGroup[]; hasMore: boolean }> {
  const { index, keys, search, limit, offset } = query;
  const select = [field("key"), field("created_at"), field("properties")];
  const orders = [orderBy(field("created_at"), "DESC"), orderBy(field("key"), "ASC")];
  const where = [
    compare(field("index"), "==", constant(index)),
    ...(keys === null ? [] : [compare(field("key"), "in", tuple(...keys.map(constant)))]),
    ...(search === null ? [] : [searchGroups(search)]),
  ];
  const tree = listingTree({ table: "groups", select, where, orders, limit, offset });
  const { results, hasMore } = await runListing(tree, context);
  const groups = (results as [string, string, string][]).map(([key, createdAt, properties]) => {
    return { key, createdAt: new Date(createdAt).toISOString(), properties };
  });
  return { groups, hasMore };
}

/** The condition that a search finds a group: by part of its key or of its properties, in any case. */
export function searchGroups(search: string): Expression {
  const holds = holding(search);
  return or([holds(field("groups", "key")), holds(call("toString", field("groups", "properties")))]);
}
