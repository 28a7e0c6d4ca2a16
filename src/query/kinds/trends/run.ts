import { compileTree } from "../../hogql/mod.ts";
import { and, call, constant, field, from, select } from "../../hogql/syntax/build.ts";
import { printQuery } from "../../hogql/syntax/print.ts";
import type { Query } from "../../hogql/syntax/tree.ts";
import { bucketCount, isEmpty } from "../../insight/axis.ts";
import { exists, namesOf } from "../../insight/series.ts";
import type { QueryContext } from "../../source/context.ts";
import { runStatement, selectRows } from "../../source/statement.ts";
import { checkZone, formatIso } from "../../time/zone.ts";
import type { QueryResponse } from "../kind.ts";
import { answerOf } from "./answer.ts";
import type { TrendsQuery } from "./node.ts";
import { needsEarliest, planTrends, type TrendsPlan } from "./plan.ts";
import type { TrendsItem } from "./result.ts";
import { rowsOf } from "./rows.ts";
import { trendsTree } from "./tree.ts";

export interface TrendsResponse extends QueryResponse {
  results: TrendsItem[];
  /** Whether values of a breakdown were put together. */
  hasMore: boolean;
  /** HogQL that gives the numbers before formulas, smoothing and running sums; absent where no series is left. */
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
  const tree = plan.lines.length === 0 ? null : trendsTree(plan);
  const response = {
    ...(tree !== null && { hogql: textOf(tree.query, plan) }),
    modifiers: MODIFIERS,
    error: null,
    resolved_date_range: { date_from: formatIso(from), date_to: formatIso(to) },
  };
  if (tree === null) return { ...answerOf(plan, []), timings: [], ...response };
  const compiled = compileTree(tree.query, context);
  // What is asked of no time at all is compiled for its errors only.
  if (plan.periods.every(isEmpty)) return { ...answerOf(plan, []), timings: [], ...response };
  const outcome = await runStatement(compiled.sql, { span: compiled.span, maxRows: maxRowsOf(plan) }, context);
  return {
    ...answerOf(plan, rowsOf(plan, tree, JSON.parse(outcome.rowsJson))),
    timings: [{ k: "query", t: outcome.elapsedMs / 1000 }],
    ...response,
  };
}

/** The text of a tree. It says how many rows there may be: without that HogQL gives fewer. */
const textOf = (tree: Query, plan: TrendsPlan): string =>
  printQuery({ ...tree, limit: constant(Math.min(maxRowsOf(plan), plan.context.limits.maxRows)) });

function maxRowsOf({ lines, periods, breakdown, breakdownLimit }: TrendsPlan): number {
  const buckets = Math.max(...periods.map(bucketCount));
  return lines.length * buckets * (breakdown === null ? 1 : breakdownLimit + 1);
}

/** Time of the first event that a series may count, for a range of `all`; null where there is none. */
async function earliestEvent(query: TrendsQuery, context: QueryContext): Promise<number | null> {
  const nodes = query.series.filter((node) => exists(node, context));
  const earliest = call("toUnixTimestamp64Milli", call("min", field("timestamp")));
  const tree = select([earliest], { select_from: from("events"), where: and(namesOf(nodes)) });
  const { sql, span } = compileTree(tree, context);
  const [row] = await selectRows<[number | null]>(sql, { span, maxRows: 1 }, context);
  return row?.[0] ?? null;
}
