import { type Db, manyRows, type RowValue, type Tx } from "../../store/mod.ts";
import type { IdentityNode } from "../../types/mod.ts";
import { chunks } from "./chunks.ts";
import type { Commit } from "./types.ts";

/**
 * The nodes of these persons, and all nodes that share a survivor with one of them: everything that merges between
 * them can change. Each is looked up by an index, so the cost does not grow with the merges of before.
 */
export async function readIdentities(
  db: Db,
  wanted: ReadonlyMap<number, ReadonlySet<string>>,
): Promise<IdentityNode[]> {
  return db.read(async (tx) => {
    const nodes: IdentityNode[] = [];
    for (const [teamId, personIds] of wanted) {
      const ids = manyRows(tx, db.dialect, [...personIds].sort().map(one));
      // Cross joins: SQLite keeps their order. Its own choice is to go through all nodes of the project.
      const found: { survivor_id: string }[] = await tx`
        select distinct n.survivor_id from ${ids} asked cross join identities n
        where n.team_id = ${teamId} and n.person_id = asked.value ->> 0`;
      if (found.length === 0) continue;
      const survivors = manyRows(
        tx,
        db.dialect,
        found.map((row) => one(row.survivor_id)),
      );
      const rows: Record<string, unknown>[] = await tx`
        select n.person_id, n.distinct_id, n.survivor_id, n.is_identified, n.moves
        from ${survivors} asked cross join identities n
        where n.team_id = ${teamId} and n.person_id = asked.value ->> 0
        union all
        select n.person_id, n.distinct_id, n.survivor_id, n.is_identified, n.moves
        from ${survivors} asked cross join identities n
        where n.team_id = ${teamId} and n.survivor_id = asked.value ->> 0 and n.survivor_id <> n.person_id`;
      for (const row of rows) nodes.push(nodeOf(teamId, row));
    }
    return nodes;
  });
}

const one = (id: string): [string] => [id];

/** Writes nodes as they are now, within a commit. */
export async function saveIdentities(db: Db, tx: Tx, nodes: readonly IdentityNode[]): Promise<void> {
  if (nodes.length === 0) return;
  // In the order of the index: neighbours are on the same page of it.
  const sorted = nodes.toSorted((a, b) => (a.personId < b.personId ? -1 : 1));
  for (const part of chunks(sorted, ROWS_AT_ONCE)) {
    const rows = part.map((node): RowValue[] => {
      const { teamId, personId, distinctId, survivorId, isIdentified, moves } = node;
      return [teamId, personId, distinctId, survivorId, isIdentified ? 1 : 0, JSON.stringify(moves)];
    });
    // `where true`: without it SQLite takes `on conflict` for a condition of a join.
    await tx`insert into identities (team_id, person_id, distinct_id, survivor_id, is_identified, moves)
      select cast(value ->> 0 as bigint), value ->> 1, value ->> 2, value ->> 3, cast(value ->> 4 as bigint), value ->> 5
      from ${manyRows(tx, db.dialect, rows)} as node where true
      on conflict (team_id, person_id) do update set
        survivor_id = excluded.survivor_id, is_identified = excluded.is_identified, moves = excluded.moves`;
  }
}

/** More would hold the event loop for long: SQLite runs on it. */
const ROWS_AT_ONCE = 5_000;

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
export async function followMerges(db: Db, tx: Tx, { generation, merging, moves }: Commit): Promise<void> {
  if (merging.length > 0) {
    const rows = merging.map(({ teamId, partition, sequence, events }) => [teamId, partition, sequence, events]);
    await tx`insert into merging (generation, team_id, partition_id, sequence, events)
      select ${generation}, team_id, partition_id, sequence, events from (
        select cast(value ->> 0 as bigint) as team_id, cast(value ->> 1 as bigint) as partition_id,
          cast(value ->> 2 as bigint) as sequence, cast(value ->> 3 as bigint) as events
        from ${manyRows(tx, db.dialect, rows)} as stored) as stored
      where not exists (select 1 from positions p where p.generation = ${generation} and p.lane = 'identity'
        and p.partition_id = stored.partition_id and p.position >= stored.sequence)
      on conflict (generation, sequence, team_id) do update set events = merging.events + excluded.events`;
  }
  for (const { lane, partition, to } of moves) {
    if (lane !== "identity") continue;
    await tx`delete from merging
      where generation = ${generation} and partition_id = ${partition} and sequence <= ${to}`;
  }
}
