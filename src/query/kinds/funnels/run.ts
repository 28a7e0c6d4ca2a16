import { askTree, type Told } from "../../insight/answer.ts";
import { isEmpty } from "../../insight/axis.ts";
import { earliestEvent } from "../../insight/ranges.ts";
import { inside } from "../../shape/errors.ts";
import type { QueryContext } from "../../source/context.ts";
import { checkZone } from "../../time/zone.ts";
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
export interface FunnelsResponse extends QueryResponse, Told {
  results: FunnelResults;
}

/**
 * The plan of a node, which may have to look for the first event. `place`: of a node inside of another one.
 * Errors: TerminalError `invalid_query`, and those of `Lake.query`.
 */
export async function plannedFunnels(query: FunnelsQuery, context: QueryContext, place = ""): Promise<FunnelPlan> {
  checkZone(context.timezone);
  return inside(place, async () => {
    const earliestMs = await earliestEvent(query, query.series, context);
    return planFunnels(query, context, { earliestMs, place });
  });
}

/**
 * Answers a FunnelsQuery: plan, one statement, results.
 * Errors: TerminalError `invalid_query` and `invalid_hogql`, and those of `Lake.query`.
 */
export async function runFunnels(query: FunnelsQuery, context: QueryContext): Promise<FunnelsResponse> {
  const plan = await plannedFunnels(query, context);
  const { range } = plan.periods[0]!;
  const asked = { maxRows: maxRowsOf(plan), isEmpty: plan.periods.every(isEmpty), range };
  const { rows, told } = await askTree<(number | string | null)[]>(funnelTree(plan), asked, context);
  return { results: resultsOf(plan, rows), ...told };
}

function resultsOf(plan: FunnelPlan, rows: (number | string | null)[][]): FunnelResults {
  if (plan.shape === "trends") return trendResults(plan, rows);
  return plan.shape === "steps" ? stepResults(plan, rows) : timeResults(plan, rows);
}
