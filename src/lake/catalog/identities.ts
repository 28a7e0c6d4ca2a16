import { type Db, insertRows, manyRows, manyTexts, type RowsTarget, type RowValue, type Tx } from "../../store/mod.ts";
import { assert, type IdentityNode } from "../../types/mod.ts";
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
      const ids = manyTexts(tx, db.dialect, [...personIds].sort());
      // Cross joins: SQLite keeps their order. Its own choice is to go through all nodes of the project.
      const found: { survivor_id: string }[] = await tx`
        select n.survivor_id from ${ids} asked cross join identities n
        where n.team_id = ${teamId} and n.person_id = asked.value
        union
        select n.survivor_id from ${ids} asked cross join identities n
        where n.team_id = ${teamId} and ${isMovedToAsked(tx)}`;
      if (found.length === 0) continue;
      const survivorIds = found.map((row) => row.survivor_id);
      const survivors = manyTexts(tx, db.dialect, survivorIds);
      const rows: Record<string, unknown>[] = await tx`
        select n.* from ${survivors} asked cross join identities n
        where n.team_id = ${teamId} and n.person_id = asked.value
        union all
        select n.* from ${survivors} asked cross join identities n
        where n.team_id = ${teamId} and ${isMovedToAsked(tx)}`;
      // One by one: a person may have more nodes than a call takes arguments.
      for (const node of nodesOf(teamId, rows)) nodes.push(node);
    }
    return nodes;
  });
}

/** The index has the start of a survivor's id: 48 bits, of which two persons hardly ever have the same. */
const isMovedToAsked = (tx: Tx) =>
  tx`substr(n.survivor_id, 1, 13) = substr(asked.value, 1, 13) and n.survivor_id = asked.value
    and n.survivor_id <> n.person_id`;

interface NodeRow {
  person_id: string;
  distinct_id: string;
  survivor_id: string;
  survivor_distinct_id: string | null;
}

/**
 * The nodes of these persons, and those that were moved to one of them: a node may come twice. At least one id, and few enough for one statement.
 * SQLite would go through all nodes of the project with `or` in place of two selects, and with `union` that it must sort.
 */
export async function nodeRowsOf(tx: Tx, teamId: number, personIds: readonly string[]): Promise<NodeRow[]> {
  const starts = tx(personIds.map((id) => id.slice(0, 13)));
  return await tx`
    select person_id, distinct_id, survivor_id, survivor_distinct_id from identities
    where team_id = ${teamId} and person_id in ${tx(personIds)}
    union all
    select person_id, distinct_id, survivor_id, survivor_distinct_id from identities
    where team_id = ${teamId} and substr(survivor_id, 1, 13) in ${starts} and survivor_id in ${tx(personIds)} and survivor_id <> person_id`;
}

/** The nodes that rows tell of, and the survivors that have no row of their own. */
function nodesOf(teamId: number, rows: readonly Record<string, unknown>[]): Iterable<IdentityNode> {
  const nodes = new Map<string, IdentityNode>();
  for (const row of rows) {
    const personId = String(row.person_id);
    nodes.set(personId, {
      ...{ teamId, personId, distinctId: String(row.distinct_id), survivorId: String(row.survivor_id) },
      isIdentified: Number(row.is_identified) === 1,
      moves: JSON.parse(String(row.moves)),
    });
  }
  for (const { survivor_id, survivor_distinct_id, survivor_identified } of rows) {
    if (survivor_distinct_id === null) continue;
    const survivor = nodes.getOrInsertComputed(String(survivor_id), (personId) => {
      const distinctId = String(survivor_distinct_id);
      return { teamId, personId, distinctId, survivorId: personId, isIdentified: false, moves: [] };
    });
    if (Number(survivor_identified) === 1) survivor.isIdentified = true;
  }
  return nodes.values();
}

/**
 * Writes nodes as they are now, within a commit: with a node that was moved its survivor too. A survivor of moved nodes is written down with these, so a
 * merge of two new ids is one row, and each index grows by one entry. Throws AssertionFailed.
 */
export async function saveIdentities(db: Db, tx: Tx, nodes: readonly IdentityNode[]): Promise<void> {
  if (nodes.length === 0) return;
  const byId = new Map(nodes.map((node) => [node.personId, node]));
  const told = new Set(nodes.filter(isMoved).map((node) => node.survivorId));
  for (const id of told) assert(byId.has(id), () => `nodes were moved to ${id}, which is not among the changes`);
  // In the order of the index: neighbours are on the same page of it.
  const ids = [...byId.keys()].filter((id) => !told.has(id)).sort();
  const rows = ids.map((id): RowValue[] => {
    const { teamId, personId, distinctId, survivorId, isIdentified, moves } = byId.get(id)!;
    const survivor = survivorId === personId ? undefined : byId.get(survivorId);
    const own = [teamId, personId, distinctId, survivorId, isIdentified ? 1 : 0, JSON.stringify(moves)];
    return [...own, survivor?.distinctId ?? null, survivor?.isIdentified === true ? 1 : 0];
  });
  await insertRows(tx, db.dialect, IDENTITIES, rows);
}

const IDENTITIES: RowsTarget = {
  table: "identities",
  columns: {
    ...{ team_id: "bigint", person_id: "text", distinct_id: "text", survivor_id: "text", is_identified: "bigint" },
    ...{ moves: "text", survivor_distinct_id: "text", survivor_identified: "bigint" },
  },
  onConflict: `on conflict (team_id, person_id) do update set
    survivor_id = excluded.survivor_id, is_identified = excluded.is_identified, moves = excluded.moves,
    survivor_distinct_id = excluded.survivor_distinct_id, survivor_identified = excluded.survivor_identified`,
};

const isMoved = ({ personId, survivorId }: IdentityNode): boolean => personId !== survivorId;

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
