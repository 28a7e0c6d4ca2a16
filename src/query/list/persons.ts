import type { Json } from "../../types/mod.ts";
import { personFilters } from "../filter/cohorts.ts";
import { call, compare, constant, field, from, or, orderBy, select } from "../hogql/syntax/build.ts";
import type { Expression } from "../hogql/syntax/tree.ts";
import type { QueryContext } from "../source/context.ts";
import { type Person, readDistinctIds, readPersons } from "../source/people.ts";
import { listingTree, runListing } from "./listing.ts";

/** Which persons are wanted; all conditions must hold. */
export interface PersonsQuery {
  /** One of a person's. */
  distinctId: string | null;
  email: string | null;
  /** Part of a distinct id, the email or the name, in any case. */
  search: string | null;
  /** Filters of persons and cohorts. */
  filters: Json;
  limit: number;
  offset: number;
}

export interface ListedPerson extends Person {
  distinctIds: string[];
}

/** Persons as they are now, the newest first. Errors: TerminalError `invalid_query`, and those of `Lake.query`. */
export async function listPersons(
  query: PersonsQuery,
  context: QueryContext,
): Promise<{ persons: ListedPerson[]; hasMore: boolean }> {
  const { limit, offset } = query;
  const orders = [orderBy(field("created_at"), "DESC"), orderBy(field("id"), "ASC")];
  const where = conditionsOf(query, context);
  const tree = listingTree({ table: "persons", select: [field("id")], where, orders, limit, offset });
  const { results, hasMore } = await runListing(tree, context);
  return {
    persons: await findPersons(
      results.map(([id]) => String(id)),
      context,
    ),
    hasMore,
  };
}

/** Those of the persons that there are, in the order of their ids. Errors: those of `Lake.query`. */
export async function findPersons(ids: readonly string[], context: QueryContext): Promise<ListedPerson[]> {
  const persons = await readPersons(ids, context);
  const distinctIds = await readDistinctIds(ids, context);
  return ids.flatMap((id) => {
    const person = persons.get(id);
    return person === undefined ? [] : [{ ...person, distinctIds: distinctIds.get(id) ?? [] }];
  });
}

/** The conditions that a search finds a person: by part of a distinct id, the email or the name, in any case. */
export function searchPersons(search: string): Expression {
  const holds = holding(search);
  return or([hasDistinctId(holds(field("distinct_id"))), ...["email", "name"].map((key) => holds(property(key)))]);
}

/** The condition that some text holds what is searched for, in any case. */
export const holding = (search: string) => (text: Expression) =>
  compare(call("positionCaseInsensitiveUTF8", call("ifNull", text, constant("")), constant(search)), ">", constant(0));

const property = (key: string): Expression => call("toString", field("persons", "properties", key));

const hasDistinctId = (where: Expression): Expression =>
  compare(
    field("persons", "id"),
    "in",
    select([field("person_id")], { select_from: from("person_distinct_ids"), where }),
  );

function conditionsOf({ distinctId, email, search, filters }: PersonsQuery, context: QueryContext): Expression[] {
  const conditions = personFilters(filters, context, "properties");
  if (distinctId !== null) conditions.push(hasDistinctId(compare(field("distinct_id"), "==", constant(distinctId))));
  if (email !== null) conditions.push(compare(property("email"), "==", constant(email)));
  if (search !== null) conditions.push(searchPersons(search));
  return conditions;
}
