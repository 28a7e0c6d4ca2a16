import type { SqlValue } from "../engine/mod.ts";
import type { WalkLimits, WalkStatement } from "../walking/mod.ts";

/** How a query process is set up; travels as its argument. */
export interface ProcessSettings {
  /** The folder that the process works in; it reads nothing there. */
  workDirectory: string;
  /** Of DuckDB, and of walks. */
  threads: number;
  walks: WalkLimits;
  /** DuckDB's own limit. */
  memoryLimitBytes: number;
  /** The process ends itself above it. */
  processLimitBytes: number;
  spillDirectory: string;
  spillLimitBytes: number;
}

/** One question, ready to run. */
export interface Statement {
  teamId: number;
  /** Locations of all files of the project: nothing else on the machine can be read. */
  readable: string[];
  /** Those of them that the text reads. */
  files: string[];
  /** Locations of all journeys of the project: others do not stay open. */
  journeys: string[];
  text: string;
  params: SqlValue[];
  /** Each may read the tables of those before it. */
  walks: WalkStatement[];
  maxRows: number;
  maxResultBytes: number;
  /** Where the rows go when their text is long; null where they are wanted at once. */
  longPath: string | null;
}

/** A result with its rows as JSON text: an array of arrays. Where that is long, it is in a file instead. */
export interface StatementResult {
  /** Of its columns, by DuckDB's names. */
  types: string[];
  rowsJson: string;
  /** Bytes of the file; null where the text is `rowsJson`. */
  longBytes: number | null;
  rowCount: number;
  /** There are more than `maxRows`. */
  hasMore: boolean;
  elapsedMs: number;
}

/** How far a running statement is, as DuckDB reckons it. */
export interface StatementProgress {
  /** Of files, and of intermediate results. */
  rowsRead: number;
  /** An estimate, which may change while it runs. */
  rowsTotal: number;
}

export type ToProcess = { kind: "run"; id: number; statement: Statement } | { kind: "cancel" };

export type FromProcess =
  | { kind: "ready" }
  | { kind: "progress"; id: number; progress: StatementProgress }
  | { kind: "result"; id: number; result: StatementResult }
  | { kind: "error"; id: number; code: QueryErrorCode; message: string; detail?: string };

export type QueryErrorCode =
  | "query_failed"
  | "query_memory"
  | "query_interrupted"
  | "result_too_large"
  | "segment_unreadable"
  | "query_io_failed"
  | "query_engine_failed";
