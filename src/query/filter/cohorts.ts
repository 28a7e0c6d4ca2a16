import type { Json, JsonObject } from "../../types/mod.ts";
import { invalidQuery, notSupported } from "../shape/errors.ts";
import { shown } from "../shape/shapes.ts";
import type { QueryContext } from "../source/context.ts";
import { Joined, PersonLookup } from "../source/lookups.ts";
import type { CohortRecord } from "../source/records.ts";
import { propertyText } from "../sql/properties.ts";
import { bind, NULL, RELATION, type Sql, sql } from "../sql/sql.ts";
import { filterTree } from "./filterTree.ts";
import { operatorCondition } from "./operators.ts";

/** Cohorts of cohorts nest; this bounds how deep. */
const MAX_DEPTH = 10;

/**
 * Whether a person (UUID, after all merges) belongs to a cohort. A set of uuids, made once for a statement, which DuckDB
 * meets with the rows by a semi-join; never NULL where `personId` is not.
 * Errors: TerminalError `invalid_query` for a filter that cannot be compiled, or cohorts that contain each other.
 */
export function inCohort(cohort: CohortRecord, personId: Sql, context: QueryContext): Sql {
  return member(cohort, personId, { context, within: [] });
}

/**
 * The cohort of an id (a number, or its text) in this project. Errors: TerminalError `invalid_query` that names it when
 * there is none.
 */
export function cohortOf(id: Json, context: QueryContext, place: string): CohortRecord {
  const number = typeof id === "string" && /^\d{1,15}$/.test(id) ? Number(id) : id;
  const cohort = typeof number === "number" ? context.records.cohort(number) : null;
  if (cohort === null) throw invalidQuery(place, `there is no cohort ${shown(id)}`);
  return cohort;
}

/** Throws TerminalError `invalid_query` for a cohort that no query could use. */
export function checkCohort(cohort: CohortRecord, context: QueryContext): void {
  inCohort(cohort, NULL, context);
}

/** Filters of persons and cohorts as a condition on a person. Errors: TerminalError `invalid_query`. */
export function personCondition(filters: Json, person: PersonLookup, context: QueryContext, place: string): Sql {
  return filterTree(filters, place, (filter, at) => leaf(filter, at, { person, nesting: { context, within: [] } }));
}

interface Nesting {
  context: QueryContext;
  /** The cohorts around this one, from the outermost on. */
  within: readonly number[];
}

function member(cohort: CohortRecord, personId: Sql, nesting: Nesting): Sql {
  const within = [...nesting.within, cohort.id];
  if (nesting.within.includes(cohort.id))
    throw invalidQuery(`cohort ${within[0]}`, `contains itself: ${within.join(" → ")}`);
  if (within.length > MAX_DEPTH)
    throw invalidQuery(`cohort ${within[0]}`, `contains cohorts more than ${MAX_DEPTH} deep`);
  const people = cohort.isStatic ? listed(cohort.personIds) : filtered(cohort, { ...nesting, within });
  return sql`${personId} IN ${people}`;
}

/** Who was put on the list, as whoever they are after merges. */
function listed(personIds: readonly string[]): Sql {
  const ids = sql`(SELECT CAST(unnest(${bind([...personIds], "VARCHAR[]")}) AS UUID) AS id)`;
  return sql`(SELECT coalesce(m.survivor_id, l.id) FROM ${ids} AS l LEFT JOIN ${RELATION.moved} AS m ON m.id = l.id)`;
}

/** Who meets the filters now. */
function filtered(cohort: CohortRecord, nesting: Nesting): Sql {
  const joined = new Joined(`cohort_${nesting.within.length}`);
  const id = sql`${joined.alias}.id`;
  const person = new PersonLookup(joined, () => id);
  const condition = filterTree(cohort.properties, `cohort ${cohort.id}`, (filter, place) =>
    leaf(filter, place, { person, nesting }),
  );
  return sql`(SELECT ${id} FROM ${joined.from(RELATION.persons({ properties: false }))} WHERE ${condition})`;
}

interface Scope {
  person: PersonLookup;
  nesting: Nesting;
}

function leaf(filter: JsonObject, place: string, { person, nesting }: Scope): Sql {
  const isNegated = filter.negation === true;
  if (filter.type === "cohort") {
    const other = cohortOf(filter.value ?? null, nesting.context, `${place}.value`);
    const condition = member(other, person.id(), nesting);
    return isNegated || filter.operator === "not_in" ? sql`NOT ${condition}` : condition;
  }
  if (filter.type !== "person")
    throw notSupported(`${place}.type`, `a filter of persons of type ${shown(filter.type)}`);
  const { key } = filter;
  if (typeof key !== "string") throw invalidQuery(`${place}.key`, `must be a string, not ${shown(key)}`);
  const { context } = nesting;
  const property = propertyText(person.property(key), []);
  const type = context.records.propertyType({ type: "person" }, key);
  const condition = operatorCondition(property, filter.operator ?? "exact", filter.value ?? null, {
    context,
    place,
    type,
  });
  return isNegated ? sql`(${condition}) IS NOT TRUE` : condition;
}
