import type { GroupIndex, JsonObject } from "../../types/mod.ts";
import { field, orderBy } from "../hogql/syntax/build.ts";
import type { QueryContext } from "../source/context.ts";
import { integer, sql, TRUE, text } from "../sql/sql.ts";
import { conditionIn, listingTree, runListing } from "./listing.ts";
import { searched } from "./persons.ts";

/** Which groups are wanted; all conditions must hold. */
export interface GroupsQuery {
  index: GroupIndex;
  key: string | null;
  /** Part of the key or of the properties, in any case. */
  search: string | null;
  limit: number;
  offset: number;
}

export interface ListedGroup {
  key: string;
  /** ISO 8601 in UTC. */
  createdAt: string;
  properties: JsonObject;
}

/** Groups as they are now, the newest first. Errors: those of `Lake.query`. */
export async function listGroups(
  query: GroupsQuery,
  context: QueryContext,
): Promise<{ groups: ListedGroup[]; hasMore: boolean }> {
  const { index, key, search, limit, offset } = query;
  const select = [field("key"), field("created_at"), field("properties")];
  const orders = [orderBy(field("created_at"), "DESC"), orderBy(field("key"), "ASC")];
  const condition = conditionIn((scope) => {
    const column = (name: string) => scope.tableNamed("groups")!.field([name])!.value.sql;
    return [
      sql`${column("index")} = ${integer(index)}`,
      key === null ? TRUE : sql`${column("key")} = ${text(key)}`,
      search === null ? TRUE : searched.group(column, search),
    ];
  });
  const tree = listingTree({ table: "groups", select, orders, limit, offset });
  const { results, hasMore } = await runListing(tree, condition, context);
  const groups = (results as [string, string, string][]).map(([name, createdAt, properties]) => {
    return {
      key: name,
      createdAt: new Date(createdAt).toISOString(),
      properties: JSON.parse(properties) as JsonObject,
    };
  });
  return { groups, hasMore };
}
