import type { GroupIndex, JsonObject } from "../../../types/mod.ts";
import { compileTree } from "../../hogql/mod.ts";
import { and, compare, constant, field, from, select } from "../../hogql/syntax/build.ts";
import type { QueryContext } from "../../source/context.ts";
import { readDistinctIds, readPersons } from "../../source/people.ts";
import { selectRows } from "../../source/statement.ts";

/** A person or a group as a cell shows it. */
export interface Actor {
  id: string;
  properties: JsonObject;
  created_at: string;
  is_identified?: boolean;
  distinct_ids?: string[];
  type: "person" | "group";
  group_key?: string;
  group_type_index?: GroupIndex;
  group_properties?: JsonObject;
}

/** The actors of a page by their ids; those without a record are absent. Errors: those of `Lake.query`. */
export function readActorsOf(
  ids: readonly string[],
  group: GroupIndex | null,
  context: QueryContext,
): Promise<ReadonlyMap<string, Actor>> {
  return group === null ? personsOf(ids, context) : groupsOf(ids, group, context);
}

async function personsOf(ids: readonly string[], context: QueryContext): Promise<ReadonlyMap<string, Actor>> {
  const persons = await readPersons(ids, context);
  const distinctIds = await readDistinctIds([...persons.keys()], context);
  const actors = [...persons.values()].map(({ id, createdAt, isIdentified, properties }): [string, Actor] => {
    const told = { created_at: createdAt, is_identified: isIdentified, distinct_ids: distinctIds.get(id) ?? [] };
    return [id, { type: "person", id, properties, ...told }];
  });
  return new Map(actors);
}

async function groupsOf(
  keys: readonly string[],
  index: GroupIndex,
  context: QueryContext,
): Promise<ReadonlyMap<string, Actor>> {
  if (keys.length === 0) return new Map();
  const tree = select([field("key"), field("created_at"), field("properties")], {
    select_from: from("groups"),
    where: and([
      compare(field("index"), "==", constant(index)),
      compare(field("key"), "in", { node: "Tuple", exprs: keys.map(constant) }),
    ]),
  });
  const { sql } = compileTree(tree, context);
  const rows = await selectRows<[string, string, string]>(sql, { maxRows: keys.length }, context);
  const actors = rows.map(([key, createdAt, text]): [string, Actor] => {
    const properties: JsonObject = JSON.parse(text);
    const created_at = new Date(`${createdAt}Z`).toISOString();
    const told = { group_key: key, group_type_index: index, group_properties: properties };
    return [key, { type: "group", id: key, properties, created_at, ...told }];
  });
  return new Map(actors);
}
