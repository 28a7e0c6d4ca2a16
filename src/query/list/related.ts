import { DAY_MS, type GroupIndex } from "../../types/mod.ts";
import { call, compare, constant, field, orderBy } from "../hogql/syntax/build.ts";
import type { Expression } from "../hogql/syntax/tree.ts";
import type { QueryContext } from "../source/context.ts";
import { atMs, formatIso } from "../time/zone.ts";
import { listingTree, runListing } from "./listing.ts";

/** A person by its uuid, or a group by its type and key. */
export type Subject = { personId: string } | { index: GroupIndex; key: string };

/** As in PostHog. */
const SEEN_DAYS = 90;
/** Of each type. */
const RELATED_MAX = 100;
// Under the table's name: a column of SELECT may have that of the field.
const TIME = field("events", "timestamp");
const PERSON = field("events", "person_id");
const groupKey = (index: GroupIndex) => field("events", `$group_${index}`);

/**
 * The keys of the groups of one type with which a person or a group shares events of the last 90 days: at most 100, that of the
 * newest event first. Errors: those of `Lake.query`.
 */
export function relatedGroups(of: Subject, index: GroupIndex, context: QueryContext): Promise<string[]> {
  const key = groupKey(index);
  return related(key, [isOf(of), compare(key, "!=", constant(""))], context);
}

/** The ids of the persons with such events. Errors: those of `Lake.query`. */
export function relatedPersons(of: Subject, context: QueryContext): Promise<string[]> {
  return related(PERSON, [isOf(of)], context);
}

async function related(found: Expression, where: Expression[], context: QueryContext): Promise<string[]> {
  const since = formatIso(atMs(context.nowMs - SEEN_DAYS * DAY_MS, context.timezone));
  const newest = call("max", TIME);
  const tree = listingTree({
    table: "events",
    select: [found, newest],
    where: [...where, compare(TIME, ">=", constant(since))],
    isGrouped: true,
    orders: [orderBy(newest, "DESC"), orderBy(found)],
    limit: RELATED_MAX,
    offset: 0,
  });
  const { results } = await runListing(tree, context);
  return results.map(([id]) => String(id));
}

const isOf = (of: Subject): Expression =>
  "personId" in of ? compare(PERSON, "==", constant(of.personId)) : compare(groupKey(of.index), "==", constant(of.key));
