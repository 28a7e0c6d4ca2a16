import type { Db, Tx } from "../../store/mod.ts";
import { catalogNowMs } from "./clock.ts";
import type { OutboxMessage } from "./types.ts";

/** A message that waits to be sent, with how often it was tried. */
export interface WaitingMessage extends OutboxMessage {
  id: number;
  attempts: number;
}

/** Within a commit; a message that is there already is the same one. */
export async function addMessages(db: Db, tx: Tx, messages: readonly OutboxMessage[]): Promise<void> {
  if (messages.length === 0) return;
  const nowMs = await catalogNowMs(db, tx);
  for (const { messageId, teamId, partition, target, body } of messages) {
    await tx`insert into outbox (message_id, team_id, partition_id, target, body, attempts, due_at_ms, created_at_ms)
      values (${messageId}, ${teamId}, ${partition}, ${target}, ${body}, 0, ${nowMs}, ${nowMs})
      on conflict (message_id) do nothing`;
  }
}

/**
 * The oldest message of each partition and target that is due, at most `limit`: a message behind one that cannot be
 * sent yet waits with it, so that the order is kept.
 */
export async function dueMessages(db: Db, partitions: readonly number[], limit: number): Promise<WaitingMessage[]> {
  if (partitions.length === 0) return [];
  return db.read(async (tx) => {
    const nowMs = await catalogNowMs(db, tx);
    const rows: Record<string, unknown>[] = await tx`
      select id, message_id, team_id, partition_id, target, body, attempts from outbox
      where due_at_ms <= ${nowMs} and id in (
        select min(id) from outbox where partition_id in ${tx(partitions)} group by partition_id, target)
      order by id limit ${limit}`;
    return rows.map((row) => ({
      id: Number(row.id),
      messageId: String(row.message_id),
      teamId: Number(row.team_id),
      partition: Number(row.partition_id),
      target: String(row.target),
      body: String(row.body),
      attempts: Number(row.attempts),
    }));
  });
}

/** The message was sent, or is abandoned. */
export async function removeMessage(db: Db, id: number): Promise<void> {
  await db.write((tx) => tx`delete from outbox where id = ${id}`);
}

/** It could not be sent: again after a pause. */
export async function delayMessage(db: Db, id: number, pauseMs: number): Promise<void> {
  await db.write(async (tx) => {
    const dueAtMs = (await catalogNowMs(db, tx)) + pauseMs;
    await tx`update outbox set attempts = attempts + 1, due_at_ms = ${dueAtMs} where id = ${id}`;
  });
}
