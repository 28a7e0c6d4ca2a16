import type { Tx } from "../../store/mod.ts";
import type { Commit } from "./types.ts";

/**
 * A stored event that merges counts as queued until its merge is settled too. Both commits stand in one line, so that one
 * of them sees the other: the later takes the event off the list, or does not put it there.
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

/** Stored events of a project whose merge is not settled. */
export async function countMerging(tx: Tx, teamId: number): Promise<number> {
  const rows: { events: unknown }[] = await tx`
    select coalesce(sum(events), 0) as events from merging where team_id = ${teamId}`;
  return Number(rows[0]!.events);
}
