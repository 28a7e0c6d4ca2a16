import { randomBytes } from "node:crypto";
import { numberOrNull, type Stored, type Tx } from "../store/mod.ts";

/** The link to an insight. Its token opens the insight while it is enabled. */
export interface InsightSharing {
  insightId: number;
  teamId: number;
  enabled: boolean;
  /** In the clear: callers that may share the insight see it. */
  accessToken: string;
  /** When it was first enabled. */
  createdAtMs: number | null;
}

interface SharingRow {
  insight_id: Stored;
  team_id: Stored;
  enabled: Stored;
  access_token: string;
  created_at_ms: Stored | null;
}

const fromRow = (row: SharingRow): InsightSharing => ({
  insightId: Number(row.insight_id),
  teamId: Number(row.team_id),
  enabled: Number(row.enabled) === 1,
  accessToken: row.access_token,
  createdAtMs: numberOrNull(row.created_at_ms),
});

const TOKEN_BYTES = 24;

function newToken(): string {
  return randomBytes(TOKEN_BYTES).toString("base64url");
}

export async function findSharing(tx: Tx, insightId: number): Promise<InsightSharing | null> {
  const rows: SharingRow[] = await tx`select * from insight_sharing where insight_id = ${insightId}`;
  return rows[0] === undefined ? null : fromRow(rows[0]);
}

/** That of an insight, made when there is none: off, with a token that stays. */
export async function ensureSharing(tx: Tx, o: { insightId: number; teamId: number }): Promise<InsightSharing> {
  const row = {
    insight_id: o.insightId,
    team_id: o.teamId,
    enabled: 0,
    access_token: newToken(),
    created_at_ms: null,
  };
  await tx`insert into insight_sharing ${tx(row)} on conflict (insight_id) do nothing`;
  return (await findSharing(tx, o.insightId))!;
}

export async function enableSharing(tx: Tx, insightId: number, enabled: boolean, nowMs: number): Promise<void> {
  await tx`update insight_sharing set enabled = ${Number(enabled)},
    created_at_ms = case when ${Number(enabled)} = 1 then coalesce(created_at_ms, ${nowMs}) else created_at_ms end
    where insight_id = ${insightId}`;
}

/** Gives it a new token; the old one opens nothing any more. */
export async function refreshSharingToken(tx: Tx, insightId: number): Promise<void> {
  await tx`update insight_sharing set access_token = ${newToken()} where insight_id = ${insightId}`;
}

/** What a token opens: null for one that is unknown or switched off. */
export async function findSharedInsight(tx: Tx, accessToken: string): Promise<InsightSharing | null> {
  const rows: SharingRow[] = await tx`
    select s.* from insight_sharing s join insights i on i.id = s.insight_id
    where s.access_token = ${accessToken} and s.enabled = 1 and i.deleted = 0`;
  return rows[0] === undefined ? null : fromRow(rows[0]);
}
