import { askTree } from "../../insight/answer.ts";
import { bucketCount, isEmpty } from "../../insight/axis.ts";
import { earliestEvent } from "../../insight/ranges.ts";
import type { QueryContext } from "../../source/context.ts";
import { checkZone } from "../../time/zone.ts";
import { answerOf } from "./answer.ts";
import { isCalendar, runCalendar } from "./calendar.ts";
import type { TrendsQuery } from "./node.ts";
import { planTrends, type TrendsPlan } from "./plan.ts";
import type { TrendsResponse } from "./result.ts";
import { rowsOf } from "./rows.ts";
import { trendsTree } from "./tree.ts";

/**
 * Answers a TrendsQuery: plan, one statement (of a calendar several), items.
 * Errors: TerminalError `invalid_query` and `invalid_hogql`, and those of `Lake.query`.
 */
export function runTrends(query: TrendsQuery, context: QueryContext): Promise<TrendsResponse> {
  return isCalendar(query) ? runCalendar(query, context, runPlan) : runPlan(query, context);
}

async function runPlan(query: TrendsQuery, context: QueryContext): Promise<TrendsResponse> {
  checkZone(context.timezone);
  const plan = planTrends(query, context, await earliestEvent(query, query.series, context));
  const tree = plan.lines.length === 0 ? null : trendsTree(plan);
  const asked = { maxRows: maxRowsOf(plan), isEmpty: plan.periods.every(isEmpty), range: plan.periods[0]!.range };
  const { rows, told } = await askTree<unknown[]>(tree?.query ?? null, asked, context);
  return {
    ...answerOf(plan, tree === null ? [] : rowsOf(plan, tree, rows)),
    ...told,
  };
}

function maxRowsOf({ lines, periods, breakdown, breakdownLimit }: TrendsPlan): number {
  const buckets = Math.max(...periods.map(bucketCount));
  return lines.length * buckets * (breakdown === null ? 1 : breakdownLimit + 1);
}
