import {
  allOf,
  changed,
  type Fragment,
  type Listed,
  numberOrNull,
  type Page,
  type Stored,
  selectPage,
  type Tx,
} from "../store/mod.ts";
import { type JsonObject, RetryableError, uuidV7 } from "../types/mod.ts";

export const DELIVERY_STATES = ["waiting", "delivered", "failed"] as const;
export const CHANNELS = ["webhook", "email"] as const;
export const DELIVERY_KINDS = ["alert", "subscription"] as const;

/** A message to one receiver. */
export interface NewDelivery {
  kind: (typeof DELIVERY_KINDS)[number];
  /** Of the alert or subscription. */
  sourceId: string;
  /** What it is about. */
  title: string;
  channel: (typeof CHANNELS)[number];
  /** An http(s) address, or one of e-mail. */
  target: string;
  message: JsonObject;
  /** What it is signed with, encrypted for `sourceId`; '' without. */
  secret: string;
}

/** The same on its way, or after it. */
export interface Delivery extends NewDelivery {
  /** The receiver knows a message that comes twice by it. */
  id: string;
  teamId: number;
  receiver: string;
  state: (typeof DELIVERY_STATES)[number];
  /** Tries that failed. */
  attempts: number;
  latestError: string | null;
  dueAtMs: number;
  epoch: number;
  createdAtMs: number;
  /** When it was delivered, or given up. */
  endedAtMs: number | null;
}

interface Row {
  id: string;
  team_id: Stored;
  kind: Delivery["kind"];
  source_id: string;
  title: string;
  channel: Delivery["channel"];
  target: string;
  receiver: string;
  message: string;
  secret: string;
  state: Delivery["state"];
  attempts: Stored;
  latest_error: string | null;
  due_at_ms: Stored;
  epoch: Stored;
  created_at_ms: Stored;
  ended_at_ms: Stored | null;
}

const fromRow = (row: Row): Delivery => ({
  id: row.id,
  teamId: Number(row.team_id),
  kind: row.kind,
  sourceId: row.source_id,
  title: row.title,
  channel: row.channel,
  target: row.target,
  receiver: row.receiver,
  message: JSON.parse(row.message),
  secret: row.secret,
  state: row.state,
  attempts: Number(row.attempts),
  latestError: row.latest_error,
  dueAtMs: Number(row.due_at_ms),
  epoch: Number(row.epoch),
  createdAtMs: Number(row.created_at_ms),
  endedAtMs: numberOrNull(row.ended_at_ms),
});

/** Messages of one environment that may wait. */
const WAITING_MAX = 10_000;

/**
 * Puts messages into the outbox, in the transaction of what they tell of. Throws RetryableError `outbox_full` where too many of the
 * environment wait already: then what they tell of has not happened either.
 */
export async function addDeliveries(
  tx: Tx,
  teamId: number,
  deliveries: readonly NewDelivery[],
  nowMs: number,
): Promise<void> {
  if (deliveries.length === 0) return;
  const rows: { n: Stored }[] = await tx`select count(*) as n from deliveries
    where team_id = ${teamId} and ended_at_ms is null`;
  if (Number(rows[0]!.n) + deliveries.length > WAITING_MAX) {
    throw new RetryableError("outbox_full", `more than ${WAITING_MAX} messages of project ${teamId} wait`);
  }
  for (const { message, sourceId, ...one } of deliveries) {
    const row = {
      ...one,
      id: uuidV7(nowMs),
      team_id: teamId,
      source_id: sourceId,
      receiver: `${teamId} ${one.channel} ${one.target}`,
      message: JSON.stringify(message),
      state: "waiting",
      attempts: 0,
      due_at_ms: nowMs,
      epoch: 0,
      claimed_until_ms: 0,
      created_at_ms: nowMs,
    };
    await tx`insert into deliveries ${tx(row)}`;
  }
}

/**
 * The messages that can go out now, the first of each receiver's queue: those that never failed first, then those due longest. `perProject`:
 * at most so many of one environment, so that none hides the others.
 */
