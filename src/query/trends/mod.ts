import type { QueryContext } from "../context.ts";
import { EventsTable } from "../events.ts";
import type { TrendsQuery } from "../nodes.ts";
import { render, sql } from "../sql.ts";
import { checkZone, formatIso } from "../zone.ts";
import { namesOf, needsEarliest, planTrends } from "./plan.ts";
import { type TrendsItem, type TrendsRow, trendsItems } from "./result.ts";
import { trendsStatement } from "./statement.ts";

export type { TrendsItem } from "./result.ts";

export interface TrendsResponse {
  results: TrendsItem[];
  hasMore: boolean;
  timings: { k: string; t: number }[];
  error: null;
  resolved_date_range: { date_from: string; date_to: string };
}

/**
 * Answers a TrendsQuery: plan, one statement, items.
 * Errors: TerminalError `invalid_query`, and those of `Lake.query`.
 */
export async function runTrends(query: TrendsQuery, context: QueryContext): Promise<TrendsResponse> {
  checkZone(context.timezone);
  const earliestMs = needsEarliest(query) ? await earliestEvent(query, context) : null;
  const plan = planTrends(query, context, earliestMs);
  const statement = trendsStatement(plan);
  const response = {
    hasMore: false,
    error: null,
    resolved_date_range: { date_from: formatIso(plan.range.from), date_to: formatIso(plan.range.to) },
  };
  const isEmpty = plan.series.length === 0 || plan.buckets?.starts.length === 0 || plan.fromMs > plan.toMs;
  if (isEmpty) return { results: trendsItems(plan, []), timings: [], ...response };
  const outcome = await context.lake.query({
    teamId: context.teamId,
    range: { fromMs: plan.fromMs, toMs: plan.toMs },
    sql: (relations) => render(statement, relations),
    deadlineMs: context.limits.timeoutMs,
    maxRows: plan.series.length * (plan.buckets?.starts.length ?? 1),
    signal: context.signal,
  });
  const rows = JSON.parse(outcome.rowsJson) as TrendsRow[];
  return { results: trendsItems(plan, rows), timings: [{ k: "query", t: outcome.elapsedMs / 1000 }], ...response };
}

/** Time of the first event that a series may count, for a range of `all`; null where there is none. */
async function earliestEvent(query: TrendsQuery, context: QueryContext): Promise<number | null> {
  const events = new EventsTable("e");
  const where = namesOf(query.series, events);
  const statement = sql`SELECT epoch_ms(min(${events.column("timestamp")})) FROM ${events.from()} WHERE ${where}`;
  const outcome = await context.lake.query({
    teamId: context.teamId,
    range: { fromMs: null, toMs: null },
    sql: (relations) => render(statement, relations),
    deadlineMs: context.limits.timeoutMs,
    maxRows: 1,
    signal: context.signal,
  });
  const [row] = JSON.parse(outcome.rowsJson) as [number | null][];
  return row?.[0] ?? null;
}
