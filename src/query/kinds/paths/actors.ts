import { Type } from "@sinclair/typebox";
import type { JsonObject } from "../../../types/mod.ts";
import { alias, and, arithmetic, call, compare, constant, field, from, select } from "../../hogql/syntax/build.ts";
import type { Expression, Query } from "../../hogql/syntax/tree.ts";
import { invalidQuery } from "../../shape/errors.ts";
import { anything, check, object, shown } from "../../shape/shapes.ts";
import type { ActorRows } from "../kind.ts";
import { ACTOR, ITEM } from "./items.ts";
import type { PathsPlan } from "./plan.ts";
import { BEFORE, PATH, PLACE, stepRows } from "./steps.ts";

/** The node around a PathsQuery; which part it means is said by the keys in `pathsFilter`. */
const PartSchema = object({
  kind: Type.Literal("InsightActorsQuery"),
  source: anything,
  includeRecordings: anything,
  modifiers: anything,
  tags: anything,
  version: anything,
  response: anything,
});

/**
 * The actors behind a part of the answer, with how often each did it (`event_count`): an edge, all edges out of a step or into
 * one, the paths that end with a step; of no part, all that have a path. Errors: TerminalError `invalid_query`.
 */
export function pathActors(plan: PathsPlan, part: JsonObject): ActorRows {
  check(PartSchema, part, "");
  const { ctes, query } = partRows(plan);
  const counted = [alias("actor_id", ACTOR), alias("event_count", call("count"))];
  return {
    query: select(counted, { ctes, select_from: from(query), group_by: [ACTOR] }),
    group: plan.actorGroup,
    columns: ["event_count"],
  };
}

/** A row of `actor` for each time that the part was met. */
function partRows(plan: PathsPlan): ReturnType<typeof stepRows> {
  const { pathStartKey, pathEndKey, pathDropoffKey } = plan.filter;
  const { ctes, query } = stepRows(plan, true);
  if (pathDropoffKey != null) {
    const { place, item } = stepOf(pathDropoffKey, "pathDropoffKey");
    const lasts = select([ACTOR, alias("last", call("max", PLACE)), alias("item", call("argMax", ITEM, PLACE))], {
      select_from: from(query),
      group_by: [ACTOR, PATH],
    });
    return { ctes, query: actorsWhere(lasts, [isAt(field("last"), place), isItem(ITEM, item)]) };
  }
  const conditions: Expression[] = [];
  if (pathStartKey != null) {
    const { place, item } = stepOf(pathStartKey, "pathStartKey");
    conditions.push(isAt(arithmetic(PLACE, "-", constant(1)), place), isItem(BEFORE, item));
  }
  if (pathEndKey != null) {
    const { place, item } = stepOf(pathEndKey, "pathEndKey");
    conditions.push(isAt(PLACE, place), isItem(ITEM, item));
  }
  return { ctes, query: actorsWhere(query, conditions) };
}

const isAt = (place: Expression, number: number): Expression => compare(place, "==", constant(number));
const isItem = (item: Expression, text: string): Expression => compare(item, "==", constant(text));
const actorsWhere = (rows: Query, conditions: Expression[]): Query =>
  select([ACTOR], { select_from: from(rows), where: and(conditions) });

/** The place and the item of a key such as `2_/about`. */
function stepOf(key: string, name: string): { place: number; item: string } {
  const [, place, item] = /^([1-9]\d{0,5})_(.*)$/s.exec(key) ?? [];
  if (place === undefined) throw invalidQuery(`pathsFilter.${name}`, `must be like "2_/about", not ${shown(key)}`);
  return { place: Number(place), item: item! };
}
