import type { Stored, Tx } from "../store/mod.ts";

/** A type of groups that events have named. */
export interface GroupType {
  name: string;
  /** From 0: the number in the event property `$group_…` that holds its keys. */
  index: number;
}

/** Those of an environment, by index. Read from what the catalog committed. */
export async function listGroupTypes(tx: Tx, teamId: number): Promise<GroupType[]> {
  const rows: { group_type: string; group_index: Stored }[] = await tx`
    select group_type, group_index from group_types where team_id = ${teamId} order by group_index`;
  return rows.map((row) => ({ name: row.group_type, index: Number(row.group_index) }));
}
