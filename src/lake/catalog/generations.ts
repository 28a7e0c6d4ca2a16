import { changed, type Db, type Tx } from "../../store/mod.ts";
import type { Lane } from "../../types/mod.ts";

/** A set of streams, one a lane. `draining`: nothing more is published to it, and its frames are still worked off. */
export interface Generation {
  generation: number;
  partitions: number;
  state: "open" | "draining";
  /** Of the generations after it, where an operator has set a number. */
  wantedPartitions: number | null;
  streams: { lane: Lane; created: string; highestPosition: number }[];
}

/** How far a lane of a partition is settled. */
export interface CommittedPosition {
  lane: Lane;
  partition: number;
  position: number;
}

/** Any number that no other advisory lock of the program has. */
const OPENING_LOCK = 5_701_948;

/** The generation in use, or null before the first start. At most one is not closed. */
export async function currentGeneration(db: Db): Promise<Generation | null> {
  return db.read(async (tx) => {
    const rows: { generation: unknown; partitions: unknown; wanted: unknown; state: "open" | "draining" }[] = await tx`
      select generation, partitions, wanted_partitions as wanted, state from generations
      where state <> 'closed' order by generation desc`;
    const row = rows[0];
    if (row === undefined) return null;
    const generation = Number(row.generation);
    const streams: { lane: Lane; created: string; highest: unknown }[] = await tx`
      select s.lane, s.created, max(p.position) as highest from streams s
      join positions p on p.generation = s.generation and p.lane = s.lane
      where s.generation = ${generation} group by s.lane, s.created`;
    return {
      generation,
      partitions: Number(row.partitions),
      state: row.state,
      wantedPartitions: row.wanted === null ? null : Number(row.wanted),
      streams: streams.map((s) => ({ lane: s.lane, created: s.created, highestPosition: Number(s.highest) })),
    };
  });
}

/**
 * Opens a generation whose streams have been made, in place of `after` (null: there was none); all positions start at 0.
 * Gives the number of partitions. Null, and nothing happens, when another process has opened one meanwhile: closing that one would lose
 * its events.
 */
export async function openGeneration(
  db: Db,
  opened: {
    generation: number;
    after: number | null;
    /** Where no number was set for it. */
    partitions: number;
    streams: { lane: Lane; created: string }[];
    nowMs: number;
  },
): Promise<number | null> {
  return db.write(async (tx) => {
    // PostgreSQL would let two processes find the same generation, and each open the next.
    if (db.dialect === "postgres") await tx`select pg_advisory_xact_lock(${OPENING_LOCK})`;
    const rows: { generation: unknown; wanted: unknown }[] = await tx`
      select generation, wanted_partitions as wanted from generations where state <> 'closed' order by generation desc`;
    const current = rows[0];
    if ((current === undefined ? null : Number(current.generation)) !== opened.after) return null;
    const wanted = current?.wanted == null ? null : Number(current.wanted);
    const partitions = wanted ?? opened.partitions;
    await tx`update generations set state = 'closed' where state <> 'closed'`;
    await tx`delete from merging where generation < ${opened.generation}`;
    // Times of the new generation come after all of the old one, even if the broker's clock went back.
    const last: { last_ms: unknown }[] = await tx`select max(last_ms) as last_ms from positions`;
    const startMs = Number(last[0]?.last_ms ?? 0) + 1;
    await tx`insert into generations (generation, partitions, state, opened_at_ms, wanted_partitions)
      values (${opened.generation}, ${partitions}, 'open', ${opened.nowMs}, ${wanted})`;
    for (const stream of opened.streams) await addStream(tx, { ...opened, ...stream, partitions, startMs });
    // Messages of actors wait for the owner of a partition, which there may not be any more.
    await tx`update outbox set partition_id = partition_id % ${partitions} where partition_id >= ${partitions}`;
    return partitions;
  });
}

async function addStream(
  tx: Tx,
  o: { generation: number; partitions: number; lane: Lane; created: string; startMs: number },
): Promise<void> {
  const { generation, partitions, lane, created, startMs } = o;
  await tx`insert into streams (generation, lane, created) values (${generation}, ${lane}, ${created})`;
  for (let partition = 0; partition < partitions; partition++) {
    await tx`insert into positions (generation, lane, partition_id, position, last_ms, attempts, in_hand, poisoned)
      values (${generation}, ${lane}, ${partition}, 0, ${startMs}, 0, null, '[]')`;
  }
}

/**
 * Begins to drain an open generation; those after it have so many partitions. False, and nothing happens, when it is not open any
 * more.
 */
export async function setPartitions(db: Db, generation: number, partitions: number): Promise<boolean> {
  return db.write(async (tx) => {
    const result = await tx`update generations set state = 'draining', wanted_partitions = ${partitions}
      where generation = ${generation} and state = 'open'`;
    return changed(result) === 1;
  });
}

/** Stops publishing to a generation whose streams cannot be trusted to count on. One that is closed by now stays so. */
export async function drainGeneration(db: Db, generation: number): Promise<void> {
  await db.write(
    (tx) => tx`update generations set state = 'draining' where generation = ${generation} and state = 'open'`,
  );
}

/** Committed positions of one generation. */
export async function committedPositions(db: Db, generation: number): Promise<CommittedPosition[]> {
  return db.read((tx) => readPositions(tx, generation));
}

export async function readPositions(tx: Tx, generation: number): Promise<CommittedPosition[]> {
  const rows: { lane: Lane; partition_id: unknown; position: unknown }[] = await tx`
    select lane, partition_id, position from positions where generation = ${generation}`;
  return rows.map((r) => ({ lane: r.lane, partition: Number(r.partition_id), position: Number(r.position) }));
}
