import { changed, type Db, type Tx } from "../../store/mod.ts";
import { catalogNowMs, readMergesVersion, readVersion } from "./clock.ts";
import { layoutOf } from "./columns.ts";
import { erasuresOf } from "./erasures.ts";
import { checkSnapshot, type ListedFile } from "./rules.ts";
import { fileOf } from "./segments.ts";
import type { SegmentKind, Snapshot, SnapshotSegment } from "./types.ts";

/** Open ends of a range; far beyond any stored time. */
const MIN_MS = -8.64e15;
const MAX_MS = 8.64e15;

/** A part of what was ever stored, by the versions of the catalog at which it came: those behind `after`, up to `until`. */
export interface StoredSpan {
  /** Null: from the beginning. */
  after: number | null;
  until: number;
}

interface SnapshotRequest {
  teamId: number;
  fromMs: number | null;
  toMs: number | null;
  /** Only events that were stored then; all where absent. Their files must be pinned since `after`, or `until` without it. */
  stored?: StoredSpan | undefined;
}

/** Lists the files of one project as they are now. Only a pin that was taken before keeps them on disk (protocol rule 12). */
export async function readSnapshot(db: Db, request: SnapshotRequest): Promise<Snapshot> {
  return db.read(async (tx) => {
    const version = await readVersion(tx);
    const rows: Record<string, unknown>[] = await tx`select ${FILE(tx)}
      from segment_teams t join segments s on s.id = t.segment_id
      where t.team_id = ${request.teamId} and s.state in ('live', 'replaced') and s.live_from <= ${version}
        and (s.replaced_at is null or s.replaced_at > ${version})
      order by t.max_ms desc, s.id`;
    const now = rows.map(listedFile);
    checkSnapshot(now, version);
    const all = request.stored === undefined ? now : await withEventsOf(tx, now, request.teamId, request.stored);
    const range = { fromMs: request.fromMs ?? MIN_MS, toMs: request.toMs ?? MAX_MS };
    const isRead = ({ kind, file }: ListedFile) =>
      kind !== "events" || (file.maxMs >= range.fromMs && file.minMs <= range.toMs);
    const files = all.filter(isRead);
    const ofKind = (wanted: SegmentKind) => files.flatMap(({ kind, file }) => (kind === wanted ? [file] : []));
    const erasedThrough = (some: readonly SnapshotSegment[]) =>
      Math.min(Number.MAX_SAFE_INTEGER, ...some.map((file) => file.erasedThrough));
    const logs = ofKind("log");
    const above = { any: erasedThrough(files.map(({ file }) => file)), log: erasedThrough(logs) };
    return {
      version,
      teamId: request.teamId,
      segments: ofKind("events"),
      outside: all.flatMap((each) => (isRead(each) ? [] : [each.file])),
      logs,
      roster: ofKind("roster")[0] ?? null,
      erasures: await erasuresOf(tx, request.teamId, above),
      layout: await layoutOf(tx, request.teamId),
      mergesVersion: await readMergesVersion(tx, request.teamId),
    };
  });
}

/** The files of a flush are of level 0; what has been merged since is told by those that it was merged of. */
async function withEventsOf(
  tx: Tx,
  now: readonly ListedFile[],
  teamId: number,
  { after, until }: StoredSpan,
): Promise<ListedFile[]> {
  const isMeant =
    after === null
      ? tx`s.live_from <= ${until} and (s.replaced_at is null or s.replaced_at > ${until})`
      : tx`s.level = 0 and s.live_from > ${after} and s.live_from <= ${until}`;
  const rows: Record<string, unknown>[] = await tx`select ${FILE(tx)}
    from segment_teams t join segments s on s.id = t.segment_id
    where t.team_id = ${teamId} and s.kind = 'events' and s.state in ('live', 'replaced') and ${isMeant}
    order by t.max_ms desc, s.id`;
  return [...now.filter(({ kind }) => kind !== "events"), ...rows.map(listedFile)];
}

const FILE = (
  tx: Tx,
) => tx`s.id, s.team_id, s.kind, s.level, s.squashed_through, s.erased_through, t.row_start, t.row_count,
  t.min_ms, t.max_ms, s.columns, s.exceptions, s.is_numbered, s.activity_zone, s.has_journey, s.has_person_rows, s.live_from, s.replaced_at`;

function listedFile(row: Record<string, unknown>): ListedFile {
  const replacedAt = row.replaced_at === null ? null : Number(row.replaced_at);
  const file = { ...fileOf(row), isOwn: row.team_id !== null, rowStart: Number(row.row_start) };
  return { kind: row.kind, file, liveFrom: Number(row.live_from), replacedAt };
}

/** A pin, in a transaction of its own: keeps every file that is live now or later on disk until `unpin` or `ttlMs`; returns the pin's id. */
export async function holdFiles(db: Db, ttlMs: number): Promise<string> {
  const pinId = crypto.randomUUID();
  await db.write(async (tx) => {
    const expiresAtMs = (await catalogNowMs(db, tx)) + ttlMs;
    await tx`insert into pins (id, version, expires_at_ms) values (${pinId}, ${await readVersion(tx)}, ${expiresAtMs})`;
  });
  return pinId;
}

/** The pin holds for `ttlMs` more. False when it had expired: files may be gone. */
export async function renewPin(db: Db, pinId: string, ttlMs: number): Promise<boolean> {
  return db.write(async (tx) => {
    const expiresAtMs = (await catalogNowMs(db, tx)) + ttlMs;
    return changed(await tx`update pins set expires_at_ms = ${expiresAtMs} where id = ${pinId}`) === 1;
  });
}

/** Lets go of the files. */
export async function unpin(db: Db, pinId: string): Promise<void> {
  await db.write((tx) => tx`delete from pins where id = ${pinId}`);
}
