import { type Db, type Listed, type Page, selectPage, type Tx } from "../../store/mod.ts";
import { DAY_MS, type JsonObject } from "../../types/mod.ts";
import { chunks } from "./chunks.ts";
import { catalogNowMs } from "./clock.ts";
import type { CommitWarning } from "./types.ts";

const HOUR_MS = 3_600_000;
/** Of one project; older ones give way. */
const PROJECT_MAX_WARNINGS = 1_000;
const KEPT_MS = 30 * DAY_MS;
/** Events of one project that are known to have been warned of; a copy of an older one is warned of again. */
const PROJECT_MAX_WARNED = 10_000;
/** Different warnings of one project in one commit, so that a broken sender cannot make commits slow. */
const COMMIT_MAX_WARNINGS = 100;

/** Equal warnings of one hour. */
export interface StoredWarning {
  type: string;
  /** The part of the service that gave it. */
  source: string;
  /** Of the newest. */
  details: JsonObject;
  /** How often it was given in that hour. */
  occurrences: number;
  firstAtMs: number;
  lastAtMs: number;
}

/**
 * Adds warnings within a commit. Those of equal project, type and key within an hour are one row that counts, and
 * what a project keeps is bounded.
 */
export async function addWarnings(db: Db, tx: Tx, warnings: readonly CommitWarning[]): Promise<void> {
  if (warnings.length === 0) return;
  const news = await withoutCopies(db, tx, warnings);
  const teams = Map.groupBy(fold(news).values(), (row) => row.teamId);
  for (const [teamId, rows] of teams) {
    for (const row of rows.slice(0, COMMIT_MAX_WARNINGS)) await addRow(tx, row);
    await tx`delete from ingestion_warnings
      where team_id = ${teamId} and last_at_ms < ${(await catalogNowMs(db, tx)) - KEPT_MS}`;
    await tx`delete from ingestion_warnings where id in (
      select id from ingestion_warnings where team_id = ${teamId}
      order by last_at_ms desc, id desc limit 1000000 offset ${PROJECT_MAX_WARNINGS})`;
  }
}

/** All but those of events that were warned of before. */
async function withoutCopies(db: Db, tx: Tx, warnings: readonly CommitWarning[]): Promise<readonly CommitWarning[]> {
  const byEvent = new Map<string, { warning: CommitWarning; uuid: string }>();
  for (const warning of warnings) {
    const { teamId, type, onceUuid } = warning;
    if (onceUuid !== undefined) byEvent.set(nameOf(teamId, type, onceUuid), { warning, uuid: onceUuid });
  }
  if (byEvent.size === 0) return warnings;
  const nowMs = await catalogNowMs(db, tx);
  const news: CommitWarning[] = warnings.filter(({ onceUuid }) => onceUuid === undefined);
  for (const part of chunks([...byEvent.values()])) {
    const rows = part.map(({ warning: { teamId, type }, uuid }) => ({ team_id: teamId, type, uuid, at_ms: nowMs }));
    const added: { team_id: unknown; type: string; uuid: string }[] = await tx`
      insert into warned_events ${tx(rows)} on conflict do nothing returning team_id, type, uuid`;
    for (const { team_id, type, uuid } of added) {
      const known = byEvent.get(nameOf(Number(team_id), type, uuid));
      if (known !== undefined) news.push(known.warning);
    }
  }
  for (const teamId of new Set(byEvent.values().map(({ warning }) => warning.teamId))) {
    await tx`delete from warned_events where team_id = ${teamId} and at_ms < (
      select at_ms from warned_events where team_id = ${teamId}
      order by at_ms desc limit 1 offset ${PROJECT_MAX_WARNED})`;
  }
  return news;
}

const nameOf = (teamId: number, type: string, uuid: string) => `${teamId} ${type} ${uuid}`;

type Row = CommitWarning & { hour: number; occurrences: number; firstAtMs: number };

/** One entry for what becomes one row. */
function fold(warnings: readonly CommitWarning[]): Map<string, Row> {
  const rows = new Map<string, Row>();
  for (const warning of warnings) {
    const hour = Math.floor(warning.atMs / HOUR_MS);
    const name = JSON.stringify([warning.teamId, warning.type, warning.key, hour]);
    const row = rows.get(name);
    const occurrences = warning.count ?? 1;
    if (row === undefined) rows.set(name, { ...warning, hour, occurrences, firstAtMs: warning.atMs });
    else {
      row.occurrences += occurrences;
      row.firstAtMs = Math.min(row.firstAtMs, warning.atMs);
      row.atMs = Math.max(row.atMs, warning.atMs);
      row.details = warning.details;
    }
  }
  return rows;
}

async function addRow(tx: Tx, row: Row): Promise<void> {
  const { teamId, type, key, hour, source, occurrences, firstAtMs, atMs } = row;
  await tx`
    insert into ingestion_warnings (team_id, type, warning_key, hour, source, details, occurrences, first_at_ms, last_at_ms)
    values (${teamId}, ${type}, ${key}, ${hour}, ${source}, ${JSON.stringify(row.details)}, ${occurrences},
      ${firstAtMs}, ${atMs})
    on conflict (team_id, type, warning_key, hour) do update set
      details = excluded.details, source = excluded.source,
      occurrences = ingestion_warnings.occurrences + excluded.occurrences,
      first_at_ms = case when excluded.first_at_ms < ingestion_warnings.first_at_ms
        then excluded.first_at_ms else ingestion_warnings.first_at_ms end,
      last_at_ms = case when excluded.last_at_ms > ingestion_warnings.last_at_ms
        then excluded.last_at_ms else ingestion_warnings.last_at_ms end`;
}

/** One page of a project's warnings of the last 30 days, newest first. */
export async function readWarnings(db: Db, teamId: number, page: Page): Promise<Listed<StoredWarning>> {
  return db.read(async (tx) => {
    const sinceMs = (await catalogNowMs(db, tx)) - KEPT_MS;
    const where = tx`team_id = ${teamId} and last_at_ms >= ${sinceMs}`;
    const order = tx`last_at_ms desc, id desc`;
    return selectPage(tx, { table: "ingestion_warnings", where, order, read: warningOf }, page);
  });
}

const warningOf = (row: Record<string, unknown>): StoredWarning => ({
  type: String(row.type),
  source: String(row.source),
  details: JSON.parse(String(row.details)),
  occurrences: Number(row.occurrences),
  firstAtMs: Number(row.first_at_ms),
  lastAtMs: Number(row.last_at_ms),
});
