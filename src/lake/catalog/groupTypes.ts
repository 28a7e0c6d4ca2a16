import type { Db, Tx } from "../../store/mod.ts";
import { type GroupIndex, type GroupTypes, MAX_GROUP_TYPES } from "../../types/mod.ts";
import { lockProject } from "./clock.ts";

/** Group types of one project by name. */
export function readGroupTypes(db: Db, teamId: number): Promise<GroupTypes> {
  return db.read((tx) => typesIn(tx, teamId));
}

/** The same within a transaction. */
export async function typesIn(tx: Tx, teamId: number): Promise<Map<string, GroupIndex>> {
  const rows: { group_type: string; group_index: unknown }[] = await tx`
    select group_type, group_index from group_types where team_id = ${teamId} order by group_index`;
  return new Map(rows.map((row) => [row.group_type, Number(row.group_index) as GroupIndex]));
}

/**
 * Gives each type that has none the lowest free index, in the order given; beyond five a type gets none
 * (docs/persons.md#groups). Returns all of the project's. A transaction of its own before the commit: that a type is
 * known although the event that named it was not stored does no harm.
 */
export async function ensureGroupTypes(db: Db, teamId: number, types: readonly string[]): Promise<GroupTypes> {
  return db.write(async (tx) => {
    await lockProject(tx, teamId);
    const known = await typesIn(tx, teamId);
    for (const type of types) {
      if (known.has(type) || known.size >= MAX_GROUP_TYPES) continue;
      const index = ([0, 1, 2, 3, 4] as const).find((i) => ![...known.values()].includes(i));
      if (index === undefined) break;
      await tx`insert into group_types (team_id, group_type, group_index) values (${teamId}, ${type}, ${index})`;
      known.set(type, index);
    }
    return known;
  });
}
