import { Type } from "@sinclair/typebox";
import { integer, object, text } from "../../openapi/mod.ts";
import { type CountedValue, personValues } from "../../query/mod.ts";
import { textParam } from "../http/query.ts";
import { keptFor } from "../http/reply.ts";
import { TIMEOUT } from "../http/shapes.ts";
import { environmentRoutes } from "../serve/route.ts";

const MAX_AGE_S = 10;

/** What routes that list values of a property read. */
export const VALUES_QUERY = {
  key: textParam("The property; without one there are no values."),
  value: textParam("Part of the values, in any case."),
};
export const COUNTED_VALUES = Type.Array(
  object("CountedValue", { name: text("As text."), count: integer("How many have it now.") }),
);
/** The answer; clients may keep it for some seconds, as that of `events/values/`. */
export function countedValues(values: readonly CountedValue[]): Promise<Response> {
  return keptFor(
    MAX_AGE_S,
    values.map(({ value, count }) => ({ name: value, count })),
  );
}

/** Values of a property that persons have now. */
export const personValueRoutes = environmentRoutes([
  {
    method: "GET",
    path: "persons/values/",
    summary: "The values of a property that most persons have, with how many",
    scope: "person:read",
    query: VALUES_QUERY,
    responses: { 200: COUNTED_VALUES, ...TIMEOUT },
    async handle(call) {
      const key = call.query.get("key");
      if (key === null || key === "") return countedValues([]);
      const context = await call.deps.queries.calculator.contextNow(call);
      return countedValues(await personValues({ key, part: call.query.get("value") || null }, context));
    },
  },
]);
