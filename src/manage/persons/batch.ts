import { Type } from "@sinclair/typebox";
import { itemsOf, membersOf } from "../../json/mod.ts";
import { integer, object as objectSchema, text } from "../../openapi/mod.ts";
import type { PersonImport } from "../../persons/mod.ts";
import { list, object } from "../http/compound.ts";
import { ApiError } from "../http/errors.ts";
import { readFields, required } from "../http/fields.ts";
import { json } from "../http/reply.ts";
import type { EnvironmentCall } from "../serve/route.ts";
import { readPerson } from "./told.ts";

const PERSONS_MAX = 500;

const FIELDS = { persons: list(object(), { minItems: 1, maxItems: PERSONS_MAX }) };

const ANSWER = objectSchema("PersonsMade", {
  made: integer("Persons that queries see now."),
  problems: Type.Array(objectSchema("PersonProblem", { index: integer("In the list that was sent."), detail: text() })),
});

/** `persons/batch/`: one that cannot be made costs no other. */
export const personBatchRoute = {
  method: "POST",
  path: "persons/batch/",
  summary: `Make up to ${PERSONS_MAX} persons, or merge into some; answers when queries see them`,
  scope: "person:write",
  unlogged: "persons are data, like events: the log of persons holds what was said of them",
  body: FIELDS,
  requires: ["persons"],
  responses: { 200: ANSWER },
  handle: makePersons,
} as const;

async function makePersons(call: EnvironmentCall): Promise<Response> {
  const bodies = required("persons", readFields(FIELDS, await call.body()).persons);
  const texts = itemsOf(membersOf(await call.bodyText()).get("persons") ?? "[]");
  const persons: PersonImport[] = [];
  const problems: { index: number; detail: string }[] = [];
  for (const [index, body] of bodies.entries()) {
    try {
      persons.push(readPerson(body, texts[index]!));
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      problems.push({ index, detail: error.message });
    }
  }
  if (persons.length > 0) await call.deps.people.importPersons(call.environment.id, persons, call.nowMs);
  return json({ made: persons.length, problems });
}
