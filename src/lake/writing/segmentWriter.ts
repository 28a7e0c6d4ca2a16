import { rm } from "node:fs/promises";
import { dayOf, describeError, EventFlag, type EventRow, type LogRow, RetryableError } from "../../types/mod.ts";
import { PLAIN, type SegmentFacts, type TeamRange, teamSpan } from "../catalog/mod.ts";
import { duplicateKey, KeyCollector } from "../duplicates/mod.ts";
import { Engine } from "../engine/mod.ts";
import { draftPath, filesOf, measureDrafts, rawPath, type SegmentStore, spillDirectory } from "../storage/mod.ts";
import type { TypedColumn } from "../typed/mod.ts";
import { EventsFormat } from "./eventsFormat.ts";
import { LOG_FORMAT } from "./logFormat.ts";
import { type Rejected, RowsFile, type RowsFormat, without } from "./rowsFile.ts";
import { wideBytesOfEvent, wideBytesOfLog } from "./textSizes.ts";

export interface Written<Row> {
  /** Null when no row could be stored: there is no file then. */
  facts: SegmentFacts | null;
  /** Rows that storage refuses, each with the reason. All others are in the file. */
  rejected: Rejected<Row>[];
}

/** Events for one segment. With typed columns, which are the first ones of a layout, all are of its project. */
export interface EventsPart {
  rows: readonly EventRow[];
  columns: readonly TypedColumn[];
}

/** The rows of one flush: none of its segments is without rows. */
export interface FlushRows {
  events: readonly (EventsPart & { id: string })[];
  log: { id: string; rows: readonly LogRow[] } | null;
}

/** Facts that the caller knows of a segment. */
export interface SegmentOrigin {
  generation: number;
  level: number;
  partitions: number[];
}

const SPILL_LIMIT_BYTES = 8 * 1024 ** 3;

/** Makes the segments of a flush: `<id>.parquet`, of events `<id>.keys` too. They are durable when a method returns. */
export class SegmentWriter {
  private readonly storage: SegmentStore;
  private readonly engine: Engine;

  constructor(options: { storage: SegmentStore; memoryLimitBytes: number }) {
    this.storage = options.storage;
    this.engine = new Engine({
      // A second one costs half as much again for the same rows. The rest of the machine is for other workers.
      threads: 1,
      memoryLimitBytes: options.memoryLimitBytes,
      tempDirectory: spillDirectory(options.storage.workDirectory),
      tempLimitBytes: SPILL_LIMIT_BYTES,
    });
  }

  /**
   * Rows of a project are together, in the order given. Rows in = rows out plus `rejected`; a file that fails is
   * narrowed down to the rows that cause it. Throws RetryableError `segment_not_written` when the machine failed (disk
   * full, no memory): nothing is rejected then, and the collector removes the files.
   */
  async writeFlush(
    { events, log }: FlushRows,
    origin: SegmentOrigin,
  ): Promise<{ events: Written<EventRow>[]; log: Written<LogRow> | null }> {
    const [writtenEvents, writtenLog] = await bothSettled(
      allSettled(events.map((part) => this.writeEvents(part, origin))),
      log === null ? null : this.writeLog(log.id, log.rows, origin),
    );
    const files = [...writtenEvents, writtenLog].flatMap((written) => (written?.facts ? filesOf(written.facts) : []));
    await orNotWritten("a flush", () => this.storage.publish(files));
    return { events: writtenEvents, log: writtenLog };
  }

  async close(): Promise<void> {
    await this.engine.close();
  }

  private writeEvents(part: EventsPart & { id: string }, origin: SegmentOrigin): Promise<Written<EventRow>> {
    const { id, rows, columns } = part;
    const format = new EventsFormat(columns);
    let keys: { of: readonly EventRow[]; bytes: Uint8Array } | null = null;
    const meanwhile = (written: readonly EventRow[]) => {
      keys = { of: written, bytes: collectKeys(written) };
    };
    return this.writeRows({ format, meanwhile }, id, rows, async (stored) => {
      const bytes = keys?.of === stored ? keys.bytes : collectKeys(stored);
      await Bun.write(draftPath(this.storage.workDirectory, { id, part: "keys" }), bytes);
      const teams = teamRanges(stored, (row) => row.timestampMs);
      const facts = await this.factsOf(
        { id, kind: "events", wideBytes: sumOf(stored, wideBytesOfEvent) },
        teams,
        origin,
      );
      return { ...facts, columns: columns.length, exceptions: format.exceptions };
    });
  }

  private writeLog(id: string, rows: readonly LogRow[], origin: SegmentOrigin): Promise<Written<LogRow>> {
    return this.writeRows({ format: LOG_FORMAT }, id, rows, async (stored) => {
      const teams = teamRanges(stored, (row) => row.version.tMs);
      return this.factsOf({ id, kind: "log", wideBytes: sumOf(stored, wideBytesOfLog) }, teams, origin);
    });
  }

  private writeRows<Row extends { teamId: number }>(
    { format, meanwhile }: { format: RowsFormat<Row>; meanwhile?: (rows: readonly Row[]) => void },
    id: string,
    rows: readonly Row[],
    finish: (stored: readonly Row[]) => Promise<SegmentFacts>,
  ): Promise<Written<Row>> {
    const sorted = sortByTeam(rows);
    const { workDirectory } = this.storage;
    return orNotWritten(`segment ${id}`, async () => {
      try {
        const rejected = await new RowsFile(workDirectory, this.engine, format, meanwhile).write(id, sorted);
        const stored = without(sorted, rejected);
        return { facts: stored.length === 0 ? null : await finish(stored), rejected };
      } finally {
        await rm(rawPath(workDirectory, id), { force: true });
      }
    });
  }

  private async factsOf(
    known: Pick<SegmentFacts, "id" | "kind" | "wideBytes">,
    teams: TeamRange[],
    origin: SegmentOrigin,
  ): Promise<SegmentFacts> {
    const made = { ...known, ...PLAIN };
    return {
      ...made,
      ...origin,
      ...(await measureDrafts(this.storage, made)),
      ...teamSpan(teams),
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

/** The same of many. */
async function allSettled<T>(work: readonly Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(work);
  return Promise.all(work);
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

const sumOf = <Row>(rows: readonly Row[], bytesOf: (row: Row) => number): number =>
  rows.reduce((sum, row) => sum + bytesOf(row), 0);

function collectKeys(rows: readonly EventRow[]): Uint8Array {
  const keys = new KeyCollector();
  for (const { teamId, timestampMs, event, distinctId, uuid, flags } of rows) {
    if (flags & EventFlag.ServerUuid) continue;
    const day = dayOf(timestampMs);
    keys.add(teamId, day, duplicateKey(teamId, day, event, distinctId, uuid));
  }
  return keys.finish().bytes;
}
