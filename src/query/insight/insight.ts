import type { GroupIndex } from "../../types/mod.ts";
import { filtersOf } from "../filter/filters.ts";
import { testAccountConditions } from "../filter/testAccounts.ts";
import { call, constant, field, identity } from "../hogql/syntax/build.ts";
import type { Expression } from "../hogql/syntax/tree.ts";
import type { QueryContext } from "../source/context.ts";
import { groupIndexOf } from "../source/lookups.ts";
import type { Breakdown } from "./breakdowns.ts";

/** The members of a node that an `Insight` is made of. */
interface InsightNode {
  properties?: unknown;
  filterTestAccounts?: boolean | null;
  samplingFactor?: number | null;
  aggregation_group_type_index?: number | null;
}

/** What holds for all of an insight, of whatever kind. */
export interface Insight {
  context: QueryContext;
  /** Its filters, and whether those of test accounts hold too. */
  filters: Pick<InsightNode, "properties" | "filterTestAccounts">;
  /** The share of the distinct ids that is read. */
  samplingFactor: number;
  /** The type whose groups are counted instead of people; null for people. */
  actorGroup: GroupIndex | null;
  /** What its rows are told apart by. */
  breakdown: Breakdown | null;
  /** Whether an actor counts in his first bucket only: for a running total. */
  isRunning: boolean;
}

/** An insight as the members say that all nodes of insights have, without a breakdown and a running total where none is given. */
export const insightOf = (
  query: InsightNode,
  context: QueryContext,
  { breakdown = null, isRunning = false }: Partial<Pick<Insight, "breakdown" | "isRunning">> = {},
): Insight => ({
  context,
  filters: query,
  samplingFactor: query.samplingFactor ?? 1,
  actorGroup: groupIndexOf(query.aggregation_group_type_index),
  breakdown,
  isRunning,
});

/** Filters of the whole insight, and those of test accounts where they are asked for. */
export function insightFilters({ filters, context }: Insight): Expression[] {
  const test = filters.filterTestAccounts ? testAccountConditions(context) : [];
  return [...filtersOf(filters.properties, context, "properties"), ...test];
}

/** Who did it: a person, a distinct id or a group, as the insight and the environment say. */
export interface Actors {
  /** What others know them by; NULL for nobody. */
  id: Expression;
  /** What tells them apart; cheaper than their ids. */
  key: Expression;
  /** The condition that there is one; none where there always is. */
  isOne: Expression[];
}

/** The actors of an insight. `group`: a type whose groups are counted, whatever the insight says. */
export function actorsOf({ actorGroup, context }: Insight, group: GroupIndex | null): Actors {
  const index = group ?? actorGroup;
  if (index !== null) {
    const id = call("nullIf", field(`$group_${index}`), constant(""));
    return { id, key: id, isOne: [call("isNotNull", id)] };
  }
  const id = field(context.aggregateByDistinctId ? "distinct_id" : "person_id");
  return { id, key: context.aggregateByDistinctId ? id : identity("person_id"), isOne: [] };
}
