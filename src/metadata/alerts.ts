import { allOf, type Fragment, type Listed, type ListPage, type Stored, Table, type Tx } from "../store/mod.ts";
import { type Visible, visibleIds } from "./access.ts";
import { type Alert, type AlertRow, alertFromRow, alertRowOf } from "./alert.ts";

const TABLE = new Table<AlertRow, Alert>("alerts", alertFromRow);

export function createAlert(tx: Tx, alert: Alert): Promise<Alert> {
  return TABLE.insert(tx, { ...alertRowOf(alert), claimed_until_ms: 0 });
}

/** Saves a changed one; a check in hand counts no more. */
export async function updateAlert(tx: Tx, alert: Alert): Promise<void> {
  const { id, epoch, ...columns } = alertRowOf(alert);
  await TABLE.update(tx, id, { ...columns, epoch: Number(epoch) + 1, claimed_until_ms: 0 });
}

/** Removes one with its checks; what it has told goes out still. */
export async function removeAlert(tx: Tx, id: string): Promise<void> {
  await tx`delete from alert_checks where alert_id = ${id}`;
  await tx`delete from alerts where id = ${id}`;
}

/** Of an insight that is there still. */
const ofLiveInsight = (tx: Tx, teamId: number): Fragment =>
  tx`insight_id in (select i.id from insights i where i.team_id = ${teamId} and i.deleted = 0)`;

/** Null for one of another environment, and where its insight is gone. */
export function findAlert(tx: Tx, teamId: number, id: string): Promise<Alert | null> {
  return TABLE.find(tx, teamId, tx`id = ${id} and ${ofLiveInsight(tx, teamId)}`);
}

export interface AlertFilter {
  teamId: number;
  /** Those of this insight alone. */
  insightId: number | null;
  /** Insights that the caller may see; null: all. */
  visible: Visible | null;
}

export function listAlerts(
  tx: Tx,
  { teamId, insightId, visible }: AlertFilter,
  page: ListPage,
): Promise<Listed<Alert>> {
  const conditions = [ofLiveInsight(tx, teamId)];
  if (insightId !== null) conditions.push(tx`insight_id = ${insightId}`);
  if (visible !== null)
    conditions.push(tx`cast(insight_id as text) in (${visibleIds(tx, { teamId, kind: "insight", visible })})`);
  const where = allOf(tx, conditions);
  return TABLE.page(tx, teamId, where, page);
}

/** Those of some insights, the newest first. */
export async function alertsOfInsights(tx: Tx, teamId: number, insightIds: readonly number[]): Promise<Alert[]> {
  if (insightIds.length === 0) return [];
  const alerts = await TABLE.select(tx, teamId, tx`insight_id in ${tx([...insightIds])}`);
  // Ids grow with time.
  return alerts.toSorted((a, b) => b.createdAtMs - a.createdAtMs || (a.id < b.id ? 1 : -1));
}

export async function countAlerts(tx: Tx, teamId: number): Promise<number> {
  const rows: { n: Stored }[] = await tx`select count(*) as n from alerts where team_id = ${teamId}`;
  return Number(rows[0]!.n);
}
