import { rm } from "node:fs/promises";
import { dayOf, describeError, EventFlag, type EventRow, RetryableError } from "../types/mod.ts";
import type { SegmentFacts, TeamRange } from "./catalog/types.ts";
import { LANE_NUMBER, PERSON_MODE_NUMBER, rowGroupSize } from "./columns.ts";
import { Engine, isEnvironmentError, sqlString } from "./duckdb.ts";
import { duplicateKey } from "./duplicates/key.ts";
import { KeyCollector } from "./duplicates/keyFile.ts";
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
import { FIELD, RawFile } from "./rawFile.ts";

export interface WrittenSegment {
  /** Null when no row could be stored: there is no file then. */
  facts: SegmentFacts | null;
  /** Rows that storage refuses, each with the reason. All others are in the file. */
  rejected: { row: EventRow; reason: string }[];
}

const SPILL_LIMIT_BYTES = 8 * 1024 ** 3;

/** Columns as they stand in the raw file. */
const RAW_COLUMNS = {
  team_id: "BIGINT",
  uuid: "UUID",
  event: "VARCHAR",
  distinct_id: "VARCHAR",
  person_id: "UUID",
  timestamp_ms: "BIGINT",
  created_at_ms: "BIGINT",
  lane: "UTINYINT",
  ordinal: "BIGINT",
  person_mode: "UTINYINT",
  elements_chain: "VARCHAR",
  properties: "VARCHAR",
};

const SELECT_ROWS = `select team_id, uuid, (event::json)->>'$' as event, (distinct_id::json)->>'$' as distinct_id,
  person_id, make_timestamp(timestamp_ms * 1000) as "timestamp", make_timestamp(created_at_ms * 1000) as created_at,
  lane, ordinal, properties,
  case when elements_chain = '""' then '' else (elements_chain::json)->>'$' end as elements_chain, person_mode`;

/** Makes one segment of the rows of a flush: `<id>.parquet` and `<id>.keys`, durable when `write` returns. */
export class SegmentWriter {
  private readonly directory: string;
  private readonly engine: Engine;

  constructor(options: { directory: string; memoryLimitBytes: number; threads?: number }) {
    this.directory = options.directory;
    this.engine = new Engine({
      threads: options.threads ?? navigator.hardwareConcurrency,
      memoryLimitBytes: options.memoryLimitBytes,
      tempDirectory: spillDirectory(options.directory),
      tempLimitBytes: SPILL_LIMIT_BYTES,
    });
  }

  /**
   * Rows of a project stand together, in the order given. Rows in = rows out plus `rejected`; a file that fails is
   * narrowed down to the rows that cause it. Throws RetryableError `segment_not_written` when the machine failed
   * (disk full, no memory): nothing is rejected then, and what was written belongs to the collector.
   */
  async write(
    id: string,
    rows: readonly EventRow[],
    o: { generation: number; level: number; partitions: number[] },
  ): Promise<WrittenSegment> {
    const sorted = sortByTeam(rows);
    try {
      const rejected = await this.writeRows(id, sorted);
      const refused = new Set(rejected.map(({ row }) => row));
      const stored = refused.size === 0 ? sorted : sorted.filter((row) => !refused.has(row));
      if (stored.length === 0) return { facts: null, rejected };
      await Bun.write(temporary(keysPath(this.directory, id)), collectKeys(stored));
      await publish(keysPath(this.directory, id));
      await publish(rowsPath(this.directory, id));
      await syncDirectory(this.directory);
      return { facts: await this.factsOf(id, stored, o), rejected };
    } catch (error) {
      throw new RetryableError("segment_not_written", `segment ${id}: ${describeError(error)}`, { cause: error });
    } finally {
      await rm(rawPath(this.directory, id), { force: true });
    }
  }

  async close(): Promise<void> {
    await this.engine.close();
  }

  /** Writes the temporary Parquet file; returns what had to be left out. */
  private async writeRows(id: string, rows: readonly EventRow[]): Promise<WrittenSegment["rejected"]> {
    const reason = await this.attempt(id, rows);
    if (reason === null) return [];
    await this.checkEngine(id, rows[0]!);
    const rejected = await this.findRefused(id, rows, reason);
    const refused = new Set(rejected.map(({ row }) => row));
    const rest = rows.filter((row) => !refused.has(row));
    // What passes in halves may still fail as a whole; then the search goes on with what is left.
    return rest.length === 0 ? rejected : [...rejected, ...(await this.writeRows(id, rest))];
  }

