import { conjuncts } from "../hogql/compile/bounds.ts";
import { newCompilation } from "../hogql/compile/compiler.ts";
import { conditionsIn, eventsScope } from "../hogql/compile/embedded.ts";
import type { Expression } from "../hogql/syntax/tree.ts";
import type { QueryContext } from "../source/context.ts";
import { EventsTable } from "../source/events.ts";
import type { Period } from "./axis.ts";
import { type ALL_USERS, cohortMember } from "./breakdowns.ts";
import { type Insight, insightFilters } from "./insight.ts";
import type { SeriesMath } from "./math.ts";
import { sampled } from "./sampling.ts";
import { entityConditions, nodeFilters, type SeriesNode } from "./series.ts";

/** One of the things that an insight counts. */
export interface Series {
  node: SeriesNode;
  math: SeriesMath;
  /** For errors. */
  place: string;
}

/** One question: a series in a period, and with a breakdown by cohorts in one of them. */
export interface Line {
  series: Series;
  period: Period;
  cohort: { id: number | typeof ALL_USERS; name: string } | null;
}

/** Which events are meant, and what filters ask of them besides. */
interface Meant {
  entity: Expression[];
  filters: Expression[];
}

/** Which events a series means, of those that are sampled, and its own filters. */
export function seriesConditions({ context, samplingFactor }: Insight, { node, place }: Series): Meant {
  return {
    entity: [...entityConditions(node, context, place), ...sampled(samplingFactor)],
    filters: nodeFilters(node, context, place),
  };
}

/** Which events a line means, and all that is asked of them. */
export function lineConditions(insight: Insight, { series, cohort }: Line): Meant {
  const { entity, filters } = seriesConditions(insight, series);
  const isMember = cohort === null ? [] : cohortMember(cohort.id, insight.context, "breakdownFilter.breakdown");
  return { entity, filters: [...filters, ...insightFilters(insight), ...isMember] };
}

/** Whether the events by day tell which events meet the conditions. */
export function areOfDays(conditions: readonly Expression[], context: QueryContext): boolean {
  const events = new EventsTable("e", { days: context.timezone });
  const scope = eventsScope(events, newCompilation(context));
  const isOfDays = (condition: Expression): boolean => {
    conditionsIn([condition], scope);
    return events.isOfDays;
  };
  return conditions.flatMap(conjuncts).every(isOfDays);
}
