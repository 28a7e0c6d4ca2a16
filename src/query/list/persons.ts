import type { Json } from "../../types/mod.ts";
import { personCondition } from "../filter/cohorts.ts";
import type { QueryContext } from "../source/context.ts";
import { Joined, PersonLookup } from "../source/lookups.ts";
import { type Person, readDistinctIds, readPersons } from "../source/people.ts";
import { selectRows } from "../source/statement.ts";
import { propertyText } from "../sql/properties.ts";
import { allOf, anyOf, integer, RELATION, type Sql, sql, text } from "../sql/sql.ts";

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
  const joined = new Joined("p");
  const id = sql`${joined.alias}.id`;
  const person = new PersonLookup(joined, () => id);
  const conditions = [...textConditions(query, person), personCondition(query.filters, person, context, "properties")];
  const statement = sql`SELECT ${id} FROM ${joined.from(RELATION.persons({ properties: false }))}
    WHERE ${allOf(conditions)} ORDER BY ${joined.alias}.created_at DESC, ${id}
    LIMIT ${integer(query.limit + 1)} OFFSET ${integer(query.offset)}`;
  const rows = await selectRows<[string]>(statement, { maxRows: query.limit + 1 }, context);
  const ids = rows.slice(0, query.limit).map(([first]) => first);
  return { persons: await findPersons(ids, context), hasMore: rows.length > query.limit };
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

function textConditions({ distinctId, email, search }: PersonsQuery, person: PersonLookup): Sql[] {
  const property = (key: string) => propertyText(person.property(key), []);
  const hasId = (condition: (id: Sql) => Sql) =>
    sql`${person.id()} IN (SELECT d.person_id FROM ${RELATION.distinctIds} AS d WHERE ${condition(sql`d.distinct_id`)})`;
  const conditions: Sql[] = [];
  if (distinctId !== null) conditions.push(hasId((one) => sql`${one} = ${text(distinctId)}`));
  if (email !== null) conditions.push(sql`${property("email")} = ${text(email)}`);
  if (search !== null) {
    const holds = (value: Sql) => sql`contains(lower(${value}), lower(${text(search)}))`;
    conditions.push(anyOf([hasId(holds), holds(property("email")), holds(property("name"))]));
  }
  return conditions;
}