  /** Halves rows that fail together until single rows are left. */
  private async findRefused(
    id: string,
    rows: readonly EventRow[],
    reason: string,
  ): Promise<WrittenSegment["rejected"]> {
    if (rows.length === 1) return [{ row: rows[0]!, reason }];
    const middle = rows.length >> 1;
    const rejected: WrittenSegment["rejected"] = [];
    for (const half of [rows.slice(0, middle), rows.slice(middle)]) {
      const failure = await this.attempt(id, half);
      if (failure !== null) rejected.push(...(await this.findRefused(id, half, failure)));
    }
    if (rejected.length === 0) throw new Error(`fails as a whole, not in halves: ${reason}`);
    return rejected;
  }

  /** A row that must pass: when it does not, the engine is at fault and no row may be blamed. */
  private async checkEngine(id: string, model: EventRow): Promise<void> {
    const nil = "00000000-0000-0000-0000-000000000000";
    const texts = { event: "control", distinctId: "control", properties: "{}", elementsChain: "" };
    const control = { teamId: 1, uuid: nil, personId: nil, ...texts };
    const failure = await this.attempt(id, [{ ...model, ...control, timestampMs: 0, createdAtMs: 0, ordinal: 0 }]);
    if (failure !== null) throw new Error(`storage refuses every row: ${failure}`);
  }

  /** Writes the file; null when it holds every row, else why the data was refused. */
  private async attempt(id: string, rows: readonly EventRow[]): Promise<string | null> {
    const raw = await writeRaw(rawPath(this.directory, id), rows);
    const target = sqlString(temporary(rowsPath(this.directory, id)));
    const rowGroup = rowGroupSize(raw.sizeBytes / rows.length);
    try {
      const result = await this.engine.run(`copy (${SELECT_ROWS} from ${raw.reader(RAW_COLUMNS)}) to ${target}
        (format parquet, compression zstd, compression_level 1, row_group_size ${rowGroup}, use_tmp_file false)`);
      const written = Number(result[0]?.[0]);
      return written === rows.length ? null : `${written} rows were written of ${rows.length}`;
    } catch (error) {
      if (isEnvironmentError(error)) throw error;
      return describeError(error).split("\n", 1)[0]!;
    }
  }

  private async factsOf(
    id: string,
    rows: readonly EventRow[],
    o: { generation: number; level: number; partitions: number[] },
  ): Promise<SegmentFacts> {
    const teams = teamRanges(rows);
    return {
      id,
      kind: "events",
      squashedThrough: 0,
      level: o.level,
      teamId: teams.length === 1 ? teams[0]!.teamId : null,
      generation: o.generation,
      rowCount: rows.length,
      sizeBytes: await segmentBytes(this.directory, id),
      minMs: Math.min(...teams.map((team) => team.minMs)),
      maxMs: Math.max(...teams.map((team) => team.maxMs)),
      teams,
      partitions: o.partitions,
    };
  }
}

/** Stable: rows of a project keep their order. */
function sortByTeam(rows: readonly EventRow[]): readonly EventRow[] {
  const isSorted = rows.every((row, i) => i === 0 || rows[i - 1]!.teamId <= row.teamId);
  return isSorted ? rows : rows.toSorted((a, b) => a.teamId - b.teamId);
}

function teamRanges(rows: readonly EventRow[]): TeamRange[] {
  const teams: TeamRange[] = [];
  rows.forEach(({ teamId, timestampMs }, i) => {
    const last = teams.at(-1);
    if (last?.teamId === teamId) {
      last.rowCount++;
      last.minMs = Math.min(last.minMs, timestampMs);
      last.maxMs = Math.max(last.maxMs, timestampMs);
    } else teams.push({ teamId, rowStart: i, rowCount: 1, minMs: timestampMs, maxMs: timestampMs });
  });
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

async function writeRaw(path: string, rows: readonly EventRow[]): Promise<RawFile> {
  const raw = await RawFile.create(path);
  try {
    for (const row of rows) {
      const head = rawHead(row);
      if (!raw.hasRoom(head, row.properties)) await raw.flush(head, row.properties);
      raw.add(head, row.properties);
    }
    await raw.flush();
  } finally {
    await raw.close();
  }
  return raw;
}

function rawHead(row: EventRow): string {
  const { teamId, uuid, personId, timestampMs, createdAtMs, ordinal } = row;
  const event = JSON.stringify(row.event);
  const distinctId = JSON.stringify(row.distinctId);
  const lane = LANE_NUMBER[row.lane];
  const mode = row.flags & EventFlag.Personless ? PERSON_MODE_NUMBER.propertyless : PERSON_MODE_NUMBER.full;
  const elements = JSON.stringify(row.elementsChain);
  return `${teamId}${FIELD}${uuid}${FIELD}${event}${FIELD}${distinctId}${FIELD}${personId}${FIELD}${timestampMs}${FIELD}${createdAtMs}${FIELD}${lane}${FIELD}${ordinal}${FIELD}${mode}${FIELD}${elements}${FIELD}`;
}
