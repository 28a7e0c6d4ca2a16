import {
  changed,
  type Fragment,
  type Listed,
  type ListPage,
  numberOrNull,
  type Stored,
  Table,
  type Tx,
} from "../store/mod.ts";
import { uuidV7 } from "../types/mod.ts";
import { type Visible, visibleIds } from "./access.ts";

export const ALERT_STATES = ["Firing", "Not firing", "Errored", "Snoozed"] as const;
export type AlertState = (typeof ALERT_STATES)[number];

export const ALERT_CONDITIONS = ["absolute_value", "relative_increase", "relative_decrease"] as const;
export const THRESHOLD_TYPES = ["absolute", "percentage"] as const;
/** How often an alert is checked; `real_time`: after new data. */
export const ALERT_INTERVALS = ["real_time", "every_15_minutes", "hourly", "daily", "weekly", "monthly"] as const;
export const ANOMALY_DIRECTIONS = ["both", "above", "below"] as const;

/** Between which values all is well; a bound that is null does not count. Of percentages 0.5 is 50 %. */
export interface AlertThreshold {
  type: (typeof THRESHOLD_TYPES)[number];
  lower: number | null;
  upper: number | null;
}

/** What is unusual beside the same interval of the weeks before. */
export interface AnomalyDetector {
  /** How many of them. */
  weeks: number;
  /** How many times the usual deviation is too much. */
  sensitivity: number;
  direction: (typeof ANOMALY_DIRECTIONS)[number];
}

/** What an alert watches of an insight, and what it takes for a breach. */
export interface AlertRule {
  condition: (typeof ALERT_CONDITIONS)[number];
  threshold: AlertThreshold;
  /** In place of condition and threshold; null where these count. */
  detector: AnomalyDetector | null;
  config: { seriesIndex: number; checkOngoingInterval: boolean };
}

export interface Alert extends AlertRule {
  id: string;
  teamId: number;
  insightId: number;
  name: string;
  enabled: boolean;
  calculationInterval: (typeof ALERT_INTERVALS)[number];
  skipWeekend: boolean;
  /** Users that are written to. */
  subscribedUsers: number[];
  webhookUrl: string | null;
  /** What its messages are signed with, encrypted; '' without. */
  webhookSecret: string;
  state: AlertState;
  /** The last state that its receivers were told. */
  toldState: AlertState;
  snoozedUntilMs: number | null;
  lastValue: number | null;
  lastCheckedAtMs: number | null;
  lastNotifiedAtMs: number | null;
  nextCheckAtMs: number;
  /** Of the data, at its last check. */
  checkedVersion: number;
  /** Grows with each claim and change: an outcome of an older one counts no more. */
  epoch: number;
  createdBy: number | null;
  createdAtMs: number;
}

interface Row {
  id: string;
  team_id: Stored;
  insight_id: Stored;
  name: string;
  enabled: Stored;
  condition: AlertRule["condition"];
  threshold: string;
  config: string;
  detector: string | null;
  calculation_interval: Alert["calculationInterval"];
  skip_weekend: Stored;
  subscribed_users: string;
  webhook_url: string | null;
  webhook_secret: string;
  state: AlertState;
  told_state: AlertState;
  snoozed_until_ms: Stored | null;
  last_value: Stored | null;
  last_checked_at_ms: Stored | null;
  last_notified_at_ms: Stored | null;
  next_check_at_ms: Stored;
  checked_version: Stored;
  epoch: Stored;
  created_by: Stored | null;
  created_at_ms: Stored;
}

const fromRow = (row: Row): Alert => ({
  id: row.id,
  teamId: Number(row.team_id),
  insightId: Number(row.insight_id),
  name: row.name,
  enabled: Number(row.enabled) === 1,
  condition: row.condition,
  threshold: JSON.parse(row.threshold),
  config: JSON.parse(row.config),
  detector: row.detector === null ? null : JSON.parse(row.detector),
  calculationInterval: row.calculation_interval,
  skipWeekend: Number(row.skip_weekend) === 1,
  subscribedUsers: JSON.parse(row.subscribed_users),
  webhookUrl: row.webhook_url,
  webhookSecret: row.webhook_secret,
  state: row.state,
  toldState: row.told_state,
  snoozedUntilMs: numberOrNull(row.snoozed_until_ms),
  lastValue: numberOrNull(row.last_value),
  lastCheckedAtMs: numberOrNull(row.last_checked_at_ms),
  lastNotifiedAtMs: numberOrNull(row.last_notified_at_ms),
  nextCheckAtMs: Number(row.next_check_at_ms),
  checkedVersion: Number(row.checked_version),
  epoch: Number(row.epoch),
  createdBy: numberOrNull(row.created_by),
  createdAtMs: Number(row.created_at_ms),
});

const rowOf = (alert: Alert): Row => ({
  id: alert.id,
  team_id: alert.teamId,
  insight_id: alert.insightId,
  name: alert.name,
  enabled: Number(alert.enabled),
  condition: alert.condition,
  threshold: JSON.stringify(alert.threshold),
  config: JSON.stringify(alert.config),
  detector: alert.detector === null ? null : JSON.stringify(alert.detector),
  calculation_interval: alert.calculationInterval,
  skip_weekend: Number(alert.skipWeekend),
  subscribed_users: JSON.stringify(alert.subscribedUsers),
  webhook_url: alert.webhookUrl,
  webhook_secret: alert.webhookSecret,
  state: alert.state,
  told_state: alert.toldState,
  snoozed_until_ms: alert.snoozedUntilMs,
  last_value: alert.lastValue,
  last_checked_at_ms: alert.lastCheckedAtMs,
  last_notified_at_ms: alert.lastNotifiedAtMs,
  next_check_at_ms: alert.nextCheckAtMs,
  checked_version: alert.checkedVersion,
  epoch: alert.epoch,
  created_by: alert.createdBy,
  created_at_ms: alert.createdAtMs,
});

