import { findPersons, listPersons } from "../../query/mod.ts";
import { parseUuid } from "../../types/mod.ts";
import { COHORTS } from "../cohorts/cohorts.ts";
import { readProperties } from "../events/parameters.ts";
import { notFound } from "../http/errors.ts";
import { hasMoreBody, PAGE_QUERY, readPage } from "../http/page.ts";
import { jsonParam, numberParam, textParam } from "../http/query.ts";
import { json } from "../http/reply.ts";
import { morePageOf, TIMEOUT } from "../http/shapes.ts";
import { PERSON_FILTERS } from "../query/filterSchema.ts";
import { readId } from "../serve/guard.ts";
import { type EnvironmentCall, environmentRoutes } from "../serve/route.ts";
import { personCohortsRoute } from "./cohorts.ts";
import { PERSON } from "./schema.ts";

/** What `list` reads. */
const LIST_QUERY = {
  search: textParam("Part of a distinct_id, the email or the name."),
  distinct_id: textParam("One of the person's."),
  email: textParam("The property `email`."),
  properties: jsonParam("Property filters.", PERSON_FILTERS),
  ...PAGE_QUERY,
};

/** Persons as they are now. */
export const personListRoutes = environmentRoutes([
  {
    method: "GET",
    path: "persons/",
    summary: "List persons, the newest first",
    scope: "person:read",
    query: { ...LIST_QUERY, cohort: numberParam("The id of a cohort.") },
    responses: { 200: morePageOf(PERSON.schema), ...TIMEOUT },
    handle: (call) => list(call, readId(call.query.get("cohort") ?? undefined)),
  },
  {
    method: "GET",
    path: "cohorts/:id/persons/",
    summary: "List the persons of a cohort, the newest first",
    scope: "cohort:read",
    query: LIST_QUERY,
    responses: { 200: morePageOf(PERSON.schema), ...TIMEOUT },
    async handle(call) {
      return list(call, (await COHORTS.find(call)).id);
    },
  },
  personCohortsRoute,
  {
    method: "GET",
    path: "persons/:id/",
    summary: "Retrieve a person by its uuid",
    scope: "person:read",
    responses: { 200: PERSON.schema, ...TIMEOUT },
    async handle(call) {
      const uuid = parseUuid(call.params.id ?? "");
      const context = await call.deps.queries.calculator.contextNow(call);
      const [person] = uuid === null ? [] : await findPersons([uuid], context);
      if (person === undefined) throw notFound();
      return json(PERSON.show(person, context));
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
  const results = persons.map((person) => PERSON.show(person, context));
  return json(hasMoreBody(url, page, hasMore, results));
}
