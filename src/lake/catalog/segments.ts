import { changed, type Db, type Fragment, type Tx } from "../../store/mod.ts";
import { RetryableError } from "../../types/mod.ts";
import { catalogNowMs, raiseVersion, readVersion } from "./clock.ts";
import { checkJob, readBeside } from "./jobs.ts";
import { checkSwap } from "./rules.ts";
import type {
  Epoch,
  KnownSegment,
  LiveSegment,
  SegmentChanges,
  SegmentFacts,
  SegmentKind,
  SegmentState,
} from "./types.ts";

/** In `segment_partitions`: not fenced by an epoch. */
const NO_EPOCH = -1;

/**
 * Makes files known before they are written, so that they are always found (protocol rule 11). `writer`: a worker, with the epochs
 * of its partitions, or a job of compaction.
 */
export async function registerPending(
  db: Db,
  files: { ids: string[]; writer: string; generation: number; epochs: Epoch[] },
): Promise<void> {
  await db.write(async (tx) => {
    const nowMs = await catalogNowMs(db, tx);
    for (const id of files.ids) {
      await tx`insert into segments (id, kind, state, writer, level, squashed_through, team_id, generation, registered_at_ms, row_count, size_bytes, min_ms, max_ms)
        values (${id}, 'events', 'pending', ${files.writer}, 0, 0, null, ${files.generation}, ${nowMs}, 0, 0, 0, 0)`;
      for (const { partition, epoch } of files.epochs) {
        await tx`insert into segment_partitions (segment_id, partition_id, epoch) values (${id}, ${partition}, ${epoch})`;
      }
    }
  });
}

/** Abandons files that will not be committed; the collector removes them. */
export async function abandon(db: Db, ids: string[]): Promise<void> {
  await db.write(async (tx) => {
    for (const id of ids) await tx`update segments set state = 'dead' where id = ${id} and state = 'pending'`;
  });
}

/**
 * Compaction's swap: inputs go, outputs come, in one transaction. Rows deleted after `erasedThrough` stay hidden in the
 * outputs, because the outputs carry that version.
 * Throws RetryableError `compaction_conflict` when the job has lost its claim, an input is no longer live or an output was
 * abandoned, AssertionFailed when events get lost or come twice: `erasedRows` of them were deleted.
 */
export async function replaceSegments(
  db: Db,
  swap: {
    jobId: string;
    inputs: string[];
    outputs: SegmentFacts[];
    erasedThrough: number;
    erasedRows: number;
    duplicatesMet: number;
  },
): Promise<void> {
  await db.write(async (tx) => {
    const version = await raiseVersion(tx);
    await checkJob(tx, swap.jobId);
    await tx`update catalog_state set duplicates_met = duplicates_met + ${swap.duplicatesMet} where id = 1`;
    let rowsIn = 0;
    for (const id of swap.inputs) {
      const rows: { kind: SegmentKind; row_count: unknown }[] = await tx`
        update segments set state = 'replaced', replaced_at = ${version} where id = ${id} and state = 'live'
        returning kind, row_count`;
      const [input] = rows;
      if (input === undefined) throw new RetryableError("compaction_conflict", `segment ${id} is not live`);
      if (input.kind === "events") rowsIn += Number(input.row_count);
    }
    checkSwap({ ...swap, rowsIn });
    for (const output of swap.outputs) {
      const isPending = await makeLive(tx, output, { version, erasedThrough: swap.erasedThrough });
      if (!isPending) throw new RetryableError("compaction_conflict", `segment ${output.id} was abandoned`);
      for (const partition of output.partitions) {
        await tx`insert into segment_partitions (segment_id, partition_id, epoch) values (${output.id}, ${partition}, ${NO_EPOCH})`;
      }
      if (output.kind !== "roster") continue;
      await checkOnlyRoster(tx, output);
      // The job goes on to give its numbers to events, when another job may have replaced it.
      await readBeside(tx, swap.jobId, output.id);
    }
  });
}

/** A second one would give its numbers to others. One that replaces another has it among its inputs, the first has none. */
async function checkOnlyRoster(tx: Tx, { teamId }: SegmentFacts): Promise<void> {
  const rows: unknown[] = await tx`
    select 1 from segments where kind = 'roster' and state = 'live' and team_id = ${teamId}`;
  if (rows.length !== 1) throw new RetryableError("compaction_conflict", `project ${teamId} has a roster already`);
}

/** Makes a pending segment live, within a transaction that raised the version; false when it is not pending any more. */
export async function makeLive(
  tx: Tx,
  segment: SegmentFacts,
  { version, erasedThrough }: { version: number; erasedThrough: number },
): Promise<boolean> {
  const result = await tx`
    update segments set state = 'live', live_from = ${version}, erased_through = ${erasedThrough}, kind = ${segment.kind},
      squashed_through = ${segment.squashedThrough}, level = ${segment.level}, team_id = ${segment.teamId},
      generation = ${segment.generation}, row_count = ${segment.rowCount}, size_bytes = ${segment.sizeBytes},
      wide_bytes = ${segment.wideBytes}, min_ms = ${segment.minMs}, max_ms = ${segment.maxMs}, checksum = ${segment.checksum},
      columns = ${segment.columns}, exceptions = ${JSON.stringify(segment.exceptions)},
      is_numbered = ${segment.isNumbered ? 1 : 0}, activity_zone = ${segment.rollupZone},
      has_journey = ${segment.hasJourney ? 1 : 0}, has_person_rows = ${segment.hasPersonRows ? 1 : 0}
    where id = ${segment.id} and state = 'pending'`;
  if (changed(result) !== 1) return false;
  for (const team of segment.teams) {
    await tx`insert into segment_teams (segment_id, team_id, row_start, row_count, min_ms, max_ms)
      values (${segment.id}, ${team.teamId}, ${team.rowStart}, ${team.rowCount}, ${team.minMs}, ${team.maxMs})`;
  }
  return true;
}

