import {
  allOf,
  changed,
  type Fragment,
  type Listed,
  type ListPage,
  numberOrNull,
  type Stored,
  Table,
  type Tx,
} from "../store/mod.ts";
import { type Visible, visibleIds } from "./access.ts";
import { claimRecord } from "./claims.ts";

export const FREQUENCIES = ["daily", "weekly", "monthly"] as const;
export const SUBSCRIPTION_TARGETS = ["email", "webhook"] as const;

/** When a subscription is delivered. */
export interface Recurrence {
  frequency: (typeof FREQUENCIES)[number];
  /** Every so many days, weeks or months. */
  interval: number;
  /** 1 Monday to 7 Sunday; null: as `startDateMs` falls. */
  byweekday: number[] | null;
  /** Which of these days in a month, from 1 on; -1: the last. Null outside of months. */
  bysetpos: number | null;
  /** The first delivery is not before it; its time of day is that of all. Epoch milliseconds. */
  startDateMs: number;
  untilDateMs: number | null;
}

/** An insight or a dashboard that is sent again and again. */
export interface Subscription extends Recurrence {
  id: number;
  teamId: number;
  /** One of the two is null. */
  insightId: number | null;
  dashboardId: number | null;
  title: string;
  targetType: (typeof SUBSCRIPTION_TARGETS)[number];
  /** Addresses of e-mail, or one http(s) address. */
  targetValue: string;
  webhookSecret: string;
  /** After so many deliveries it ends; null: never. */
  count: number | null;
  deliveriesMade: number;
  /** Null where it has ended. */
  nextDeliveryDateMs: number | null;
  epoch: number;
  deleted: boolean;
  createdBy: number | null;
  createdAtMs: number;
}

interface Row {
  id: Stored;
  team_id: Stored;
  insight_id: Stored | null;
  dashboard_id: Stored | null;
  title: string;
  target_type: Subscription["targetType"];
  target_value: string;
  webhook_secret: string;
  frequency: Recurrence["frequency"];
  every: Stored;
  weekdays: string | null;
  set_position: Stored | null;
  deliveries_max: Stored | null;
  deliveries_made: Stored;
  start_at_ms: Stored;
  until_at_ms: Stored | null;
  next_at_ms: Stored | null;
  epoch: Stored;
  deleted: Stored;
  created_by: Stored | null;
  created_at_ms: Stored;
}

const fromRow = (row: Row): Subscription => ({
  id: Number(row.id),
  teamId: Number(row.team_id),
  insightId: numberOrNull(row.insight_id),
  dashboardId: numberOrNull(row.dashboard_id),
  title: row.title,
  targetType: row.target_type,
  targetValue: row.target_value,
  webhookSecret: row.webhook_secret,
  frequency: row.frequency,
  interval: Number(row.every),
  byweekday: row.weekdays === null ? null : JSON.parse(row.weekdays),
  bysetpos: numberOrNull(row.set_position),
  count: numberOrNull(row.deliveries_max),
  deliveriesMade: Number(row.deliveries_made),
  startDateMs: Number(row.start_at_ms),
  untilDateMs: numberOrNull(row.until_at_ms),
  nextDeliveryDateMs: numberOrNull(row.next_at_ms),
  epoch: Number(row.epoch),
  deleted: Number(row.deleted) === 1,
  createdBy: numberOrNull(row.created_by),
  createdAtMs: Number(row.created_at_ms),
});

const columnsOf = (item: Subscription) => ({
  insight_id: item.insightId,
  dashboard_id: item.dashboardId,
  title: item.title,
  target_type: item.targetType,
  target_value: item.targetValue,
  webhook_secret: item.webhookSecret,
  frequency: item.frequency,
  every: item.interval,
  weekdays: item.byweekday === null ? null : JSON.stringify(item.byweekday),
  set_position: item.bysetpos,
  deliveries_max: item.count,
  deliveries_made: item.deliveriesMade,
  start_at_ms: item.startDateMs,
  until_at_ms: item.untilDateMs,
  next_at_ms: item.nextDeliveryDateMs,
  deleted: Number(item.deleted),
});

const TABLE = new Table<Row, Subscription>("subscriptions", fromRow);

/** `id` and `epoch` are given by the store. */
export function createSubscription(tx: Tx, item: Omit<Subscription, "id" | "epoch">): Promise<Subscription> {
  return TABLE.insert(tx, {
    ...columnsOf({ ...item, id: 0, epoch: 0 }),
    team_id: item.teamId,
    epoch: 0,
    claimed_until_ms: 0,
    created_by: item.createdBy,
    created_at_ms: item.createdAtMs,
  });
}

