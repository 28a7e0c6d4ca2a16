import { numberOrNull, type Stored } from "../store/mod.ts";
import { uuidV7 } from "../types/mod.ts";

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

/** As the table has it. */
export interface AlertRow {
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

export const alertFromRow = (row: AlertRow): Alert => ({
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

export const alertRowOf = (alert: Alert): AlertRow => ({
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
