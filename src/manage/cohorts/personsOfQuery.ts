import type { ActorsResponse } from "../../query/mod.ts";
import { type JsonObject, parseUuid, personIdOf, TerminalError } from "../../types/mod.ts";
import { invalidField } from "../http/errors.ts";
import { isObject } from "../http/fields.ts";
import { askedAt } from "../query/question.ts";
import type { EnvironmentCall } from "../serve/route.ts";

/**
 * The persons behind an ActorsQuery, all of them whatever page it asks for, up to one more than the static cohorts of a project may
 * hold. Throws ApiError 400 for a query that cannot be answered or is not about persons.
 */
export async function personsOfQuery(call: EnvironmentCall, query: JsonObject): Promise<string[]> {
  if (query.kind !== "ActorsQuery") throw refused("Must be an ActorsQuery.");
  const max = call.deps.config.cohortPersonsMax + 1;
  const page = { select: ["id"], orderBy: ["id"], limit: max, offset: 0 };
  const answer = await call.deps.queries.calculator
    .look(call, { ...query, ...page }, { maxRows: max })
    .catch((error: unknown) => {
      throw error instanceof TerminalError ? refused(error.message) : error;
    });
  const { results, group_type_index: group } = answer as ActorsResponse;
  if (group !== null) throw refused("Must be about persons, not groups.");
  const toPerson = personOf(call, query);
  return results.map(([id]) => {
    const uuid = toPerson(String(id));
    if (uuid === null) throw refused("Must be about persons, known by their uuids.");
    return uuid;
  });
}

/** How an id of an actor becomes that of a person: an environment may have insights count distinct ids. */
function personOf({ environment, nowMs }: EnvironmentCall, { source }: JsonObject): (id: string) => string | null {
  const isOfInsight = isObject(source) && source.kind !== "HogQLQuery";
  const areDistinctIds = isOfInsight && askedAt(environment, nowMs).aggregateByDistinctId;
  return areDistinctIds ? (id) => personIdOf(environment.id, id) : parseUuid;
}

const refused = (detail: string) => invalidField("query", "invalid_input", detail);
