import { displayName, findPersons, type ListedPerson, listPersons, type QueryContext } from "../../query/mod.ts";
import { parseUuid } from "../../types/mod.ts";
import { readProperties } from "../events/parameters.ts";
import { notFound } from "../http/errors.ts";
import { readId } from "../http/guard.ts";
import { hasMoreBody, readPage } from "../http/page.ts";
import { json } from "../http/reply.ts";
import { type EnvironmentCall, environmentRoutes } from "../http/route.ts";
import { find } from "../objects/resource.ts";

/** Persons as they are now. */
export const personListRoutes = environmentRoutes([
  {
    method: "GET",
    path: "persons/",
    summary: "List persons, the newest first: `search`, `distinct_id`, `email`, `properties`, `cohort`",
    scope: "person:read",
    handle: (call) => list(call, readId(call.query.get("cohort") ?? undefined)),
  },
  {
    method: "GET",
    path: "cohorts/:id/persons/",
    summary: "List the persons of a cohort, the newest first",
    scope: "cohort:read",
    async handle(call) {
      return list(call, (await find({ kind: "cohort" }, call)).id);
    },
  },
  {
    method: "GET",
    path: "persons/:id/",
    summary: "Retrieve a person by its uuid",
    scope: "person:read",
    async handle(call) {
      const uuid = parseUuid(call.params.id ?? "");
      const context = await call.deps.queries.calculator.contextNow(call);
      const [person] = uuid === null ? [] : await findPersons([uuid], context);
      if (person === undefined) throw notFound();
      return json(personBody(person, context));
    },
  },
]);

/** `cohortId`: null for all persons. */
async function list(call: EnvironmentCall, cohortId: number | null): Promise<Response> {
  const { query, url } = call;
  const context = await call.deps.queries.calculator.contextNow(call);
  const page = readPage(query);
  const given = (name: string) => query.get(name) || null;
  const filters = [
    readProperties(query),
    ...(cohortId === null ? [] : [{ type: "cohort", key: "id", value: cohortId }]),
  ];
  const texts = { distinctId: given("distinct_id"), email: given("email"), search: given("search") };
  const { persons, hasMore } = await listPersons({ ...texts, filters, ...page }, context);
  const results = persons.map((person) => personBody(person, context));
  return json(hasMoreBody(url, page, hasMore, results));
}

/** Its id is its uuid: there is no other. */
function personBody(person: ListedPerson, context: QueryContext) {
  const { id, createdAt, isIdentified, properties, distinctIds } = person;
  return {
    id,
    uuid: id,
    name: displayName(person, context) ?? distinctIds[0] ?? id,
    distinct_ids: distinctIds,
    properties,
    is_identified: isIdentified,
    created_at: createdAt,
  };
}
