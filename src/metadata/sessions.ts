import { changed, type Db, type Listed, type Page, type Stored, selectPage, type Tx } from "../store/mod.ts";
import { DAY_MS, only } from "../types/mod.ts";
import { equalHashes, hashSecret, newLoginToken, randomId } from "./secrets.ts";

/** A session without requests for so long is over. */
const SESSION_IDLE_MS = 14 * DAY_MS;
/** A session of this age is over. */
export const SESSION_MAX_MS = 90 * DAY_MS;
const SEEN_REFRESH_MS = 60_000;
/** Of one user: with more of them the ones end that were seen longest ago. */
const SESSIONS_MAX = 100;

/** A browser that is logged in. */
export interface Session {
  /** For lists; it opens nothing. */
  id: string;
  userId: number;
  /** The name of the host that it was made on, without a port: it counts there only. */
  host: string;
  /** Of the client that made it; null where it was not known. */
  address: string | null;
  userAgent: string;
  createdAtMs: number;
  /** Of its last request, to the minute. */
  lastSeenAtMs: number;
  expiresAtMs: number;
}

interface SessionRow {
  id: string;
  hash: string;
  user_id: Stored;
  host: string;
  address: string | null;
  user_agent: string;
  created_at_ms: Stored;
  seen_at_ms: Stored;
  expires_at_ms: Stored;
}

function fromRow(row: SessionRow): Session {
  return {
    id: row.id,
    userId: Number(row.user_id),
    host: row.host,
    address: row.address,
    userAgent: row.user_agent,
    createdAtMs: Number(row.created_at_ms),
    lastSeenAtMs: Number(row.seen_at_ms),
    expiresAtMs: Number(row.expires_at_ms),
  };
}

export type NewSession = Pick<Session, "userId" | "host" | "address" | "userAgent"> & { nowMs: number };

/** Stores the hash only: `token` cannot be shown again. Sessions that are over are deleted with it, and those above `SESSIONS_MAX`. */
export async function createSession(tx: Tx, o: NewSession): Promise<{ session: Session; token: string }> {
  await tx`delete from sessions where expires_at_ms <= ${o.nowMs} or seen_at_ms <= ${o.nowMs - SESSION_IDLE_MS}`;
  await tx`delete from sessions where user_id = ${o.userId} and id not in (
    select id from sessions where user_id = ${o.userId} order by seen_at_ms desc, id limit ${SESSIONS_MAX - 1})`;
  const token = newLoginToken();
  const row = {
    id: randomId(16),
    hash: hashSecret(token),
    user_id: o.userId,
    host: o.host,
    address: o.address,
    user_agent: o.userAgent,
    created_at_ms: o.nowMs,
    seen_at_ms: o.nowMs,
    expires_at_ms: o.nowMs + SESSION_MAX_MS,
  };
  const rows: SessionRow[] = await tx`insert into sessions ${tx(row)} returning *`;
  return { session: fromRow(only(rows)), token };
}

/** The session with this token that is not over, or null. */
export async function findSession(tx: Tx, token: string, nowMs: number): Promise<Session | null> {
  const hash = hashSecret(token);
  const rows: SessionRow[] = await tx`select * from sessions
    where hash = ${hash} and expires_at_ms > ${nowMs} and seen_at_ms > ${nowMs - SESSION_IDLE_MS}`;
  const row = rows[0];
  return row === undefined || !equalHashes(row.hash, hash) ? null : fromRow(row);
}

/** Notes that a session was seen, at most once a minute. */
export async function touchSession(db: Db, session: Session, nowMs: number): Promise<void> {
  if (nowMs - session.lastSeenAtMs < SEEN_REFRESH_MS) return;
  await db.write((tx) => tx`update sessions set seen_at_ms = ${nowMs} where id = ${session.id}`);
}

/** One page of a user's sessions that are not over, the last seen first. */
export function listSessions(tx: Tx, o: Page & { userId: number; nowMs: number }): Promise<Listed<Session>> {
  const where = tx`user_id = ${o.userId} and expires_at_ms > ${o.nowMs} and seen_at_ms > ${o.nowMs - SESSION_IDLE_MS}`;
  return selectPage(tx, { table: "sessions", where, order: tx`seen_at_ms desc, id`, read: fromRow }, o);
}

/** Ends one session of a user by its public id. False where there is none. */
export async function endSession(tx: Tx, o: { userId: number; id: string }): Promise<boolean> {
  return changed(await tx`delete from sessions where user_id = ${o.userId} and id = ${o.id}`) === 1;
}

/** Ends all sessions of a user but one. `exceptId`: null for all. Gives how many. */
export async function endSessions(tx: Tx, o: { userId: number; exceptId: string | null }): Promise<number> {
  return changed(await tx`delete from sessions where user_id = ${o.userId} and id <> ${o.exceptId ?? ""}`);
}