/** Segments that became live after `sinceVersion` (0: all), and the ids of those that are live now. */
export async function segmentChanges(db: Db, sinceVersion: number): Promise<SegmentChanges> {
  return db.read((tx) => changesSince(tx, sinceVersion));
}

/** Every segment that is live at the moment of this transaction; or those of a kind that hold one project alone. */
export async function liveSegments(tx: Tx, only?: { kind: SegmentKind; teamId: number }): Promise<LiveSegment[]> {
  const isMeant = only === undefined ? tx`1 = 1` : tx`s.kind = ${only.kind} and s.team_id = ${only.teamId}`;
  return readLive(tx, tx`s.state = 'live' and ${isMeant}`);
}

/** Ids of live segments, at most so many, in no order. */
export async function someLiveIds(tx: Tx, limit: number): Promise<string[]> {
  const rows: { id: string }[] = await tx`select id from segments where state = 'live' limit ${limit}`;
  return rows.map(({ id }) => id);
}

async function changesSince(tx: Tx, sinceVersion: number): Promise<SegmentChanges> {
  const version = await readVersion(tx);
  const live: { id: string }[] = await tx`select id from segments where state = 'live'`;
  const added = await readLive(tx, tx`s.state = 'live' and s.live_from > ${sinceVersion}`);
  return { version, added, liveIds: new Set(live.map((row) => row.id)) };
}

/** Segments `s` of which a condition is true. */
async function readLive(tx: Tx, isMeant: Fragment): Promise<LiveSegment[]> {
  const rows: Row[] = await tx`
    select s.id, s.kind, s.squashed_through, s.erased_through, s.level, s.team_id, s.generation, s.live_from, s.row_count,
      s.size_bytes, s.wide_bytes, s.failures, s.checksum, s.min_ms, s.max_ms, s.columns, s.exceptions, s.is_numbered,
      s.activity_zone, s.has_journey, s.has_person_rows from segments s
    where ${isMeant}`;
  const teams: TeamRow[] = await tx`
    select t.segment_id, t.team_id, t.row_start, t.row_count, t.min_ms, t.max_ms
    from segment_teams t join segments s on s.id = t.segment_id where ${isMeant} order by t.team_id`;
  const partitions: { segment_id: string; partition_id: unknown }[] = await tx`
    select p.segment_id, p.partition_id from segment_partitions p join segments s on s.id = p.segment_id
    where ${isMeant} order by p.partition_id`;
  return assemble(rows, teams, partitions);
}

type Row = Record<string, unknown>;

/** The facts of a file that compaction and readers share. */
export function fileOf(row: Row) {
  return {
    id: String(row.id),
    level: Number(row.level),
    rowCount: Number(row.row_count),
    minMs: Number(row.min_ms),
    maxMs: Number(row.max_ms),
    squashedThrough: Number(row.squashed_through),
    erasedThrough: Number(row.erased_through),
    columns: Number(row.columns),
    exceptions: JSON.parse(String(row.exceptions)) as number[],
    isNumbered: Number(row.is_numbered) === 1,
    rollupZone: row.activity_zone === null ? null : String(row.activity_zone),
    hasJourney: Number(row.has_journey) === 1,
    hasPersonRows: Number(row.has_person_rows) === 1,
  };
}

interface TeamRow {
  segment_id: string;
  team_id: unknown;
  row_start: unknown;
  row_count: unknown;
  min_ms: unknown;
  max_ms: unknown;
}

function assemble(
  rows: Row[],
  teams: TeamRow[],
  partitions: { segment_id: string; partition_id: unknown }[],
): LiveSegment[] {
  const byId = new Map<string, LiveSegment>();
  for (const row of rows) {
    const file = fileOf(row);
    byId.set(file.id, {
      ...file,
      kind: row.kind as SegmentKind,
      teamId: row.team_id === null ? null : Number(row.team_id),
      generation: Number(row.generation),
      liveFrom: Number(row.live_from),
      sizeBytes: Number(row.size_bytes),
      wideBytes: Number(row.wide_bytes),
      failures: Number(row.failures),
      checksum: String(row.checksum),
      teams: [],
      partitions: [],
    });
  }
  for (const team of teams) {
    byId.get(team.segment_id)?.teams.push({
      teamId: Number(team.team_id),
      rowStart: Number(team.row_start),
      rowCount: Number(team.row_count),
      minMs: Number(team.min_ms),
      maxMs: Number(team.max_ms),
    });
  }
  for (const row of partitions) byId.get(row.segment_id)?.partitions.push(Number(row.partition_id));
  return [...byId.values()];
}

/** Every segment that the catalog knows, by id; files of others are strays. */
export async function knownSegments(db: Db): Promise<Map<string, KnownSegment>> {
  const rows: {
    id: string;
    kind: SegmentKind;
    state: SegmentState;
    erased_through: unknown;
    activity_zone: string | null;
    has_journey: unknown;
    has_person_rows: unknown;
  }[] = await db.read(
    (tx) => tx`select id, kind, state, erased_through, activity_zone, has_journey, has_person_rows from segments`,
  );
  return new Map(
    rows.map((row) => {
      const { id, kind, state } = row;
      const known = {
        ...{ id, kind, state },
        erasedThrough: Number(row.erased_through),
        rollupZone: row.activity_zone,
        hasJourney: Number(row.has_journey) === 1,
        hasPersonRows: Number(row.has_person_rows) === 1,
      };
      return [id, known];
    }),
  );
}
