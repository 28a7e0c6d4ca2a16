import type { Lake } from "../../lake/mod.ts";
import type { Json } from "../../types/mod.ts";
import type { Sql } from "../sql/sql.ts";
import type { Calendar } from "../time/dates.ts";
import type { EventsTable } from "./events.ts";
import type { QueryRecords } from "./records.ts";

/** A HogQL expression inside of a node, and what it is wanted as. */
export interface EmbeddedHogql {
  text: string;
  use: "condition" | "text" | "aggregate";
  events: EventsTable;
  place: string;
}

export type CompileEmbedded = (hogql: EmbeddedHogql, context: QueryContext) => Sql;

/** Who asks, when, and within which limits. */
export interface QueryContext extends Calendar {
  teamId: number;
  /** IANA name of the environment's zone: days, weeks and shown times are of it. */
  timezone: string;
  /** 0 Sunday, 1 Monday. */
  weekStartDay: 0 | 1;
  nowMs: number;
  lake: Lake;
  limits: { timeoutMs: number; maxRows: number; textMaxBytes: number };
  /** `dau` counts distinct ids instead of persons. */
  aggregateByDistinctId?: boolean;
  /** What `filterTestAccounts` filters by; none where absent. */
  testAccountFilters?: Json;
  /** Rules of the environment for `is_cleaned_path_exact`: `[{regex, alias}]`. */
  pathCleaningFilters?: Json;
  /** Properties of a person of which the first that is there names it; PostHog's where absent. */
  personDisplayNameProperties?: readonly string[] | null;
  /** Definitions, cohorts and actions of the project. */
  records: QueryRecords;
  signal?: AbortSignal;
  /** When the answer must be there, parsing and all statements together, of `performance.now()`; `runQuery` adds it. */
  endsAtMs?: number;
  /** Compiles the HogQL inside of the node's filters, maths and breakdowns; `runQuery` adds it. */
  embedded?: CompileEmbedded;
}
