import { rm } from "node:fs/promises";
import { dayOf, describeError, EventFlag, type EventRow, type LogRow, RetryableError } from "../types/mod.ts";
import type { SegmentFacts, SegmentKind, TeamRange } from "./catalog/types.ts";
import { Engine } from "./duckdb.ts";
import { duplicateKey } from "./duplicates/key.ts";
import { KeyCollector } from "./duplicates/keyFile.ts";
import { EVENTS_FORMAT } from "./eventsFormat.ts";
import {
  keysPath,
  publish,
  rawPath,
  rowsPath,
  segmentBytes,
  spillDirectory,
  syncDirectory,
  temporary,
} from "./files.ts";
import { LOG_FORMAT } from "./people/logFormat.ts";
import { type Rejected, RowsFile, without } from "./rowsFile.ts";

export interface Written<Row> {
  /** Null when no row could be stored: there is no file then. */
  facts: SegmentFacts | null;
  /** Rows that storage refuses, each with the reason. All others are in the file. */
  rejected: Rejected<Row>[];
}

export type WrittenSegment = Written<EventRow>;

/** What one flush writes; a segment is left out where it would hold no rows. */
export interface FlushRows {
  events: { id: string; rows: readonly EventRow[] } | null;
  log: { id: string; rows: readonly LogRow[] } | null;
}

/** What the catalog learns of a segment from its writer. */
export interface SegmentOrigin {
  generation: number;
  level: number;
  partitions: number[];
}

const SPILL_LIMIT_BYTES = 8 * 1024 ** 3;

/** Makes the segments of a flush: `<id>.parquet`, of events `<id>.keys` too. They are durable when a method returns. */
export class SegmentWriter {
  private readonly directory: string;
  private readonly engine: Engine;
  private readonly events: RowsFile<EventRow>;
  private readonly log: RowsFile<LogRow>;

  constructor(options: { directory: string; memoryLimitBytes: number; threads?: number }) {
    this.directory = options.directory;
    this.engine = new Engine({
      threads: options.threads ?? navigator.hardwareConcurrency,
      memoryLimitBytes: options.memoryLimitBytes,
      tempDirectory: spillDirectory(options.directory),
      tempLimitBytes: SPILL_LIMIT_BYTES,
    });
    this.events = new RowsFile(options.directory, this.engine, EVENTS_FORMAT);
    this.log = new RowsFile(options.directory, this.engine, LOG_FORMAT);
  }

  /**
   * Rows of a project stand together, in the order given. Rows in = rows out plus `rejected`; a file that fails is narrowed down to the rows that cause it. Throws RetryableError
   * `segment_not_written` when the machine failed (disk full, no memory): nothing is rejected then, and what was
   * written belongs to the collector.
   */
  async writeFlush(
    flush: FlushRows,
    origin: SegmentOrigin,
  ): Promise<{ events: Written<EventRow> | null; log: Written<LogRow> | null }> {
    const { events, log } = flush;
    const [writtenEvents, writtenLog] = await bothSettled(
      events === null ? null : this.writeEvents(events.id, events.rows, origin),
      log === null ? null : this.writeLog(log.id, log.rows, origin),
    );
    const isAny = (writtenEvents?.facts ?? writtenLog?.facts ?? null) !== null;
    if (isAny) await orNotWritten("the folder", () => syncDirectory(this.directory));
    return { events: writtenEvents, log: writtenLog };
  }

  /** A flush of events alone. */
  async write(id: string, rows: readonly EventRow[], origin: SegmentOrigin): Promise<WrittenSegment> {
    const { events } = await this.writeFlush({ events: { id, rows }, log: null }, origin);
    return events!;
  }

  async close(): Promise<void> {
    await this.engine.close();
  }

