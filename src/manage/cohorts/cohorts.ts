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
import { checkCohort, type QueryContext } from "../../query/mod.ts";
import type { Tx } from "../../store/mod.ts";
import { type JsonObject, parseUuid } from "../../types/mod.ts";
import { list, object } from "../http/compound.ts";
import { invalidField } from "../http/errors.ts";
import { boolean, type Field, FieldError, isObject, readFields, required, text } from "../http/fields.ts";
import { COHORT_FILTERS } from "../query/filterSchema.ts";
import { checkRecord } from "../resource/checkRecord.ts";
import { objectResource } from "../resource/objects.ts";
import { recordRoutes, resourceRoutes } from "../resource/routes.ts";
import { always } from "../resource/shape.ts";
import { requireEditor } from "../serve/access.ts";
import { type EnvironmentCall, environmentRoutes, type HandledBy } from "../serve/route.ts";
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

/** Persons under a name: all that meet filters, or a list of them. */
export const COHORTS = objectResource({
  kind: "cohort",
  path: "cohorts",
  log: "Cohort",
  fields: FIELDS,
  forms: FORMS,
  readBody,
  shown: {
    name: "Cohort",
    members: {
      filters: [schemas.anyObject(), ({ content }) => (content.isStatic ? { properties: {} } : content.filters)],
      is_static: [Type.Boolean(), ({ content }) => content.isStatic],
      count: [
        schemas.nullable(
          schemas.integer("Of a static one; null for the others, whose persons are found by each query."),
        ),
        ({ id, content }, { counts }: { counts: ReadonlyMap<number, number> }) =>
          content.isStatic ? (counts.get(id) ?? 0) : null,
      ],
      groups: [Type.Array(Type.Unknown()), () => []],
      query: always(null),
      is_calculating: [Type.Boolean(), () => false],
      last_calculation: always(null),
      errors_calculating: [Type.Integer(), () => 0],
      cohort_type: [
        schemas.oneOf(["static", "person_property"]),
        ({ content }) => (content.isStatic ? "static" : "person_property"),
      ],
      experiment_set: [Type.Array(Type.Unknown()), () => []],
    },
  },
  async shownWith(tx, cohorts) {
    const lists = cohorts.filter(({ content }) => content.isStatic).map(({ id }) => id);
    return { counts: await countCohortPersons(tx, lists) };
  },
  contentOf(values, present) {
    const isStatic = present?.isStatic ?? values.is_static ?? false;
    if (isStatic) return { isStatic, filters: {} };
    const filters = required("filters", values.filters ?? present?.filters);
    // Without conditions a cohort would have all persons.
    if (!isObject(filters.properties)) throw invalidField("filters__properties", "required", "This field is required.");
    return { isStatic, filters };
  },
  async save(tx, call, cohort, { csv, _create_static_person_ids: ids }) {
    if (!cohort.deleted) {
      const compile = (context: QueryContext) => checkCohort(context.records.cohort(cohort.id)!, context);
      await checkRecord(tx, call, "filters", compile);
    }
    if (!cohort.content.isStatic || (csv === undefined && ids === undefined)) return [];
    return addPersons(tx, call, cohort, [...personsOfCsv(cohort.teamId, csv ?? ""), ...(ids ?? [])]);
  },
  logged: ({ content }) => ({ filters: content.filters }),
});

export const cohortRoutes = environmentRoutes([
  ...resourceRoutes(COHORTS),
  ...recordRoutes(COHORTS),
  listRoute({
    path: "add_persons_to_static_cohort",
    summary: "Put persons on the list of a static cohort",
    field: "person_ids",
    ids: list(uuid()),
    change: addPersons,
  }),
  listRoute({
    path: "remove_person_from_static_cohort",
    summary: "Take a person from the list of a static cohort",
    field: "person_id",
    ids: uuid(),
    change: (tx, _call, cohort, id) => countChange(tx, cohort, () => removeCohortPerson(tx, cohort, id)),
  }),
]);

interface ListRoute<T> {
  path: string;
  summary: string;
  /** The member of the body that says whom. */
  field: string;
  ids: Field<T>;
  change(tx: Tx, call: EnvironmentCall, cohort: ProjectObject<"cohort">, ids: T): Promise<Change[]>;
}

/** A route that changes the list of a static cohort. */
function listRoute<T>({ path, field, ids, change, summary }: ListRoute<T>): HandledBy<EnvironmentCall> {
  const body = { [field]: ids };
  return {
    method: "PATCH",
    path: `cohorts/:id/${path}/`,
    summary,
    scope: "cohort:write",
    body,
    requires: [field],
    responses: { 200: COHORTS.description.schema },
    async handle(call) {
      const wanted = required(field, readFields(body, await call.body())[field]);
      const cohort = await COHORTS.find(call);
      requireEditor(call.caller, cohort, "cohort");
      if (!cohort.content.isStatic) {
        throw invalidField(null, "invalid_input", "Can only add users to static cohorts.");
      }
      await call.deps.db.write(async (tx) => {
        await COHORTS.record(tx, call, cohort, "updated", await change(tx, call, cohort, wanted));
      });
      return COHORTS.reply(call, cohort, null);
    },
  };
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
