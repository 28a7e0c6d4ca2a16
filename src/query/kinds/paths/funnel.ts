import { alias, and, arithmetic, call, compare, constant, field, joined, select } from "../../hogql/syntax/build.ts";
import type { Expression, Join } from "../../hogql/syntax/tree.ts";
import { inside, invalidQuery, notSupported } from "../../shape/errors.ts";
import type { QueryContext } from "../../source/context.ts";
import { meantByStep } from "../funnels/actors.ts";
import type { FunnelPlan } from "../funnels/plan.ts";
import { plannedFunnels } from "../funnels/run.ts";
import { instantOf, requiredBefore, walkOf } from "../funnels/tree.ts";
import { FUNNEL_PLACE, type FunnelPaths, type PathsQuery } from "./node.ts";

/** The funnel whose actors paths are about. */
export interface PathsFunnel extends FunnelPaths {
  plan: FunnelPlan;
}

/** The funnel of a node; null where it has none. Errors: TerminalError `invalid_query`, and those of `Lake.query`. */
export async function plannedFunnel(query: PathsQuery, context: QueryContext): Promise<PathsFunnel | null> {
  const { funnelPathsFilter: filter, aggregation_group_type_index: group } = query;
  if (filter == null) return null;
  const plan = await plannedFunnels(filter.funnelSource, context, FUNNEL_PLACE);
  if (plan.aggregate !== null) {
    throw notSupported(`${FUNNEL_PLACE}.funnelsFilter.funnelAggregateByHogQL`, "the paths of what HogQL names");
  }
  if (plan.actorGroup !== (group ?? null)) {
    throw invalidQuery(`${FUNNEL_PLACE}.aggregation_group_type_index`, "must be that of the paths");
  }
  return { ...filter, plan };
}

const ms = (at: Expression): Expression => call("toUnixTimestamp64Milli", at);

/**
 * The actors of the step beside the events, as a part of FROM, and the condition that an event is of the time that is asked about.
 * `key`: what tells the actors of events apart; `isNamed`: it is what others know them by.
 */
export function ofFunnel(funnel: PathsFunnel, key: Expression, isNamed: boolean): { actors: Join; within: Expression } {
  const { since, until, conditions } = timesOf(funnel);
  const ends = [...(since === null ? [] : [alias("since", since)]), ...(until === null ? [] : [alias("until", until)])];
  const rows = select([alias("walker", field("actor")), ...ends], {
    select_from: walkOf(funnel.plan, funnel.plan.lines[0]!, isNamed),
    where: and(conditions),
  });
  const at = ms(field("timestamp"));
  const within = [
    ...(since === null ? [] : [compare(at, ">=", field("since"))]),
    ...(until === null ? [] : [compare(at, "<=", field("until"))]),
  ];
  return { actors: joined(rows, compare(key, "==", field("walkers", "walker")), "walkers"), within: and(within)! };
}

interface Times {
  /** Unix milliseconds, both included; null without an end. */
  since: Expression | null;
  until: Expression | null;
  /** Which attempts are meant. */
  conditions: Expression[];
}

function timesOf({ plan, funnelPathType: type, funnelStep }: PathsFunnel): Times {
  const { step, conditions } = inside(FUNNEL_PLACE, () => meantByStep(plan, funnelStep));
  const at = ms(instantOf(step));
  switch (type) {
    case "funnel_path_before_step":
      return { since: null, until: at, conditions };
    case "funnel_path_after_step": {
      // Those who dropped off could still convert until the window ended.
      const since = funnelStep < 0 ? arithmetic(at, "+", constant(plan.program.windowMs)) : at;
      return { since, until: null, conditions };
    }
    case "funnel_path_between_steps":
      if (step === 0)
        throw invalidQuery("funnelPathsFilter.funnelStep", "must have a step before: paths lead from there");
      return { since: ms(instantOf(requiredBefore(plan, step))), until: at, conditions };
  }
}
