import { Type } from "@sinclair/typebox";
import { allObjects } from "../../metadata/mod.ts";
import { integer, nullable, object, text } from "../../openapi/mod.ts";
import { cohortsOfPerson, findPersons } from "../../query/mod.ts";
import { parseUuid } from "../../types/mod.ts";
import { notFound } from "../http/errors.ts";
import { required } from "../http/fields.ts";
import { textParam } from "../http/query.ts";
import { json } from "../http/reply.ts";
import { TIMEOUT } from "../http/shapes.ts";
import { mayDo } from "../serve/access.ts";
import type { EnvironmentCall } from "../serve/route.ts";

/** Each is calculated. */
const COHORTS_MAX = 200;

const COHORTS_OF_PERSON = object("CohortsOfPerson", {
  results: Type.Array(
    object("CohortOfPerson", {
      id: integer(),
      name: nullable(text()),
      is_static: Type.Boolean(),
    }),
  ),
});

/** `persons/cohorts/`: in which cohorts a person is. */
export const personCohortsRoute = {
  method: "GET",
  path: "persons/cohorts/",
  summary: `The cohorts that a person is in now, of the ${COHORTS_MAX} first`,
  scope: "cohort:read",
  query: { person_id: { ...textParam("The person's uuid."), isRequired: true } },
  responses: { 200: COHORTS_OF_PERSON, ...TIMEOUT },
  handle: cohortsOf,
} as const;

async function cohortsOf(call: EnvironmentCall): Promise<Response> {
  const { deps, environment, caller } = call;
  const uuid = parseUuid(required("person_id", call.query.get("person_id") || undefined));
  const context = await deps.queries.calculator.contextNow(call);
  const [person] = uuid === null ? [] : await findPersons([uuid], context);
  if (person === undefined) throw notFound();
  const all = await deps.db.read((tx) => allObjects(tx, environment.id, "cohort"));
  const cohorts = all.filter((cohort) => mayDo(caller, "cohort", cohort, "viewer")).slice(0, COHORTS_MAX);
  const ids = cohorts.map(({ id }) => id);
  const own = new Set(await cohortsOfPerson(person.id, ids, context));
  const results = cohorts
    .filter(({ id }) => own.has(id))
    .map(({ id, name, content }) => ({ id, name, is_static: content.isStatic }));
  return json({ results });
}
