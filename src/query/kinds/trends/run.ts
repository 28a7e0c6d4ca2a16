import { bucketCount, isEmpty } from "../../insight/axis.ts";
import { exists, namesOf } from "../../insight/series.ts";
import type { QueryContext } from "../../source/context.ts";
import { EventsTable } from "../../source/events.ts";
import { SESSION_MAX_MS } from "../../source/sessions.ts";
import { runStatement, selectRows } from "../../source/statement.ts";
import { sql } from "../../sql/sql.ts";
import type { Span } from "../../time/dates.ts";
import { checkZone, formatIso } from "../../time/zone.ts";
import type { QueryResponse } from "../kind.ts";
import { answerOf } from "./answer.ts";
import { hogqlOf } from "./hogql.ts";
import type { TrendsQuery } from "./node.ts";
import { needsEarliest, planTrends, type TrendsPlan } from "./plan.ts";
import type { TrendsItem, TrendsRow } from "./result.ts";
import { trendsStatement } from "./statement.ts";

export interface TrendsResponse extends QueryResponse {
  results: TrendsItem[];
  /** Whether values of a breakdown were put together. */
  hasMore: boolean;
  /** HogQL that gives the same numbers; absent where there is none so simple. */
  hogql?: string;
  /** How questions are answered, in PostHog's words; these are not for a query to choose. */
  modifiers: Record<string, string>;
  resolved_date_range: { date_from: string; date_to: string };
}

const MODIFIERS = { personsOnEventsMode: "person_id_override_properties_joined" };

/**
 * Answers a TrendsQuery: plan, one statement, items.
 * Errors: TerminalError `invalid_query` and `invalid_hogql`, and those of `Lake.query`.
 */
export async function runTrends(query: TrendsQuery, context: QueryContext): Promise<TrendsResponse> {
  checkZone(context.timezone);
  const earliestMs = needsEarliest(query) ? await earliestEvent(query, context) : null;
  const plan = planTrends(query, context, earliestMs);
  const { from, to } = plan.periods[0]!.range;
  const hogql = hogqlOf(plan);
  const response = {
    ...(hogql !== null && { hogql }),
    modifiers: MODIFIERS,
    error: null,
    resolved_date_range: { date_from: formatIso(from), date_to: formatIso(to) },
  };
  if (plan.lines.length === 0) return { ...answerOf(plan, []), timings: [], ...response };
  const statement = trendsStatement(plan);
  if (plan.periods.every(isEmpty)) return { ...answerOf(plan, []), timings: [], ...response };
  const outcome = await runStatement(statement, { span: filesOf(plan), maxRows: maxRowsOf(plan) }, context);
  const rows = JSON.parse(outcome.rowsJson) as TrendsRow[];
  return {
    ...answerOf(plan, rows),
    timings: [{ k: "query", t: outcome.elapsedMs / 1000 }],
    ...response,
  };
}

/** The time whose files must be at hand: whole sessions where some are looked at. */
function filesOf({ span: { fromMs, toMs }, sessions }: TrendsPlan): Span {
  const marginMs = sessions.isRead ? SESSION_MAX_MS : 0;
  return { fromMs: fromMs === null ? null : fromMs - marginMs, toMs: toMs + marginMs };
}

function maxRowsOf({ lines, periods, breakdown, breakdownLimit }: TrendsPlan): number {
  const buckets = Math.max(...periods.map(bucketCount));
  return lines.length * buckets * (breakdown === null ? 1 : breakdownLimit + 1);
}

/** Time of the first event that a series may count, for a range of `all`; null where there is none. */
async function earliestEvent(query: TrendsQuery, context: QueryContext): Promise<number | null> {
  const events = new EventsTable("e");
  const nodes = query.series.filter((node) => exists(node, context));
  const where = namesOf(nodes, events);
  const statement = sql`SELECT epoch_ms(min(${events.column("timestamp")})) FROM ${events.from()} WHERE ${where}`;
  const options = { span: { fromMs: null, toMs: null }, maxRows: 1 };
  const [row] = await selectRows<[number | null]>(statement, options, context);
  return row?.[0] ?? null;
}
