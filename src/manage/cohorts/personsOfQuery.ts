import { type JsonObject, parseUuid, TerminalError } from "../../types/mod.ts";
import { invalidField } from "../http/errors.ts";
import type { EnvironmentCall } from "../serve/route.ts";

/**
 * The persons behind an ActorsQuery, all of them whatever page it asks for, up to one more than the static cohorts of a project may
 * hold. Throws ApiError 400 for a query that cannot be answered or is not about persons.
 */
export async function personsOfQuery(call: EnvironmentCall, query: JsonObject): Promise<string[]> {
  if (query.kind !== "ActorsQuery") throw refused("Must be an ActorsQuery.");
  const max = call.deps.config.cohortPersonsMax + 1;
  const whole = { ...query, select: ["id"], orderBy: ["id"], limit: max, offset: 0 };
  const { results } = await call.deps.queries.calculator.look(call, whole, max).catch((error: unknown) => {
    throw error instanceof TerminalError ? refused(error.message) : error;
  });
  return (results as unknown[][]).map(([id]) => {
    const uuid = parseUuid(String(id));
    if (uuid === null) throw refused("Must be about persons, known by their uuids.");
    return uuid;
  });
}

const refused = (detail: string) => invalidField("query", "invalid_input", detail);
