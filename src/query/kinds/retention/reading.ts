import { and, call, constant, field } from "../../hogql/syntax/build.ts";
import type { Expression } from "../../hogql/syntax/tree.ts";
import { inSpan } from "../../insight/axis.ts";
import { type ALL_USERS, cohortMember } from "../../insight/breakdowns.ts";
import { actorsOf, insightFilters } from "../../insight/insight.ts";
import { EventRows, TIMESTAMP } from "../../insight/rows.ts";
import { sampled } from "../../insight/sampling.ts";
import { namesOf } from "../../insight/series.ts";
import type { Entity, RetentionPlan } from "./plan.ts";

/** Whether actors are only told apart, or shown. */
export type Want = "count" | "actors";

export const AT = field("at");

/** How the events of a RetentionQuery are read: of everybody, or of one cohort of its breakdown. */
export class Reading extends EventRows {
  /** Who did it. */
  readonly actor: Expression;
  private readonly common: Expression[];

  constructor(
    readonly plan: RetentionPlan,
    readonly want: Want,
    cohort: number | typeof ALL_USERS | null,
  ) {
    super(plan);
    const { context } = plan;
    const actors = actorsOf(plan, null);
    this.actor = want === "count" ? actors.key : actors.id;
    this.common = [
      ...sampled(plan.samplingFactor),
      ...insightFilters(plan),
      ...(cohort === null ? [] : cohortMember(cohort, context, "breakdownFilter.breakdown")),
      ...actors.isOne,
    ];
    this.bin(this.ofBoth(), context);
  }

  /** The condition on events of the range, with `isEver` also on those before it, that meet what is asked of all, and `more`. */
  within(more: readonly Expression[], { isEver = false } = {}): Expression | null {
    const { cohorts, context } = this.plan;
    const span = isEver ? { fromMs: null, toMs: cohorts.toMs } : cohorts;
    return and([...inSpan(TIMESTAMP, span, context), ...more, ...this.common]);
  }

  /** The condition on events of the range that are of one of the entities. */
  ofBoth(): Expression | null {
    const { target, returning, areSame } = this.plan;
    if (areSame) return this.within(conditionsOf(target));
    const each = [target, returning].map((entity) => and(conditionsOf(entity)));
    const either: Expression[] = each.includes(null) ? [] : [{ node: "Or", exprs: each as Expression[] }];
    return this.within([...namesOf([target.node, returning.node]), ...either]);
  }
}

/** What is asked of the events of an entity. */
export const conditionsOf = ({ named, filters }: Entity): Expression[] => [...named, ...filters];

/** An aggregate of the events of an entity, among those of both. */
export function ofEntity(name: string, args: Expression[], entity: Entity): Expression {
  const when = and(conditionsOf(entity));
  return when === null ? call(name, ...args) : call(`${name}If`, ...args, when);
}

/** The condition that an event is of an entity. */
export const isOf = (entity: Entity): Expression => and(conditionsOf(entity)) ?? constant(true);
