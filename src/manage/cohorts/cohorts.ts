import { Type } from "@sinclair/typebox";
import {
  addCohortPersons,
  type Change,
  countCohortPersons,
  countListedPersons,
  type ProjectObject,
  removeCohortPerson,
} from "../../metadata/mod.ts";
import * as schemas from "../../openapi/mod.ts";
import { checkCohort } from "../../query/mod.ts";
import type { Tx } from "../../store/mod.ts";
import { type JsonObject, parseUuid } from "../../types/mod.ts";
import { invalidField } from "../http/errors.ts";
import { boolean, type Field, FieldError, isObject, list, object, readFields, required, text } from "../http/fields.ts";
import { COHORT_FILTERS } from "../query/filterSchema.ts";
import { checkRecord } from "../resource/checkRecord.ts";
import { objectSchema } from "../resource/objectSchema.ts";
import { find, type Resource, record, reply, resourceRoutes } from "../resource/objects.ts";
import { requireEditor } from "../serve/access.ts";
import { type EnvironmentCall, environmentRoutes, type Route } from "../serve/route.ts";
import { personsOfCsv } from "./personsCsv.ts";

const FIELDS = {
  filters: { ...object(), schema: COHORT_FILTERS },
  is_static: boolean(),
  csv: text({ blank: true }),
  _create_static_person_ids: list(uuid()),
};
/** A static cohort, and more persons for one, from a file of distinct ids. */
const FORM_MEMBERS = { name: Type.Optional(Type.String()), csv: Type.Optional(Type.String()) };
const FORMS = {
  create: Type.Object({ ...FORM_MEMBERS, is_static: schemas.oneOf(["true"]) }),
  change: Type.Object(FORM_MEMBERS),
};
const ADD_FIELDS = { person_ids: list(uuid()) };
const REMOVE_FIELDS = { person_id: uuid() };

function uuid(): Field<string> {
  const base = text();
  return {
    schema: schemas.UUID,
    read(value) {
      const id = parseUuid(base.read(value));
      if (id === null) throw new FieldError("invalid_input", "Must be a valid UUID.");
      return id;
    },
  };
}

const COHORT = objectSchema("Cohort", {
  filters: schemas.anyObject(),
  is_static: Type.Boolean(),
  count: schemas.nullable(
    schemas.integer("Of a static one; null for the others, whose persons are found by each query."),
  ),
  groups: Type.Array(Type.Unknown()),
  query: Type.Null(),
  is_calculating: Type.Boolean(),
  last_calculation: Type.Null(),
  errors_calculating: Type.Integer(),
  cohort_type: schemas.oneOf(["static", "person_property"]),
  experiment_set: Type.Array(Type.Unknown()),
});

const COHORTS: Resource<"cohort"> = {
  kind: "cohort",
  path: "cohorts",
  log: "Cohort",
  fields: FIELDS,
  forms: FORMS,
  shape: COHORT,
  readBody,
  contentOf(body, present) {
    const values = readFields(FIELDS, body);
    const isStatic = present?.isStatic ?? values.is_static ?? false;
    if (isStatic) return { isStatic, filters: {} };
    const filters = required("filters", values.filters ?? present?.filters);
    // Without conditions a cohort would be everybody, which nobody means.
    if (!isObject(filters.properties)) throw invalidField("filters__properties", "required", "This field is required.");
    return { isStatic, filters };
  },
  async save(tx, call, cohort, body) {
    if (!cohort.deleted) {
      const compile = (context: Parameters<typeof checkCohort>[1]) =>
        checkCohort(context.records.cohort(cohort.id)!, context);
      await checkRecord(tx, call, "filters", compile);
    }
    const { csv, _create_static_person_ids: ids } = readFields(FIELDS, body);
    if (!cohort.content.isStatic || (csv === undefined && ids === undefined)) return [];
    return addPersons(tx, call, cohort, [...personsOfCsv(cohort.teamId, csv ?? ""), ...(ids ?? [])]);
  },
  async show(tx, cohorts) {
    const lists = cohorts.filter(({ content }) => content.isStatic).map(({ id }) => id);
    const counts = await countCohortPersons(tx, lists);
    return cohorts.map(({ id, content: { isStatic, filters } }) => ({
      filters: isStatic ? { properties: {} } : filters,
      is_static: isStatic,
      // Who meets the filters is found when a query asks, never before.
      count: isStatic ? (counts.get(id) ?? 0) : null,
      groups: [],
      query: null,
      is_calculating: false,
      last_calculation: null,
      errors_calculating: 0,
      cohort_type: isStatic ? "static" : "person_property",
      experiment_set: [],
    }));
  },
  logged: ({ content }) => ({ filters: content.filters }),
};

