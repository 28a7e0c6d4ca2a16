import { numberOrNull, type Stored, type Tx } from "../store/mod.ts";
import type { AlertState } from "./alert.ts";

/** One look at an insight for an alert. */
export interface AlertCheck {
  id: number;
  alertId: string;
  state: AlertState;
  /** Null where there is none, or several. */
  value: number | null;
  /** A sentence each. */
  breaches: string[];
  /** Why it could not be checked. */
  error: string | null;
  /** Whether its receivers are told. */
  notified: boolean;
  createdAtMs: number;
}

interface Row {
  id: Stored;
  alert_id: string;
  state: AlertState;
  value: Stored | null;
  breaches: string;
  error: string | null;
  notified: Stored;
  at_ms: Stored;
}

const fromRow = (row: Row): AlertCheck => ({
  id: Number(row.id),
  alertId: row.alert_id,
  state: row.state,
  value: numberOrNull(row.value),
  breaches: JSON.parse(row.breaches),
  error: row.error,
  notified: Number(row.notified) === 1,
  createdAtMs: Number(row.at_ms),
});

/** Checks that are kept of one alert. */
const KEPT = 200;

/** Notes a check, and forgets those that are too many. */
export async function addAlertCheck(tx: Tx, teamId: number, check: Omit<AlertCheck, "id">): Promise<void> {
  const row = {
    team_id: teamId,
    alert_id: check.alertId,
    state: check.state,
    value: check.value,
    breaches: JSON.stringify(check.breaches),
    error: check.error,
    notified: Number(check.notified),
    at_ms: check.createdAtMs,
  };
  await tx`insert into alert_checks ${tx(row)}`;
  await tx`delete from alert_checks where alert_id = ${check.alertId} and id <= (
    select id from alert_checks where alert_id = ${check.alertId} order by id desc limit 1 offset ${KEPT})`;
}

/** The newest checks of each alert, newest first. */
export async function latestAlertChecks(
  tx: Tx,
  alertIds: readonly string[],
  count: number,
): Promise<Map<string, AlertCheck[]>> {
  if (alertIds.length === 0) return new Map();
  const rows: Row[] = await tx`select * from (
      select c.*, row_number() over (partition by alert_id order by id desc) as place
      from alert_checks c where alert_id in ${tx([...alertIds])}) ranked
    where place <= ${count} order by place`;
  return Map.groupBy(rows.map(fromRow), ({ alertId }) => alertId);
}
