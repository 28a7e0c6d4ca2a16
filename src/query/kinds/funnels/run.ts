import { askTree, type TreeAnswer } from "../../insight/answer.ts";
import { isEmpty } from "../../insight/axis.ts";
import { earliestEvent } from "../../insight/ranges.ts";
import type { QueryContext } from "../../source/context.ts";
import { checkZone, formatIso } from "../../time/zone.ts";
import type { QueryResponse } from "../kind.ts";
import type { FunnelsQuery } from "./node.ts";
import { type FunnelPlan, planFunnels } from "./plan.ts";
import {
  type FunnelSeries,
  type FunnelStep,
  type FunnelTimes,
  stepResults,
  timeResults,
  trendResults,
} from "./result.ts";
import { funnelTree, maxRowsOf } from "./tree.ts";

/** What each way to show a funnel answers. */
export type FunnelResults = FunnelStep[] | FunnelStep[][] | FunnelSeries[] | FunnelTimes | FunnelTimes[];

/** `hogql` gives the numbers as they are counted. */
export interface FunnelsResponse extends QueryResponse, Omit<TreeAnswer<never>["told"], "timings" | "error"> {
  results: FunnelResults;
  resolved_date_range: { date_from: string; date_to: string };
}

/** The plan of a node, which may have to look for the first event. Errors: TerminalError `invalid_query`, and those of `Lake.query`. */
export async function plannedFunnels(query: FunnelsQuery, context: QueryContext): Promise<FunnelPlan> {
  checkZone(context.timezone);
  return planFunnels(query, context, await earliestEvent(query, query.series, context));
}

/**
 * Answers a FunnelsQuery: plan, one statement, results.
 * Errors: TerminalError `invalid_query` and `invalid_hogql`, and those of `Lake.query`.
 */
export async function runFunnels(query: FunnelsQuery, context: QueryContext): Promise<FunnelsResponse> {
  const plan = await plannedFunnels(query, context);
  const { from, to } = plan.periods[0]!.range;
  const asked = { maxRows: maxRowsOf(plan), isEmpty: plan.periods.every(isEmpty) };
  const { rows, told } = await askTree<(number | string | null)[]>(funnelTree(plan), asked, context);
  return {
    results: resultsOf(plan, rows),
    ...told,
    resolved_date_range: { date_from: formatIso(from), date_to: formatIso(to) },
  };
}

function resultsOf(plan: FunnelPlan, rows: (number | string | null)[][]): FunnelResults {
  if (plan.shape === "trends") return trendResults(plan, rows);
  return plan.shape === "steps" ? stepResults(plan, rows) : timeResults(plan, rows);
}
