import type { Json } from "../../types/mod.ts";
import { personCondition } from "../filter/cohorts.ts";
import { field, orderBy } from "../hogql/syntax/build.ts";
import type { QueryContext } from "../source/context.ts";
import type { PersonLookup } from "../source/lookups.ts";
import { type Person, readDistinctIds, readPersons } from "../source/people.ts";
import { propertyText } from "../sql/properties.ts";
import { anyOf, RELATION, type Sql, sql, text } from "../sql/sql.ts";
import { conditionIn, listingTree, runListing } from "./listing.ts";

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
  const tree = listingTree({ table: "persons", select: [field("id")], orders, limit, offset });
  const condition = conditionIn((scope) => {
    const person = scope.tableNamed("persons")!.person!;
    return [...textConditions(query, person), personCondition(query.filters, person, context, "properties")];
  });
  const { results, hasMore } = await runListing(tree, condition, context);
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

/** The conditions that a search finds a row: part of what names it, in any case. */
export const searched = {
  person: (person: PersonLookup, search: string): Sql => {
    const holds = holding(search);
    return anyOf([hasDistinctId(person, holds), ...["email", "name"].map((key) => holds(propertyOf(person, key)))]);
  },
  /** `column`: of the groups. */
  group: (column: (name: string) => Sql, search: string): Sql =>
    anyOf(["key", "properties"].map((name) => holding(search)(column(name)))),
};

const holding = (search: string) => (value: Sql) => sql`contains(lower(${value}), lower(${text(search)}))`;

const propertyOf = (person: PersonLookup, key: string): Sql => propertyText(person.property(key), []);

const hasDistinctId = (person: PersonLookup, condition: (id: Sql) => Sql): Sql =>
  sql`${person.id()} IN (SELECT d.person_id FROM ${RELATION.distinctIds} AS d WHERE ${condition(sql`d.distinct_id`)})`;

function textConditions({ distinctId, email, search }: PersonsQuery, person: PersonLookup): Sql[] {
  const conditions: Sql[] = [];
  if (distinctId !== null) conditions.push(hasDistinctId(person, (one) => sql`${one} = ${text(distinctId)}`));
  if (email !== null) conditions.push(sql`${propertyOf(person, "email")} = ${text(email)}`);
  if (search !== null) conditions.push(searched.person(person, search));
  return conditions;
}
