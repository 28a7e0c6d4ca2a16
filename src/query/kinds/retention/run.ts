import { askTree, type Told } from "../../insight/answer.ts";
import { isEmpty } from "../../insight/axis.ts";
import { earliestEvent } from "../../insight/ranges.ts";
import type { QueryContext } from "../../source/context.ts";
import { checkZone } from "../../time/zone.ts";
import type { QueryResponse } from "../kind.ts";
import type { RetentionQuery } from "./node.ts";
import { areWide, planRetention, type RetentionPlan } from "./plan.ts";
import { itemsOf, type RetentionItem, type RetentionRow } from "./result.ts";
import { retentionTree } from "./tree.ts";

/** `hogql` gives a row for each cohort that is not empty, or for each of its columns that is not. */
export interface RetentionResponse extends QueryResponse, Told {
  results: RetentionItem[];
  /** Whether values of a breakdown were put together. */
  hasMore: boolean;
}

/** The plan of a node, for which the first event may be looked up. Errors: as of `runRetention`. */
export async function plannedRetention(query: RetentionQuery, context: QueryContext): Promise<RetentionPlan> {
  checkZone(context.timezone);
  const entities = [query.target, query.returning];
  return planRetention(query, context, await earliestEvent(query, entities, context));
}

const rowsOfCohort = (plan: RetentionPlan): number =>
  (areWide(plan) ? 1 : plan.columns.length + 1) * (plan.breakdown === null ? 1 : plan.breakdownLimit + 1);

/**
 * Answers a RetentionQuery: plan, one statement, items.
 * Errors: TerminalError `invalid_query` and `invalid_hogql`, and those of `Lake.query`.
 */
export async function runRetention(query: RetentionQuery, context: QueryContext): Promise<RetentionResponse> {
  const plan = await plannedRetention(query, context);
  const { range, buckets } = plan.cohorts;
  const maxRows = buckets!.starts.length * rowsOfCohort(plan);
  const asked = { maxRows: Math.max(maxRows, 1), isEmpty: isEmpty(plan.cohorts), range };
  const { rows, told } = await askTree<RetentionRow>(retentionTree(plan), asked, context);
  return { ...itemsOf(plan, rows), ...told };
}
