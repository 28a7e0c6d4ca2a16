import { askTree, type Told } from "../../insight/answer.ts";
import { bucketAt } from "../../insight/behind.ts";
import { earliestEvent } from "../../insight/ranges.ts";
import { exists } from "../../insight/series.ts";
import { invalidQuery } from "../../shape/errors.ts";
import { shown } from "../../shape/shapes.ts";
import type { QueryContext } from "../../source/context.ts";
import { checkZone } from "../../time/zone.ts";
import type { ActorRows, QueryResponse, ReadActors } from "../kind.ts";
import { type LifecycleQuery, readPart, STATUSES } from "./node.ts";
import { type LifecyclePlan, planLifecycle } from "./plan.ts";
import { type LifecycleItem, type LifecycleRow, lifecycleItems } from "./result.ts";
import { lifecycleActors, lifecycleTree } from "./tree.ts";

/** `hogql` gives the numbers of buckets and of actors before they are scaled. */
export interface LifecycleResponse extends QueryResponse, Told {
  results: LifecycleItem[];
}

async function planned(query: LifecycleQuery, context: QueryContext): Promise<LifecyclePlan> {
  checkZone(context.timezone);
  const [node] = query.series;
  if (!exists(node, context)) throw invalidQuery("series.0.id", `there is no action ${shown("id" in node && node.id)}`);
  return planLifecycle(query, context, await earliestEvent(query, query.series, context));
}

/**
 * Answers a LifecycleQuery: plan, one statement, items.
 * Errors: TerminalError `invalid_query` and `invalid_hogql`, and those of `Lake.query`.
 */
export async function runLifecycle(query: LifecycleQuery, context: QueryContext): Promise<LifecycleResponse> {
  const plan = await planned(query, context);
  const maxRows = plan.line.period.buckets!.starts.length;
  const isEmpty = plan.shown.starts.length === 0;
  const { rows, told } = await askTree<LifecycleRow>(
    lifecycleTree(plan),
    { maxRows, isEmpty, range: plan.range },
    context,
  );
  return {
    results: lifecycleItems(plan, rows),
    ...told,
  };
}

/** Who is behind the statuses of a LifecycleQuery. */
export const lifecycleActorsOf = (query: LifecycleQuery): ReadActors => ({
  async behind(node, context): Promise<ActorRows> {
    const { day, status } = readPart(node);
    const plan = await planned(query, context);
    const { line, before } = plan;
    const number = day === null ? null : bucketAt({ ...line.period, buckets: plan.shown }, day, context) + before;
    return { query: lifecycleActors(plan, { number, status }), group: plan.actorGroup, columns: [] };
  },
  async options(context) {
    const { shown: buckets } = await planned(query, context);
    return {
      day: buckets.days.map((value, i) => ({ label: buckets.labels[i]!, value })),
      status: STATUSES.toSorted().map((value) => ({ label: value[0]!.toUpperCase() + value.slice(1), value })),
    };
  },
});
