import { changed, type Db, type Listed, type Page, selectPage } from "../../store/mod.ts";
import type { Lane } from "../../types/mod.ts";
import type { DeadLetter } from "./types.ts";

type Row = Record<string, unknown>;

/** An event in quarantine, as it is kept. */
export interface StoredDeadLetter extends DeadLetter {
  id: number;
  generation: number;
  atMs: number;
  /** When it was sent in again; null while it waits. */
  redrivenAtMs: number | null;
}

/** One page, newest first, of one project or of all. */
export async function readDeadLetters(
  db: Db,
  filter: { teamId: number | null; waitingOnly: boolean },
  page: Page,
): Promise<Listed<StoredDeadLetter>> {
  const { teamId } = filter;
  return db.read(async (tx) => {
    const ofTeam = teamId === null ? tx`true` : tx`team_id = ${teamId}`;
    const where = filter.waitingOnly ? tx`${ofTeam} and redriven_at_ms is null` : ofTeam;
    return selectPage(tx, { table: "dead_letters", where, order: tx`id desc`, read: letterOf }, page);
  });
}

/** Ids of those that wait, of one project or of all, oldest first: above one id, and up to another. */
export async function waitingDeadLetters(
  db: Db,
  { teamId, above, upTo }: { teamId: number | null; above: number; upTo: number },
  limit: number,
): Promise<number[]> {
  return db.read(async (tx) => {
    const ofTeam = teamId === null ? tx`true` : tx`team_id = ${teamId}`;
    const rows: Row[] = await tx`select id from dead_letters where ${ofTeam} and redriven_at_ms is null
      and id > ${above} and id <= ${upTo} order by id limit ${limit}`;
    return rows.map(({ id }) => Number(id));
  });
}

/** Null when there is none of this id (in this project, when one is given). */
export async function findDeadLetter(db: Db, id: number, teamId: number | null): Promise<StoredDeadLetter | null> {
  const rows: Row[] = await db.read((tx) => tx`select * from dead_letters where id = ${id}`);
  const letter = rows[0] === undefined ? null : letterOf(rows[0]);
  return letter === null || (teamId !== null && letter.teamId !== teamId) ? null : letter;
}

/**
 * Notes that an event was sent in again: it counts as queued now, and no longer as a dead letter. False when that was noted
 * before.
 */
export async function markRedriven(db: Db, id: number, nowMs: number): Promise<boolean> {
  return db.write(async (tx) => {
    const rows: Row[] = await tx`select * from dead_letters where id = ${id}`;
    const result = await tx`
      update dead_letters set redriven_at_ms = ${nowMs} where id = ${id} and redriven_at_ms is null`;
    if (rows[0] === undefined || changed(result) !== 1) return false;
    const { teamId, reason, lane } = letterOf(rows[0]);
    if (lane !== "identity") {
      await tx`update settled_counts set events = events - 1
        where team_id = ${teamId} and outcome = 'dead_letter' and cause = ${reason}`;
    }
    return true;
  });
}

function letterOf(row: Row): StoredDeadLetter {
  return {
    id: Number(row.id),
    teamId: Number(row.team_id),
    generation: Number(row.generation),
    lane: String(row.lane) as Lane,
    partition: Number(row.partition_id),
    sequence: Number(row.sequence),
    index: Number(row.frame_index),
    reason: String(row.reason),
    detail: String(row.detail),
    event: String(row.event),
    distinctId: row.distinct_id === null ? null : String(row.distinct_id),
    atMs: Number(row.at_ms),
    redrivenAtMs: row.redriven_at_ms === null ? null : Number(row.redriven_at_ms),
  };
}