export async function dueDeliveries(
  tx: Tx,
  nowMs: number,
  o: { limit: number; perProject: number },
): Promise<Delivery[]> {
  const order = (tx: Tx) => tx`case when attempts = 0 then 0 else 1 end, due_at_ms, id`;
  const rows: Row[] = await tx`select * from (
      select d.*, row_number() over (partition by d.team_id order by ${order(tx)}) as place
      from deliveries d
      where d.id in (select min(id) from deliveries where ended_at_ms is null group by receiver)
        and d.due_at_ms <= ${nowMs} and d.claimed_until_ms <= ${nowMs}
        and exists (select 1 from environments e where e.id = d.team_id and e.deleted_at_ms is null)) ranked
    where place <= ${o.perProject} order by ${order(tx)} limit ${o.limit}`;
  return rows.map(fromRow);
}

/** Takes a message for `ttlMs`. False where another process has it. */
export async function takeDelivery(
  tx: Tx,
  { id, epoch }: Pick<Delivery, "id" | "epoch">,
  o: { nowMs: number; ttlMs: number },
): Promise<boolean> {
  const result = await tx`update deliveries set epoch = epoch + 1, claimed_until_ms = ${o.nowMs + o.ttlMs}
    where id = ${id} and epoch = ${epoch} and ended_at_ms is null`;
  return changed(result) === 1;
}

/** What became of a try: its end, or when the next one is. `epoch`: of the claim. */
export async function endTry(
  tx: Tx,
  { id, epoch }: Pick<Delivery, "id" | "epoch">,
  o: { state: Delivery["state"]; error: string | null; nowMs: number; dueAtMs: number },
): Promise<boolean> {
  const isOver = o.state !== "waiting";
  const failed = o.error === null ? 0 : 1;
  const result = await tx`update deliveries set state = ${o.state}, attempts = attempts + ${failed},
    latest_error = ${o.error}, due_at_ms = ${o.dueAtMs}, claimed_until_ms = 0,
    ended_at_ms = ${isOver ? o.nowMs : null}, secret = case when ${Number(isOver)} = 1 then '' else secret end
    where id = ${id} and epoch = ${epoch} and ended_at_ms is null`;
  return changed(result) === 1;
}

/** Removes what waits of an alert or a subscription that has ended. One whose try is under way may arrive still. */
export async function removeWaitingDeliveries(
  tx: Tx,
  { teamId, kind, sourceId }: Pick<Delivery, "teamId" | "kind" | "sourceId">,
): Promise<void> {
  await tx`delete from deliveries
    where team_id = ${teamId} and kind = ${kind} and source_id = ${sourceId} and ended_at_ms is null`;
}

/** Removes what ended before a moment. */
export async function forgetDeliveries(tx: Tx, beforeMs: number): Promise<void> {
  await tx`delete from deliveries where ended_at_ms < ${beforeMs}`;
}

export interface DeliveryFilter {
  teamId: number;
  state?: string;
  sourceId?: string;
}

/** One page, newest first. */
export function listDeliveries(tx: Tx, filter: DeliveryFilter, page: Page): Promise<Listed<Delivery>> {
  const conditions: Fragment[] = [tx`team_id = ${filter.teamId}`];
  if (filter.state !== undefined) conditions.push(tx`state = ${filter.state}`);
  if (filter.sourceId !== undefined) conditions.push(tx`source_id = ${filter.sourceId}`);
  const where = allOf(tx, conditions);
  return selectPage(tx, { table: "deliveries", where, order: tx`id desc`, read: fromRow }, page);
}

/** The outbox at a moment. */
export interface OutboxFigures {
  /** Messages that are not delivered yet. */
  waiting: number;
  /** Those of them of which a try has failed. */
  failing: number;
  /** Since when the oldest waits, epoch milliseconds; null where none does. */
  oldestAtMs: number | null;
  /** Given up, as far as they are kept. */
  failed: number;
}

/** `teamId` null: of all environments. */
export async function outboxFigures(tx: Tx, teamId: number | null): Promise<OutboxFigures> {
  const where = teamId === null ? tx`true` : tx`team_id = ${teamId}`;
  const rows: { waiting: Stored; failing: Stored | null; oldest_ms: Stored | null }[] = await tx`
    select count(*) as waiting, sum(case when attempts > 0 then 1 else 0 end) as failing, min(created_at_ms) as oldest_ms
    from deliveries where ended_at_ms is null and ${where}`;
  const failed: { n: Stored }[] = await tx`select count(*) as n from deliveries where state = 'failed' and ${where}`;
  const [row] = rows;
  return {
    waiting: Number(row!.waiting),
    failing: Number(row!.failing ?? 0),
    oldestAtMs: numberOrNull(row!.oldest_ms),
    failed: Number(failed[0]!.n),
  };
}
