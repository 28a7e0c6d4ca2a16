import type { Program } from "../../walk/mod.ts";

/** A parameter of a query. A list is bound as LIST of its elements' type; an empty one as LIST(VARCHAR). */
export type SqlValue = string | number | bigint | boolean | null | SqlValue[];

/**
 * A walk that a statement reads as a table, with columns named c0, c1, … in the order of `Program`. Its text is one SELECT of
 * columns named `actor` (any type; rows without one are left out), `timestamp` TIMESTAMP, `steps` INTEGER, `excluded` INTEGER
 * where there are exclusions, and `value` (any type) with a breakdown; in any order.
 */
export interface WalkStatement {
  table: string;
  text: string;
  params: SqlValue[];
  program: Program;
  /** What journeys hold of its rows; null where the text reads all. */
  journeys: JourneyWalk | null;
}

/** The rows of a walk that journeys hold (`journeys/DESIGN.md`); its own text reads the other files alone. */
export interface JourneyWalk {
  files: { location: string; isStale: boolean }[];
  /** Other files have rows, too. */
  hasOthers: boolean;
  /** Numbers of persons are below it. */
  persons: number;
  /** Some persons have no number: `actor` is a struct of `number` and `id`. Else it is the number. */
  hasUnnumbered: boolean;
  /** The table of `moved` INTEGER, `number` INTEGER and `unnumbered` UUID for persons of stale files; null where none has moved. */
  moved: string | null;
  /** The table of `number` and `person_id`, where the walk's table has actors by their ids. */
  ids: string | null;
  marks: JourneyMarks;
}

/**
 * Which rows of journeys are read, and what they are. By `name`: a SELECT of `event`, `steps` and `excluded` from the table
 * `journey_names`, whose only column is `event`, and times in epoch ms, both ends included. By `place`: a SELECT of `place` (the
 * file's place in the list, shifted by 32 bits, and the row's place in the file), `steps`, `excluded` and `value` from these files.
 */
export type JourneyMarks = { text: string; params: SqlValue[] } & (
  | { by: "name"; fromMs: number | null; toMs: number | null }
  | { by: "place" }
);

/** How a query process is set up; travels as its argument. */
export interface ProcessSettings {
  /** The folder that the process works in; it reads nothing there. */
  workDirectory: string;
  threads: number;
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
