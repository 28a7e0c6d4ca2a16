import { json } from "../http/reply.ts";
import { manyField, manyMade, readMany } from "../http/told.ts";
import type { EnvironmentCall } from "../serve/route.ts";
import { readPerson } from "./told.ts";

const PERSONS_MAX = 500;
const PERSONS = manyField(PERSONS_MAX);

/** `persons/batch/`: one that cannot be made costs no other. */
export const personBatchRoute = {
  method: "POST",
  path: "persons/batch/",
  summary: `Make up to ${PERSONS_MAX} persons, or merge into some; answers when queries see them`,
  scope: "person:write",
  unlogged: "persons are data, like events: the log of persons holds what was said of them",
  body: { persons: PERSONS },
  requires: ["persons"],
  responses: { 200: manyMade("Person", "Persons") },
  handle: makePersons,
} as const;

async function makePersons(call: EnvironmentCall): Promise<Response> {
  const { told, problems } = await readMany(call, "persons", { field: PERSONS, read: readPerson });
  if (told.length > 0) await call.deps.people.import(call.environment.id, told, call.nowMs);
  return json({ made: told.length, problems });
}
