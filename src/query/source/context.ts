import type { Lake } from "../../lake/mod.ts";
import type { Json } from "../../types/mod.ts";
import type { Expression } from "../hogql/syntax/tree.ts";
import type { TextLimits } from "../shape/textLimits.ts";
import type { Calendar } from "../time/dates.ts";
import type { QueryRecords } from "./records.ts";

/** Who asks, when, and within which limits. */
export interface QueryContext extends Calendar {
  teamId: number;
  /** IANA name of the environment's zone: days, weeks and shown times are of it. */
  timezone: string;
  /** 0 Sunday, 1 Monday. */
  weekStartDay: 0 | 1;
  nowMs: number;
  lake: Lake;
  limits: { timeoutMs: number; maxRows: number; text: TextLimits };
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
  /** The tree of a HogQL text inside of the node's filters, maths and breakdowns; `runQuery` adds it. */
  parsed?: (text: string) => Expression;
}

/** Of what people made for everyone's questions (cohorts, actions, filters of test accounts): it may name what the question may not. */
export const insideOf = (context: QueryContext): QueryContext =>
  context.records.inside === undefined ? context : { ...context, records: context.records.inside };
