import { changed, type Db, manyRows, type Tx } from "../../store/mod.ts";
import type { Lane } from "../../types/mod.ts";
import { staleOwner } from "./commit.ts";
import type { Claim, Epoch, Position } from "./types.ts";

interface PositionRow {
  lane: Lane;
  partition_id: unknown;
  position: unknown;
  last_ms: unknown;
  attempts: unknown;
  in_hand: unknown;
  /** JSON list of ordinals that were in hand when an owner died, once for each death. */
  poisoned: string;
}

/**
 * Takes partitions over: raises their epochs, so that the last owner cannot commit any more, and counts an attempt
 * on their positions. An event that was in hand when the last owner died is written down; one that was so at three deaths is poisoned:
 * fewer may be chance (protocol rules 7, 22).
 */
export async function claim(
  db: Db,
  request: { owner: string; generation: number; partitions: number[] },
): Promise<Claim[]> {
  const { owner, generation } = request;
  // In one order: two workers that claim the same must not wait for each other.
  const partitions = request.partitions.toSorted((a, b) => a - b);
  return db.write(async (tx) => {
    const asked = () => partitionRows(tx, db, partitions);
    const owned: { partition_id: unknown; epoch: unknown }[] = await tx`
      insert into owners (partition_id, owner, epoch)
      select cast(value ->> 0 as bigint), cast(${owner} as text), 1 from ${asked()} as asked where true
      on conflict (partition_id) do update set owner = excluded.owner, epoch = owners.epoch + 1
      returning partition_id, epoch`;
    const rows: PositionRow[] = await tx`
      select lane, partition_id, position, last_ms, attempts, in_hand, poisoned from positions
      where generation = ${generation} and partition_id in (select cast(value ->> 0 as bigint) from ${asked()} as asked)`;
    await tx`
      update positions set attempts = attempts + 1, in_hand = null
      where generation = ${generation} and partition_id in (select cast(value ->> 0 as bigint) from ${asked()} as asked)`;
    for (const row of rows.filter(({ in_hand }) => in_hand !== null)) {
      await tx`
        update positions set poisoned = ${JSON.stringify(inHandAtDeaths(row))}
        where generation = ${generation} and lane = ${row.lane} and partition_id = ${Number(row.partition_id)}`;
    }
    const positions = rows.map(claimed);
    const byPartition = Map.groupBy(positions, ({ partition }) => partition);
    const epochs = new Map(owned.map((row) => [Number(row.partition_id), Number(row.epoch)]));
    return partitions.map((partition) => {
      return { epoch: { partition, epoch: epochs.get(partition)! }, positions: byPartition.get(partition) ?? [] };
    });
  });
}

const partitionRows = (tx: Tx, { dialect }: Db, partitions: readonly number[]) =>
  manyRows(
    tx,
    dialect,
    partitions.map((partition) => [partition]),
  );

/** Workers are killed for other reasons, too: on a slow machine two of them often while they try the same event. */
const POISON_DEATHS = 3;

/** A position as its new owner has it. */
function claimed(row: PositionRow): Position {
  const suspects = inHandAtDeaths(row);
  const deathsWith = (ordinal: number) => suspects.filter((other) => other === ordinal).length;
  const poisoned = [...new Set(suspects)].filter((ordinal) => deathsWith(ordinal) >= POISON_DEATHS);
  return {
    ...{ lane: row.lane, partition: Number(row.partition_id), position: Number(row.position) },
    ...{ lastMs: Number(row.last_ms), attempts: Number(row.attempts) + 1, poisoned },
  };
}

/** Ordinals of events that an owner tried alone when it died, once for each death. */
function inHandAtDeaths({ poisoned, in_hand }: PositionRow): number[] {
  const before: number[] = JSON.parse(poisoned);
  return in_hand === null ? before : [...before, Number(in_hand)];
}

/**
 * Writes down which event is tried next (null: none any more), so that it is known should it kill the worker. Throws CommitRefused
 * when the partition has another owner: what that one has in hand stays.
 */
export async function takeInHand(
  db: Db,
  at: { generation: number; lane: Lane; epoch: Epoch; ordinal: number | null },
): Promise<void> {
  const result = await db.write(
    (tx) => tx`
      update positions set in_hand = ${at.ordinal}
      where generation = ${at.generation} and (lane, partition_id) in ${stillOwned(tx, db, [at])}`,
  );
  if (changed(result) !== 1) throw staleOwner(at.epoch);
}

/**
 * An owner has found these lanes empty: nothing in them can have cost a worker, so that earlier claims do not count.
 * Nothing happens for a partition whose epoch is no longer the owner's.
 */
export async function clearAttempts(
  db: Db,
  idle: { generation: number; lanes: { lane: Lane; epoch: Epoch }[] },
): Promise<void> {
  await db.write(
    (tx) => tx`
      update positions set attempts = 0, in_hand = null, poisoned = '[]'
      where generation = ${idle.generation} and (lane, partition_id) in ${stillOwned(tx, db, idle.lanes)}`,
  );
}

/**
 * A living owner lets partitions go: in the lanes named, which it has not committed since it took them, its own claim was
 * no attempt that failed. Nothing happens for a partition that has another owner already.
 */
export async function handOver(
  db: Db,
  given: { owner: string; generation: number; partitions: number[]; untouched: { lane: Lane; epoch: Epoch }[] },
): Promise<void> {
  await db.write(async (tx) => {
    await tx`
      update positions set attempts = attempts - 1, in_hand = null
      where generation = ${given.generation} and attempts > 0
        and (lane, partition_id) in ${stillOwned(tx, db, given.untouched)}`;
    await tx`
      update owners set owner = null where owner = ${given.owner} and partition_id in (
        select cast(value ->> 0 as bigint) from ${partitionRows(tx, db, given.partitions)} as given)`;
  });
}

/** Lanes with their partitions, of those whose epoch has not been raised since; for `in`. */
function stillOwned(tx: Tx, { dialect }: Db, lanes: readonly { lane: Lane; epoch: Epoch }[]) {
  const rows = lanes.map(({ lane, epoch }) => [lane, epoch.partition, epoch.epoch]);
  return tx`(
    select asked.value ->> 0, owners.partition_id from ${manyRows(tx, dialect, rows)} as asked
    join owners on owners.partition_id = cast(asked.value ->> 1 as bigint)
      and owners.epoch = cast(asked.value ->> 2 as bigint))`;
}

/** Owners of partitions, for `weir status`. */
export async function owners(db: Db): Promise<{ partition: number; owner: string | null; epoch: number }[]> {
  const rows: { partition_id: unknown; owner: string | null; epoch: unknown }[] = await db.read(
    (tx) => tx`select partition_id, owner, epoch from owners order by partition_id`,
  );
  return rows.map((row) => ({ partition: Number(row.partition_id), owner: row.owner, epoch: Number(row.epoch) }));
}
