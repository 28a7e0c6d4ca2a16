import type { Db, Tx } from "../../store/mod.ts";
import type { IdentityNode } from "../../types/mod.ts";
import { chunks } from "./chunks.ts";
import type { Commit } from "./types.ts";

/**
 * The nodes of these persons, and all nodes that share a survivor with one of them: everything that merges between
 * them can change.
 */
export async function readIdentities(
  db: Db,
  wanted: ReadonlyMap<number, ReadonlySet<string>>,
): Promise<IdentityNode[]> {
  return db.read(async (tx) => {
    const nodes: IdentityNode[] = [];
    for (const [teamId, personIds] of wanted) {
      const survivors = new Set<string>();
      for (const ids of chunks([...personIds])) {
        const rows: { survivor_id: string }[] = await tx`
          select distinct survivor_id from identities where team_id = ${teamId} and person_id in ${tx(ids)}`;
        for (const row of rows) survivors.add(row.survivor_id);
      }
      for (const ids of chunks([...survivors])) {
        const rows: Record<string, unknown>[] = await tx`
          select person_id, distinct_id, survivor_id, is_identified, moves from identities
          where team_id = ${teamId} and survivor_id in ${tx(ids)}`;
        for (const row of rows) nodes.push(nodeOf(teamId, row));
      }
    }
    return nodes;
  });
}

/** Writes nodes as they are now, within a commit. */
export async function saveIdentities(tx: Tx, nodes: readonly IdentityNode[]): Promise<void> {
  for (const part of chunks(nodes)) {
    const rows = part.map((node) => ({
      team_id: node.teamId,
      person_id: node.personId,
      distinct_id: node.distinctId,
      survivor_id: node.survivorId,
      is_identified: node.isIdentified ? 1 : 0,
      moves: JSON.stringify(node.moves),
    }));
    await tx`insert into identities ${tx(rows)}
      on conflict (team_id, person_id) do update set
        survivor_id = excluded.survivor_id, is_identified = excluded.is_identified, moves = excluded.moves`;
  }
}

function nodeOf(teamId: number, row: Record<string, unknown>): IdentityNode {
  return {
    teamId,
    personId: String(row.person_id),
    distinctId: String(row.distinct_id),
    survivorId: String(row.survivor_id),
    isIdentified: Number(row.is_identified) === 1,
    moves: JSON.parse(String(row.moves)),
  };
}

/**
 * A stored event that merges counts as queued until its merge is settled too. Commits happen one after the other: the later takes the event off the list, or does not put it there.
 */
export async function followMerges(tx: Tx, { generation, merging, moves }: Commit): Promise<void> {
  for (const { teamId, partition, sequence } of merging) {
    await tx`insert into merging (generation, partition_id, sequence, team_id, events)
      select ${generation}, ${partition}, ${sequence}, ${teamId}, 1 where not exists (
        select 1 from positions where generation = ${generation} and lane = 'identity'
          and partition_id = ${partition} and position >= ${sequence})
      on conflict (generation, sequence, team_id) do update set events = merging.events + 1`;
  }
  for (const { lane, partition, to } of moves) {
    if (lane !== "identity") continue;
    await tx`delete from merging
      where generation = ${generation} and partition_id = ${partition} and sequence <= ${to}`;
  }
}
