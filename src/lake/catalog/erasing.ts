import { changed, type Db, type Tx } from "../../store/mod.ts";
import { catalogNowMs } from "./clock.ts";
import { type Accepted, concernedFiles, readAccepted } from "./erasures.ts";
import { readPositions } from "./generations.ts";

/**
 * Tables with rows of the data of projects, each with a `team_id`. Deleting a project empties them. Counts of events stay: they
 * tell nothing of an event. Insights and other objects stay too: without their project nobody can read them. Batch exports, alerts and
 * subscriptions go: they have secrets of other services, and figures.
 */
export const DATA_TABLES = [
  "actor_states",
  "alert_checks",
  "alerts",
  "batch_export_backfills",
  "batch_export_logs",
  "batch_export_runs",
  "batch_exports",
  "dead_letters",
  "deliveries",
  "event_definitions",
  "group_types",
  "health_figures",
  "identities",
  "ingestion_warnings",
  "merging",
  "outbox",
  "property_columns",
  "property_definitions",
  "property_pins",
  "property_uses",
  "query_cache",
  "query_cancels",
  "query_jobs",
  "subscriptions",
  "warned_events",
  "query_pieces",
] as const;

/** Rows removed in one transaction: commits wait for it. */
const DELETE_ROWS = 5_000;

/** Empties the tables of deleted projects, a piece at a time, and settles the erasures without rows left. */
export async function finishErasures(db: Db): Promise<void> {
  const rows: Record<string, unknown>[] = await db.read(
    (tx) => tx`select version, team_id, kind, generation, sequences from erasures
      where erased_at_ms is null order by version`,
  );
  for (const row of rows) {
    const teamId = Number(row.team_id);
    const version = Number(row.version);
    if (row.kind === "project") await emptyTables(db, teamId);
    await db.write(async (tx) => {
      if (await isInFiles(tx, version, teamId)) return;
      if (await isQueued(tx, readAccepted(row))) return;
      // Answers that were being calculated when it was ordered.
      await tx`delete from query_cache where team_id = ${teamId} and data_version < ${version}`;
      await tx`update erasures set erased_at_ms = ${await catalogNowMs(db, tx)}
        where version = ${version} and team_id = ${teamId}`;
    });
  }
}

async function emptyTables(db: Db, teamId: number): Promise<void> {
  for (const table of DATA_TABLES) await emptyTable(db, table, teamId);
  await db.write(
    (tx) => tx`delete from cohort_persons
      where cohort_id in (select id from project_objects where team_id = ${teamId})`,
  );
}

async function emptyTable(db: Db, table: (typeof DATA_TABLES)[number], teamId: number): Promise<void> {
  const place = db.dialect === "sqlite" ? "rowid" : "ctid";
  for (let rows = DELETE_ROWS; rows === DELETE_ROWS; ) {
    rows = await db.write(async (tx) =>
      changed(
        await tx`delete from ${tx(table)} where ${tx(place)} in (
          select ${tx(place)} from ${tx(table)} where team_id = ${teamId} limit ${DELETE_ROWS})`,
      ),
    );
  }
}

/** Files that are kept for readers count too; they are removed later. */
async function isInFiles(tx: Tx, version: number, teamId: number): Promise<boolean> {
  const rows: unknown[] = await tx`
    select 1 from ${concernedFiles(tx)} and e.version = ${version} and e.team_id = ${teamId} limit 1`;
  return rows.length > 0;
}

/** Whether something that was accepted before is not settled. A generation that is closed was worked off. */
async function isQueued(tx: Tx, { generation, sequences }: Accepted): Promise<boolean> {
  const open: unknown[] = await tx`select 1 from generations where generation = ${generation} and state <> 'closed'`;
  if (open.length === 0) return false;
  const positions = await readPositions(tx, generation);
  return positions.some((at) =>
    sequences.some((last) => last.lane === at.lane && last.partition === at.partition && last.sequence > at.position),
  );
}