/** Saves a changed one; a delivery that is being made counts no more. */
export async function updateSubscription(tx: Tx, item: Subscription): Promise<void> {
  await TABLE.update(tx, item.id, { ...columnsOf(item), epoch: item.epoch + 1, claimed_until_ms: 0 });
}

/** What it sends is there still. */
const isOfLive = (tx: Tx, teamId: number): Fragment =>
  tx`(insight_id in (select i.id from insights i where i.team_id = ${teamId} and i.deleted = 0)
    or dashboard_id in (select b.id from dashboards b where b.team_id = ${teamId} and b.deleted = 0))`;

/** Also a deleted one; null for one of another environment, and where what it sends is gone. */
export function findSubscription(tx: Tx, teamId: number, id: number): Promise<Subscription | null> {
  return TABLE.find(tx, teamId, tx`id = ${id} and ${isOfLive(tx, teamId)}`);
}

export interface SubscriptionFilter {
  teamId: number;
  insightId: number | null;
  dashboardId: number | null;
  /** What the caller may see; null: all. */
  visible: { insight: Visible; dashboard: Visible } | null;
}

export function listSubscriptions(tx: Tx, filter: SubscriptionFilter, page: ListPage): Promise<Listed<Subscription>> {
  const { teamId, insightId, dashboardId, visible } = filter;
  const conditions = [tx`deleted = 0 and ${isOfLive(tx, teamId)}`];
  if (insightId !== null) conditions.push(tx`insight_id = ${insightId}`);
  if (dashboardId !== null) conditions.push(tx`dashboard_id = ${dashboardId}`);
  if (visible !== null) {
    const insights = visibleIds(tx, { teamId, kind: "insight", visible: visible.insight });
    const dashboards = visibleIds(tx, { teamId, kind: "dashboard", visible: visible.dashboard });
    conditions.push(tx`(cast(insight_id as text) in (${insights}) or cast(dashboard_id as text) in (${dashboards}))`);
  }
  const where = allOf(tx, conditions);
  return TABLE.page(tx, teamId, where, page);
}

export async function countSubscriptions(tx: Tx, teamId: number): Promise<number> {
  const rows: { n: Stored }[] = await tx`
    select count(*) as n from subscriptions where team_id = ${teamId} and deleted = 0`;
  return Number(rows[0]!.n);
}

const isDue = (tx: Tx, nowMs: number): Fragment =>
  tx`s.deleted = 0 and s.next_at_ms <= ${nowMs} and s.claimed_until_ms <= ${nowMs}
    and exists (select 1 from environments e where e.id = s.team_id and e.deleted_at_ms is null)`;

/** The environments with subscriptions that are due, those that have waited longest first. */
export async function teamsWithDueSubscriptions(tx: Tx, nowMs: number): Promise<number[]> {
  const rows: { team_id: Stored }[] = await tx`select s.team_id from subscriptions s where ${isDue(tx, nowMs)}
    group by s.team_id order by min(s.next_at_ms), s.team_id`;
  return rows.map(({ team_id }) => Number(team_id));
}

/** Takes the subscription of an environment that has waited longest; null where another process has taken all. */
export async function takeDueSubscription(
  tx: Tx,
  teamId: number,
  o: { nowMs: number; ttlMs: number },
): Promise<Subscription | null> {
  const rows: Row[] = await tx`select s.* from subscriptions s where s.team_id = ${teamId} and ${isDue(tx, o.nowMs)}
    order by s.next_at_ms, s.id limit 1`;
  if (rows[0] === undefined) return null;
  const item = fromRow(rows[0]);
  const epoch = await claimRecord(tx, "subscriptions", item, o);
  return epoch === null ? null : { ...item, epoch };
}

/** Moves one on. False where it was changed or taken meanwhile; nothing is written then. */
export async function endSubscriptionTurn(
  tx: Tx,
  { id, epoch }: Pick<Subscription, "id" | "epoch">,
  o: { nextDeliveryDateMs: number | null; wasMade: boolean },
): Promise<boolean> {
  const result = await tx`update subscriptions set next_at_ms = ${o.nextDeliveryDateMs}, claimed_until_ms = 0,
    deliveries_made = deliveries_made + ${Number(o.wasMade)} where id = ${id} and epoch = ${epoch}`;
  return changed(result) === 1;
}