/** One of a new id that fires at nothing, before its owner's wishes. It is due at once. */
export function blankAlert(teamId: number, nowMs: number): Alert {
  return {
    id: uuidV7(nowMs),
    teamId,
    insightId: 0,
    name: "",
    enabled: true,
    condition: "absolute_value",
    threshold: { type: "absolute", lower: null, upper: null },
    config: { seriesIndex: 0, checkOngoingInterval: false },
    detector: null,
    calculationInterval: "daily",
    skipWeekend: false,
    subscribedUsers: [],
    webhookUrl: null,
    webhookSecret: "",
    state: "Not firing",
    toldState: "Not firing",
    snoozedUntilMs: null,
    lastValue: null,
    lastCheckedAtMs: null,
    lastNotifiedAtMs: null,
    nextCheckAtMs: nowMs,
    checkedVersion: -1,
    epoch: 0,
    createdBy: null,
    createdAtMs: nowMs,
  };
}

const TABLE = new Table<Row, Alert>("alerts", fromRow);

export function createAlert(tx: Tx, alert: Alert): Promise<Alert> {
  return TABLE.insert(tx, { ...rowOf(alert), claimed_until_ms: 0 });
}

/** Saves a changed one; a check in hand counts no more. */
export async function updateAlert(tx: Tx, alert: Alert): Promise<void> {
  const { id, epoch, ...columns } = rowOf(alert);
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
  const where = conditions.reduce((all, one) => tx`${all} and ${one}`);
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

/** One that watches new data is looked at after so long without any, too: less than usual is found by time alone. */
const QUIET_MS = 3_600_000;

/** What can be checked: due, with something new to see where it waits for data, and no living process has it. */
function isDue(tx: Tx, nowMs: number): Fragment {
  const version = tx`coalesce((select v.version from project_versions v where v.team_id = a.team_id), 0)
    + coalesce((select r.version from record_versions r where r.team_id = a.team_id), 0)`;
  return tx`a.enabled = 1 and a.next_check_at_ms <= ${nowMs} and a.claimed_until_ms <= ${nowMs}
    and coalesce(a.snoozed_until_ms, 0) <= ${nowMs}
    and (a.calculation_interval <> 'real_time' or a.checked_version <> ${version}
      or coalesce(a.last_checked_at_ms, 0) <= ${nowMs - QUIET_MS})
    and exists (select 1 from insights i where i.id = a.insight_id and i.deleted = 0)
    and exists (select 1 from environments e where e.id = a.team_id and e.deleted_at_ms is null)`;
}

/** The environments with alerts that are due, those that have waited longest first. */
export async function teamsWithDueAlerts(tx: Tx, nowMs: number): Promise<number[]> {
  const rows: { team_id: Stored }[] = await tx`select a.team_id from alerts a where ${isDue(tx, nowMs)}
    group by a.team_id order by min(a.next_check_at_ms), a.team_id`;
  return rows.map(({ team_id }) => Number(team_id));
}

/** Takes the alert of an environment that has waited longest; null where another process has taken all. */
export async function takeDueAlert(tx: Tx, teamId: number, o: { nowMs: number; ttlMs: number }): Promise<Alert | null> {
  const rows: Row[] = await tx`select a.* from alerts a where a.team_id = ${teamId} and ${isDue(tx, o.nowMs)}
    order by a.next_check_at_ms, a.id limit 1`;
  if (rows[0] === undefined) return null;
  const alert = fromRow(rows[0]);
  const result = await tx`update alerts set epoch = epoch + 1, claimed_until_ms = ${o.nowMs + o.ttlMs}
    where id = ${alert.id} and epoch = ${alert.epoch}`;
  return changed(result) === 1 ? { ...alert, epoch: alert.epoch + 1 } : null;
}

/** What a check has come to; without it the claim is only let go. */
export interface AlertOutcome {
  state: AlertState;
  toldState: AlertState;
  value: number | null;
  atMs: number;
  notifiedAtMs: number | null;
  version: number;
}

/** Ends a check. False where the alert was changed or taken meanwhile; nothing is written then. */
export async function endAlertCheck(
  tx: Tx,
  { id, epoch }: Pick<Alert, "id" | "epoch">,
  o: { nextCheckAtMs: number; outcome: AlertOutcome | null },
): Promise<boolean> {
  const { outcome } = o;
  const columns = {
    next_check_at_ms: o.nextCheckAtMs,
    claimed_until_ms: 0,
    ...(outcome !== null && {
      state: outcome.state,
      told_state: outcome.toldState,
      last_value: outcome.value,
      last_checked_at_ms: outcome.atMs,
      checked_version: outcome.version,
      snoozed_until_ms: null,
      ...(outcome.notifiedAtMs !== null && { last_notified_at_ms: outcome.notifiedAtMs }),
    }),
  };
  return changed(await tx`update alerts set ${tx(columns)} where id = ${id} and epoch = ${epoch}`) === 1;
}