export const cohortRoutes: Route[] = [
  ...resourceRoutes(COHORTS),
  ...environmentRoutes([
    {
      method: "PATCH",
      path: "cohorts/:id/add_persons_to_static_cohort/",
      summary: "Put persons on the list of a static cohort",
      scope: "cohort:write",
      body: ADD_FIELDS,
      requires: ["person_ids"],
      responses: { 200: COHORT },
      async handle(call) {
        const ids = required("person_ids", readFields(ADD_FIELDS, await call.body()).person_ids);
        return changeList(call, (tx, cohort) => addPersons(tx, call, cohort, ids));
      },
    },
    {
      method: "PATCH",
      path: "cohorts/:id/remove_person_from_static_cohort/",
      summary: "Take a person from the list of a static cohort",
      scope: "cohort:write",
      body: REMOVE_FIELDS,
      requires: ["person_id"],
      responses: { 200: COHORT },
      async handle(call) {
        const id = required("person_id", readFields(REMOVE_FIELDS, await call.body()).person_id);
        return changeList(call, (tx, cohort) => countChange(tx, cohort, () => removeCohortPerson(tx, cohort, id)));
      },
    },
  ]),
];

async function changeList(
  call: EnvironmentCall,
  change: (tx: Tx, cohort: ProjectObject<"cohort">) => Promise<Change[]>,
): Promise<Response> {
  const cohort = await find(COHORTS, call);
  requireEditor(call.caller, cohort, "cohort");
  if (!cohort.content.isStatic) {
    throw invalidField(null, "invalid_input", "Can only add users to static cohorts.");
  }
  await call.deps.db.write(async (tx) => {
    await record(tx, COHORTS, call, cohort, "updated", await change(tx, cohort));
  });
  return reply(COHORTS, call, cohort);
}

async function addPersons(
  tx: Tx,
  call: EnvironmentCall,
  cohort: ProjectObject<"cohort">,
  personIds: readonly string[],
): Promise<Change[]> {
  const changes = await countChange(tx, cohort, () => addCohortPersons(tx, cohort, personIds));
  const { cohortPersonsMax } = call.deps.config;
  if ((await countListedPersons(tx, cohort.teamId)) > cohortPersonsMax) {
    const detail = `The static cohorts of a project must not hold more than ${cohortPersonsMax} persons together.`;
    throw invalidField(null, "max_length", detail);
  }
  return changes;
}

/** What the activity log tells of a change of the list. */
async function countChange(tx: Tx, cohort: ProjectObject<"cohort">, change: () => Promise<unknown>): Promise<Change[]> {
  const count = async () => (await countCohortPersons(tx, [cohort.id])).get(cohort.id) ?? 0;
  const before = await count();
  await change();
  const after = await count();
  return before === after ? [] : [{ type: "Cohort", action: "changed", field: "count", before, after }];
}

/** JSON, or a form with the file `csv`, as browsers send it. */
async function readBody(call: EnvironmentCall): Promise<JsonObject> {
  const type = call.request.headers.get("content-type") ?? "";
  if (!/^multipart\/form-data\b/i.test(type)) return call.body();
  const form = await new Response(await call.bodyText(), { headers: { "Content-Type": type } })
    .formData()
    .catch(() => null);
  if (form === null) throw invalidField(null, "parse_error", "The form cannot be read.");
  const body: JsonObject = {};
  for (const [name, value] of form) body[name] = typeof value === "string" ? value : await value.text();
  return body;
}