  private writeEvents(id: string, rows: readonly EventRow[], origin: SegmentOrigin): Promise<Written<EventRow>> {
    return this.writeRows(this.events, id, rows, async (stored) => {
      await Bun.write(temporary(keysPath(this.directory, id)), collectKeys(stored));
      await publish(keysPath(this.directory, id));
      await publish(rowsPath(this.directory, id));
      return this.factsOf(
        id,
        "events",
        teamRanges(stored, (row) => row.timestampMs),
        origin,
      );
    });
  }

  private writeLog(id: string, rows: readonly LogRow[], origin: SegmentOrigin): Promise<Written<LogRow>> {
    return this.writeRows(this.log, id, rows, async (stored) => {
      await publish(rowsPath(this.directory, id));
      return this.factsOf(
        id,
        "log",
        teamRanges(stored, (row) => row.version.tMs),
        origin,
      );
    });
  }

  private writeRows<Row extends { teamId: number }>(
    file: RowsFile<Row>,
    id: string,
    rows: readonly Row[],
    finish: (stored: readonly Row[]) => Promise<SegmentFacts>,
  ): Promise<Written<Row>> {
    const sorted = sortByTeam(rows);
    return orNotWritten(`segment ${id}`, async () => {
      try {
        const rejected = await file.write(id, sorted);
        const stored = without(sorted, rejected);
        return { facts: stored.length === 0 ? null : await finish(stored), rejected };
      } finally {
        await rm(rawPath(this.directory, id), { force: true });
      }
    });
  }

  private async factsOf(
    id: string,
    kind: SegmentKind,
    teams: TeamRange[],
    origin: SegmentOrigin,
  ): Promise<SegmentFacts> {
    return {
      id,
      kind,
      squashedThrough: 0,
      columns: 0,
      exceptions: [],
      ...origin,
      teamId: teams.length === 1 ? teams[0]!.teamId : null,
      rowCount: teams.reduce((sum, team) => sum + team.rowCount, 0),
      sizeBytes: await segmentBytes(this.directory, id, kind),
      minMs: Math.min(...teams.map((team) => team.minMs)),
      maxMs: Math.max(...teams.map((team) => team.maxMs)),
      teams,
    };
  }
}

async function orNotWritten<T>(what: string, body: () => Promise<T>): Promise<T> {
  try {
    return await body();
  } catch (error) {
    throw new RetryableError("segment_not_written", `${what}: ${describeError(error)}`, { cause: error });
  }
}

/** Waits for both also when one fails: nothing may still be writing then. */
async function bothSettled<A, B>(a: A | Promise<A>, b: B | Promise<B>): Promise<[A, B]> {
  await Promise.allSettled([a, b]);
  return [await a, await b];
}

/** Stable: rows of a project keep their order. */
function sortByTeam<Row extends { teamId: number }>(rows: readonly Row[]): readonly Row[] {
  const isSorted = rows.every((row, i) => i === 0 || rows[i - 1]!.teamId <= row.teamId);
  return isSorted ? rows : rows.toSorted((a, b) => a.teamId - b.teamId);
}

function teamRanges<Row extends { teamId: number }>(rows: readonly Row[], timeMs: (row: Row) => number): TeamRange[] {
  const teams: TeamRange[] = [];
  let last: TeamRange | undefined;
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i]!;
    const ms = timeMs(row);
    if (last?.teamId === row.teamId) {
      last.rowCount++;
      if (ms < last.minMs) last.minMs = ms;
      if (ms > last.maxMs) last.maxMs = ms;
    } else {
      last = { teamId: row.teamId, rowStart: i, rowCount: 1, minMs: ms, maxMs: ms };
      teams.push(last);
    }
  }
  return teams;
}

function collectKeys(rows: readonly EventRow[]): Uint8Array {
  const keys = new KeyCollector();
  for (const { teamId, timestampMs, event, distinctId, uuid, flags } of rows) {
    if (flags & EventFlag.ServerUuid) continue;
    const day = dayOf(timestampMs);
    keys.add(teamId, day, duplicateKey(teamId, day, event, distinctId, uuid));
  }
  return keys.finish().bytes;
}
