import { mkdirSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { assert, describeError } from "../../types/mod.ts";
import type { Catalog, SnapshotSegment, StoredSpan } from "../catalog/mod.ts";
import type { SqlValue } from "../engine/mod.ts";
import { type Relations, relationsOf } from "../reading/mod.ts";
import { type Locator, locationsOf, type SegmentStore, spillDirectory, sweepSpills } from "../storage/mod.ts";
import { WALK_LIMITS, type WalkLimits, type WalkStatement } from "../walking/mod.ts";
import { JsonFile } from "./jsonFile.ts";
import { KeyUses } from "./keyUses.ts";
import type { StatementResult } from "./messages.ts";
import type { OnProgress } from "./queryChild.ts";
import { cancelled, QueryPool, timedOut } from "./queryPool.ts";
import { SharedPin } from "./sharedPin.ts";

export interface LakeQuery {
  teamId: number;
  /** Files without rows in it are not opened; the SQL keeps its own exact condition. Epoch milliseconds, inclusive. */
  range: { fromMs: number | null; toMs: number | null };
  /** Only events that were stored then, by `ArrivalWatch`; all where absent. */
  stored?: StoredSpan | undefined;
  /**
   * Given what the snapshot offers, gives one SELECT with `$1…` parameters.
   * A parameter alone in an expression needs a cast (`$1::VARCHAR`), or the columns have no names yet. Walks are done before,
   * in their order; each is a table that the ones behind it and the text can read.
   */
  sql: (relations: Relations) => { text: string; params: SqlValue[]; walks?: WalkStatement[] };
  /** From now, waiting included. */
  deadlineMs: number;
  maxRows: number;
  /** Rows whose text is above 1 MB come as a file, which the caller then removes. */
  longRows?: boolean;
  signal?: AbortSignal | undefined;
  /** Told now and then while the statement runs long. */
  onProgress?: OnProgress | undefined;
}

export interface QueryOutcome extends Omit<StatementResult, "longBytes"> {
  /** The rows, where they are long and were asked for so; `rowsJson` is empty then. */
  rowsFile?: JsonFile;
  /** Files that the query could read. */
  files: number;
  /** Top-level keys of events' properties that it read. */
  keys: readonly string[];
}

/** The door for queries: each sees one snapshot of one project. */
export interface Lake {
  /**
   * Runs one query. Errors: RetryableError `queries_busy`, `query_process_died`, `segment_missing`, `query_io_failed`, `s3_unreachable`, `s3_refused`;
   * TerminalError `query_timeout`, `query_cancelled`, `query_memory`, `result_too_large`, `query_failed` (its message is for
   * the user); `segment_unreadable` and `query_engine_failed` are of the service's own, and logged.
   */
  query(query: LakeQuery): Promise<QueryOutcome>;
  close(): Promise<void>;
}

export interface LakeOptions {
  config: {
    queryProcesses: number;
    queryMemoryBytes: number;
    querySpillBytes: number;
    queryQueueMax: number;
    queryProjectQueueMax: number;
    queryMaxResultBytes: number;
  };
  catalog: Pick<Catalog, "noteKeyUses" | "readSnapshot" | "holdFiles" | "unpin">;
  storage: SegmentStore;
  /** For spilling and process ids. */
  runDirectory: string;
  /** Of each query process; as many as the machine has where absent. */
  threads?: number;
  /** The usual ones where absent. */
  walks?: WalkLimits;
  log(message: string): void;
}

/** A pin outlives its query's deadline by this much: time to kill it. */
const PIN_MARGIN_MS = 10_000;

export function openLake(options: LakeOptions): Lake {
  return new LocalLake(options);
}

class LocalLake implements Lake {
  private readonly pool: QueryPool;
  private readonly keyUses: KeyUses;
  private readonly pin: SharedPin;
  /** Where long results are written. */
  private readonly longDirectory: string;

  constructor(private readonly options: LakeOptions) {
    const { config, storage, runDirectory, log } = options;
    mkdirSync(storage.workDirectory, { recursive: true });
    this.longDirectory = spillDirectory(runDirectory);
    mkdirSync(this.longDirectory, { recursive: true });
    // Of processes that were killed.
    void sweepSpills(runDirectory).catch((error) => log(`removing what was spilled: ${describeError(error)}`));
    this.keyUses = new KeyUses({ catalog: options.catalog, now: () => Date.now(), log });
    this.pin = new SharedPin({ catalog: options.catalog, log });
    this.pool = new QueryPool({
      storage,
      runDirectory,
      processes: config.queryProcesses,
      memoryBytes: config.queryMemoryBytes,
      spillBytes: config.querySpillBytes,
      queueMax: config.queryQueueMax,
      projectQueueMax: config.queryProjectQueueMax,
      threads: options.threads ?? navigator.hardwareConcurrency,
      walks: options.walks ?? WALK_LIMITS,
      log,
    });
  }

  async query(query: LakeQuery): Promise<QueryOutcome> {
    const { catalog, config, storage } = this.options;
    const { teamId, range, stored, deadlineMs, maxRows, longRows, signal, onProgress } = query;
    const longPath = longRows === true ? join(this.longDirectory, crypto.randomUUID()) : null;
    const startedAtMs = performance.now();
    return this.pin.during(deadlineMs + PIN_MARGIN_MS, async () => {
      const snapshot = await catalog.readSnapshot({ teamId, ...range, stored });
      const named = new NamedFiles(storage);
      const relations = relationsOf(snapshot, named);
      const { text, params, walks = [] } = query.sql(relations);
      const { segments, logs, roster, outside } = snapshot;
      checkRange(segments, range);
      const all = locationsOf(storage, [...segments, ...logs, ...(roster === null ? [] : [roster])]);
      const readable = [...all, ...locationsOf(storage, outside)];
      const files = all.filter((location) => named.locations.has(location));
      const read = walks.flatMap((walk) => walk.journeys?.files.map(({ location }) => location) ?? []);
      const journeys = [...segments, ...outside].flatMap(({ id, hasJourney }) =>
        hasJourney ? [storage.locate({ id, part: "journey" })] : [],
      );
      const { queryMaxResultBytes: maxResultBytes } = config;
      const statement = { teamId, readable, files, journeys, text, params, walks, maxRows, maxResultBytes, longPath };
      const run = () => this.pool.run({ statement, deadlineMs, startedAtMs, signal, onProgress });
      const held = [...files, ...read];
      const { longBytes, ...result } = await inTime(query, (signal) => storage.hold(held, run, { signal }));
      const keys = [...relations.readKeys];
      this.keyUses.note(teamId, keys);
      const rowsFile = longPath === null || longBytes === null ? {} : { rowsFile: new JsonFile(longPath, longBytes) };
      return { ...result, ...rowsFile, files: all.length, keys };
    });
  }

  async close(): Promise<void> {
    await this.keyUses.close();
    await this.pool.close();
    await this.pin.close();
    await rm(this.longDirectory, { recursive: true, force: true });
  }
}

/** Which files a text names: a store elsewhere brings no others to this machine. */
class NamedFiles implements Locator {
  readonly locations = new Set<string>();

  constructor(private readonly store: Locator) {}

  locate(file: Parameters<Locator["locate"]>[0]): string {
    const location = this.store.locate(file);
    this.locations.add(location);
    return location;
  }
}

/** `body` is given a signal that ends the wait for files, with the errors that a query has then. */
async function inTime<T>(
  { deadlineMs, signal }: Pick<LakeQuery, "deadlineMs" | "signal">,
  body: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const over = new AbortController();
  const cancel = () => over.abort(cancelled());
  if (signal?.aborted) cancel();
  const timer = setTimeout(() => over.abort(timedOut(deadlineMs)), deadlineMs);
  signal?.addEventListener("abort", cancel, { once: true });
  try {
    return await body(over.signal);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", cancel);
  }
}

/** Throws AssertionFailed unless each file has events in the range. */
function checkRange(segments: readonly SnapshotSegment[], { fromMs, toMs }: LakeQuery["range"]): void {
  for (const { id, minMs, maxMs } of segments) {
    const isInside = maxMs >= (fromMs ?? Number.NEGATIVE_INFINITY) && minMs <= (toMs ?? Number.POSITIVE_INFINITY);
    assert(isInside, () => `segment ${id} has no events from ${fromMs} to ${toMs}`);
  }
}
