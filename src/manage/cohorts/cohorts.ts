import { Type } from "@sinclair/typebox";
import {
  type Change,
  type CohortCount,
  countCohortPersons,
  noteCohortCalculated,
  type ProjectObject,
  readCohortCounts,
  removeCohortPerson,
  wantCohortCount,
} from "../../metadata/mod.ts";
import * as schemas from "../../openapi/mod.ts";
import { checkCohort } from "../../query/mod.ts";
import type { Tx } from "../../store/mod.ts";
import { type JsonObject, parseUuid } from "../../types/mod.ts";
import { list, object } from "../http/compound.ts";
import { invalidField } from "../http/errors.ts";
import {
  boolean,
  type Field,
  FieldError,
  type FieldValues,
  isObject,
  readFields,
  required,
  text,
} from "../http/fields.ts";
import { isoTime } from "../http/reply.ts";
import { COHORT_FILTERS } from "../query/filterSchema.ts";
import { checkRecord } from "../resource/checkRecord.ts";
import { objectResource } from "../resource/objects.ts";
import { recordRoutes, resourceRoutes } from "../resource/routes.ts";
import { usedInRoute } from "../resource/usedIn.ts";
import { requireEditor } from "../serve/access.ts";
import { renewed } from "../serve/guard.ts";
import { type EnvironmentCall, environmentRoutes, type HandledBy } from "../serve/route.ts";
import { COHORT_TYPES, typeOf } from "./cohortType.ts";
import { addPersons, countChange } from "./persons.ts";
import { personsOfCsv } from "./personsCsv.ts";
import { personsOfQuery } from "./personsOfQuery.ts";
import { cohortSizeRoute } from "./size.ts";

const FIELDS = {
  filters: { ...object(), schema: COHORT_FILTERS },
  is_static: boolean(),
  query: object(),
  csv: text({ blank: true }),
  _create_static_person_ids: list(uuid()),
};
/** A static cohort, and more persons for one, from a file of distinct ids. */
const FORM_MEMBERS = { name: Type.Optional(Type.String()), csv: Type.Optional(Type.String()) };
const FORMS = {
  create: Type.Object({ ...FORM_MEMBERS, is_static: schemas.oneOf(["true"]) }),
  change: Type.Object(FORM_MEMBERS),
};

/** What is read of cohorts beside their records, by id. */
interface Counted {
  /** Of static ones: how many persons are on the list. */
  lists: ReadonlyMap<number, number>;
  counts: ReadonlyMap<number, CohortCount>;
}

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
  newOnly: ["query"],
  readBody,
  prepare,
  shown: {
    name: "Cohort",
    members: {
      filters: [schemas.anyObject(), ({ content }) => (content.isStatic ? { properties: {} } : content.filters)],
      is_static: [Type.Boolean(), ({ content }) => content.isStatic],
      count: [
        schemas.nullable(schemas.integer("How many persons it had at `last_calculation`; of a static one, has now.")),
        ({ id, content }, { lists, counts }: Counted) =>
          content.isStatic ? (lists.get(id) ?? 0) : (counts.get(id)?.count ?? null),
      ],
      groups: [Type.Array(Type.Unknown()), () => []],
      query: [schemas.nullable(schemas.anyObject()), ({ content }) => content.query ?? null],
      is_calculating: [Type.Boolean(), ({ id }, { counts }) => counts.get(id)?.isCalculating ?? false],
      last_calculation: [
        schemas.nullable(schemas.TIME),
        ({ id }, { counts }) => isoTime(counts.get(id)?.countedAtMs ?? null),
      ],
      errors_calculating: [
        schemas.integer("Calculations that failed since the last one that did not."),
        ({ id }, { counts }) => counts.get(id)?.errors ?? 0,
      ],
      cohort_type: [schemas.oneOf(COHORT_TYPES), ({ content }) => typeOf(content)],
      experiment_set: [Type.Array(Type.Unknown()), () => []],
    },
  },
  async shownWith(tx, cohorts, nowMs) {
    const lists = cohorts.filter(({ content }) => content.isStatic).map(({ id }) => id);
    const ids = cohorts.map(({ id }) => id);
    return { lists: await countCohortPersons(tx, lists), counts: await readCohortCounts(tx, ids, nowMs) };
  },
  contentOf(values, present) {
    const isStatic = present?.isStatic ?? values.is_static ?? false;
    const query = present?.query ?? values.query;
    if (isStatic) return { isStatic, filters: {}, ...(query !== undefined && { query }) };
    const filters = required("filters", values.filters ?? present?.filters);
    // Without conditions a cohort would have all persons.
    if (!isObject(filters.properties)) throw invalidField("filters__properties", "required", "This field is required.");
    return { isStatic, filters };
  },
  async save(tx, call, cohort, { csv, filters, query, _create_static_person_ids: ids }) {
    const { isStatic } = cohort.content;
    if (!cohort.deleted) {
      // What was there before may name what is closed to the caller.
      await checkRecord(tx, call, "filters", (context, open) => {
        const records = filters === undefined ? context.records : { ...context.records, inside: open };
        checkCohort(context.records.cohort(cohort.id)!, { ...context, records });
      });
    }
    if (!isStatic && filters !== undefined) await wantCohortCount(tx, cohort.id, call.deps.now());
    if (query !== undefined) await noteCohortCalculated(tx, cohort.id, call.deps.now());
    if (!isStatic || (csv === undefined && ids === undefined)) return [];
    return addPersons(tx, call, cohort, [...personsOfCsv(cohort.teamId, csv ?? ""), ...(ids ?? [])]);
  },
  logged: ({ content }) => ({ filters: content.filters }),
});

export const cohortRoutes = environmentRoutes([
  ...resourceRoutes(COHORTS),
  ...recordRoutes(COHORTS),
  cohortSizeRoute,
  usedInRoute(COHORTS),
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

/** A static cohort of a query is a list of the persons that the query finds now. */
async function prepare<V extends FieldValues<typeof FIELDS>>(call: EnvironmentCall, values: V): Promise<V> {
  const { query, is_static: isStatic, _create_static_person_ids: ids = [] } = values;
  if (query === undefined) return values;
  if (isStatic !== true) throw invalidField("query", "invalid_input", "Only a static cohort is made of a query.");
  return { ...values, _create_static_person_ids: [...ids, ...(await personsOfQuery(call, query))] };
}

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
      const { own, cohort } = await call.deps.db.write(async (tx) => {
        const own = await renewed(tx, call);
        const cohort = await COHORTS.findToChange(tx, own);
        requireEditor(own.caller, "cohort", cohort);
        if (!cohort.content.isStatic) {
          throw invalidField(null, "invalid_input", "Can only add users to static cohorts.");
        }
        await COHORTS.record(tx, own, cohort, "updated", await change(tx, own, cohort, wanted));
        return { own, cohort };
      });
      return COHORTS.reply(own, cohort, null);
    },
  };
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
