import type { JsonObject } from "../../../types/mod.ts";
import { alias, and, compare, constant, field, from, over, select } from "../../hogql/syntax/build.ts";
import type { Expression, Query } from "../../hogql/syntax/tree.ts";
import { EVENT_COLUMNS, EVENT_FIELDS, eventColumns, PART_FIELDS } from "../../insight/behind.ts";
import { invalidQuery } from "../../shape/errors.ts";
import { checkPart, object, shown } from "../../shape/shapes.ts";
import type { ActorRows } from "../kind.ts";
import { ACTOR, ITEM } from "./items.ts";
import type { PathsFilter } from "./node.ts";
import type { PathsPlan } from "./plan.ts";
import { BEFORE, OF_PATH, PLACE, stepRows } from "./steps.ts";

/** The node around a PathsQuery. The keys in `pathsFilter` name the part. */
const PartSchema = object(PART_FIELDS);

/**
 * The actors behind a part of the answer, with the events that they came by: an edge, all edges out of a step or into one, the
 * paths that end with a step; of no part, all steps. Errors: TerminalError `invalid_query`.
 */
export function pathActors(plan: PathsPlan, part: JsonObject): ActorRows {
  checkPart(PartSchema, part);
  const { ctes, query } = stepRows(plan, "actors");
  const { rows, where } = partOf(plan.filter, query);
  const columns = [alias("actor_id", ACTOR), ...eventColumns()];
  return {
    query: select(columns, { ctes, select_from: from(rows), where: and(where), group_by: [field("actor_id")] }),
    group: plan.actorGroup,
    columns: EVENT_COLUMNS,
  };
}

/** The steps that a part means: some rows, and what is asked of them. */
function partOf(
  { pathStartKey, pathEndKey, pathDropoffKey }: PathsFilter,
  steps: Query,
): { rows: Query; where: Expression[] } {
  if (pathDropoffKey != null) {
    const { place, item } = stepOf(pathDropoffKey, "pathDropoffKey");
    const last = alias("last", over("max", [PLACE], { partition_by: OF_PATH }));
    const rows = select([ACTOR, PLACE, ITEM, last, ...EVENT_FIELDS], { select_from: from(steps) });
    return { rows, where: [compare(PLACE, "==", field("last")), isAt(PLACE, place), isItem(ITEM, item)] };
  }
  const where: Expression[] = [];
  if (pathStartKey != null) {
    const { place, item } = stepOf(pathStartKey, "pathStartKey");
    where.push(isAt(PLACE, place + 1), isItem(BEFORE, item));
  }
  if (pathEndKey != null) {
    const { place, item } = stepOf(pathEndKey, "pathEndKey");
    where.push(isAt(PLACE, place), isItem(ITEM, item));
  }
  return { rows: steps, where };
}

const isAt = (place: Expression, number: number): Expression => compare(place, "==", constant(number));
const isItem = (item: Expression, text: string): Expression => compare(item, "==", constant(text));

/** The place and the item of a key such as `2_/about`. */
function stepOf(key: string, name: string): { place: number; item: string } {
  const [, place, item] = /^([1-9]\d{0,5})_(.*)$/s.exec(key) ?? [];
  if (place === undefined) throw invalidQuery(`pathsFilter.${name}`, `must be like "2_/about", not ${shown(key)}`);
  return { place: Number(place), item: item! };
}
