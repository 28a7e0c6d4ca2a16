import * as schemas from "../../openapi/mod.ts";
import { object } from "../http/compound.ts";
import { invalidField } from "../http/errors.ts";
import { isObject, readFields, required } from "../http/fields.ts";
import { json } from "../http/reply.ts";
import { TIMEOUT } from "../http/shapes.ts";
import { COHORT_FILTERS } from "../query/filterSchema.ts";
import { ofField, UNSAVED, withCohort } from "../query/unsaved.ts";
import type { EnvironmentCall } from "../serve/route.ts";

const BODY = { filters: { ...object(), schema: COHORT_FILTERS } };

const SIZE = schemas.object("CohortSize", {
  count: schemas.integer("How many persons meet the filters now."),
  total: schemas.integer("How many persons there are."),
});

/** `cohorts/size/`: how many persons a cohort would have. */
export const cohortSizeRoute = {
  method: "POST",
  path: "cohorts/size/",
  summary: "How many persons a cohort of these filters would have now; nothing is saved",
  scope: "cohort:read",
  body: BODY,
  requires: ["filters"],
  responses: { 200: SIZE, ...TIMEOUT },
  unlogged: "changes nothing",
  handle: sizeOf,
} as const;

const QUERY = `SELECT countIf(id IN COHORT ${UNSAVED}), count() FROM persons`;

async function sizeOf(call: EnvironmentCall): Promise<Response> {
  const { properties } = required("filters", readFields(BODY, await call.body()).filters);
  // Without conditions a cohort would have all persons.
  if (!isObject(properties)) throw invalidField("filters__properties", "required", "This field is required.");
  const { results } = await call.deps.queries.calculator
    .look(call, { kind: "HogQLQuery", query: QUERY }, { records: (records) => withCohort(records, properties) })
    .catch((error: unknown) => {
      throw ofField(error, "filters");
    });
  const [[count, total]] = results as [[unknown, unknown]];
  return json({ count: Number(count), total: Number(total) });
}
