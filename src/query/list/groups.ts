import type { GroupIndex, JsonObject } from "../../types/mod.ts";
import type { QueryContext } from "../source/context.ts";
import { selectRows } from "../source/statement.ts";
import { allOf, anyOf, integer, RELATION, sql, TRUE, text } from "../sql/sql.ts";
import { utcText } from "../time/zone.ts";

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
  const holds = (part: string) =>
    [sql`g.key`, sql`g.properties`].map((value) => sql`contains(lower(${value}), lower(${text(part)}))`);
  const conditions = [
    sql`g.index = ${integer(index)}`,
    key === null ? TRUE : sql`g.key = ${text(key)}`,
    search === null ? TRUE : anyOf(holds(search)),
  ];
  const statement = sql`SELECT g.key, ${utcText(sql`g.created_at`)}, g.properties
    FROM ${RELATION.groups({ properties: true })} AS g WHERE ${allOf(conditions)}
    ORDER BY g.created_at DESC, g.key LIMIT ${integer(limit + 1)} OFFSET ${integer(offset)}`;
  const rows = await selectRows<[string, string, string]>(statement, { maxRows: limit + 1 }, context);
  const groups = rows.slice(0, limit).map(([name, createdAt, properties]) => {
    return { key: name, createdAt, properties: JSON.parse(properties) as JsonObject };
  });
  return { groups, hasMore: rows.length > limit };
}
