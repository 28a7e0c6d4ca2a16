import type { Db } from "../../store/mod.ts";
import { type Lane, only } from "../../types/mod.ts";
import type { Claim, Epoch, Position } from "./types.ts";

interface PositionRow {
  lane: Lane;
  partition_id: unknown;
  position: unknown;
  last_ms: unknown;
  attempts: unknown;
  in_hand: unknown;
  poisoned: string;
}

/**
 * Takes partitions over: raises their epochs, so that the last owner cannot commit any more, and counts an attempt
 * on their positions. An event that was in hand when the last owner died is marked as poisoned (protocol rules 7, 22).
 */
export async function claim(
  db: Db,
  request: { owner: string; generation: number; partitions: number[] },
): Promise<Claim[]> {
  return db.write(async (tx) => {
    const claims: Claim[] = [];
    for (const partition of request.partitions) {
      const owned: { epoch: unknown }[] = await tx`
        insert into owners (partition_id, owner, epoch) values (${partition}, ${request.owner}, 1)
        on conflict (partition_id) do update set owner = excluded.owner, epoch = owners.epoch + 1
        returning epoch`;
      const rows: PositionRow[] = await tx`
        select lane, partition_id, position, last_ms, attempts, in_hand, poisoned from positions
        where generation = ${request.generation} and partition_id = ${partition}`;
      const positions: Position[] = [];
      for (const row of rows) {
        const poisoned: number[] = JSON.parse(row.poisoned);
        if (row.in_hand !== null) poisoned.push(Number(row.in_hand));
        const attempts = Number(row.attempts) + 1;
        await tx`
          update positions set attempts = ${attempts}, in_hand = null, poisoned = ${JSON.stringify(poisoned)}
          where generation = ${request.generation} and lane = ${row.lane} and partition_id = ${partition}`;
        const { lane } = row;
        positions.push({
          lane,
          partition,
          position: Number(row.position),
          lastMs: Number(row.last_ms),
          attempts,
          poisoned,
        });
      }
      claims.push({ epoch: { partition, epoch: Number(only(owned).epoch) }, positions });
    }
    return claims;
  });
}

/** Writes down which event is tried next (null: none any more), so that it is known should it kill the worker. */
export async function takeInHand(
  db: Db,
  at: { generation: number; lane: Lane; partition: number; ordinal: number | null },
): Promise<void> {
  await db.write(
    (tx) => tx`
      update positions set in_hand = ${at.ordinal}
      where generation = ${at.generation} and lane = ${at.lane} and partition_id = ${at.partition}`,
  );
}

/**
 * An owner has found these lanes empty: nothing in them can have cost a worker, so that earlier claims do not count.
 * Nothing happens for a partition whose epoch is no longer the owner's.
 */
export async function clearAttempts(
  db: Db,
  idle: { generation: number; lanes: { lane: Lane; epoch: Epoch }[] },
): Promise<void> {
  await db.write(async (tx) => {
    for (const { lane, epoch } of idle.lanes) {
      await tx`
        update positions set attempts = 0, in_hand = null, poisoned = '[]'
        where generation = ${idle.generation} and lane = ${lane} and partition_id = ${epoch.partition} and exists (
          select 1 from owners where partition_id = ${epoch.partition} and epoch = ${epoch.epoch})`;
    }
  });
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
    for (const { lane, epoch } of given.untouched) {
      await tx`
        update positions set attempts = attempts - 1, in_hand = null
        where generation = ${given.generation} and lane = ${lane} and partition_id = ${epoch.partition}
          and attempts > 0 and exists (
          select 1 from owners where partition_id = ${epoch.partition} and epoch = ${epoch.epoch})`;
    }
    for (const partition of given.partitions) {
      await tx`update owners set owner = null where partition_id = ${partition} and owner = ${given.owner}`;
    }
  });
}

/** Owners of partitions, for `weir status`. */
export async function owners(db: Db): Promise<{ partition: number; owner: string | null; epoch: number }[]> {
  const rows: { partition_id: unknown; owner: string | null; epoch: unknown }[] = await db.read(
    (tx) => tx`select partition_id, owner, epoch from owners order by partition_id`,
  );
  return rows.map((row) => ({ partition: Number(row.partition_id), owner: row.owner, epoch: Number(row.epoch) }));
}
