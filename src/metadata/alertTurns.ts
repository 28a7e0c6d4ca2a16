import { changed, type Fragment, type Stored, type Tx } from "../store/mod.ts";
import { type Alert, type AlertRow, type AlertState, alertFromRow } from "./alert.ts";
import { claimRecord } from "./claims.ts";

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
  const rows: AlertRow[] = await tx`select a.* from alerts a where a.team_id = ${teamId} and ${isDue(tx, o.nowMs)}
    order by a.next_check_at_ms, a.id limit 1`;
  if (rows[0] === undefined) return null;
  const alert = alertFromRow(rows[0]);
  const epoch = await claimRecord(tx, "alerts", alert, o);
  return epoch === null ? null : { ...alert, epoch };
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
