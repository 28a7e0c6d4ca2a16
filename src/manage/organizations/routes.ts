import { findOrganization, type Organization, renameOrganization } from "../../metadata/mod.ts";
import { type FieldValues, required, text } from "../http/fields.ts";
import { PROJECT_LIST } from "../projects/routes.ts";
import { Resource } from "../resource/resource.ts";
import { routesOf } from "../resource/routes.ts";
import { apiValues } from "../resource/shape.ts";
import { type AccountCall, accountRoutes } from "../serve/route.ts";
import { ORGANIZATION, readOrganizationBody } from "./shape.ts";

const FIELDS = { name: text({ maxLength: 64 }) };

/** There is one, the caller's own. */
export const ORGANIZATIONS = new Resource<Organization, FieldValues<typeof FIELDS>, AccountCall>({
  noun: "organisation",
  path: "organizations",
  scope: "organization",
  log: "Organization",
  missing: "Organization not found.",
  summaries: {
    list: "List the organisations you belong to: there is one",
    retrieve: "Retrieve the organisation, as `@current`",
    change: "Rename the organisation",
  },
  fields: FIELDS,
  schema: ORGANIZATION.schema,
  async find(tx, { params: { id }, caller: { user } }) {
    return id === "@current" || id === user.organizationId ? findOrganization(tx, user.organizationId) : null;
  },
  async list(tx, { caller: { user } }, { offset }) {
    const own = offset === 0 ? await findOrganization(tx, user.organizationId) : null;
    return { count: 1, items: own === null ? [] : [own] };
  },
  async change(tx, { nowMs }, before, values) {
    const after = { ...before, name: required("name", values.name), updatedAtMs: nowMs };
    await renameOrganization(tx, { id: after.id, name: after.name, nowMs });
    return { after };
  },
  nameOf: ({ name }) => name,
  logged: (_tx, organization) => apiValues(organization, Object.keys(FIELDS)),
  show: (tx, call, found) => Promise.all(found.map((organization) => readOrganizationBody(tx, call, organization))),
});

const { list, retrieve, change } = routesOf(ORGANIZATIONS);

export const organizationRoutes = accountRoutes([
  list,
  retrieve,
  { ...change, requires: ["name"], level: "admin" },
  {
    ...PROJECT_LIST,
    path: "organizations/:id/projects/",
    summary: "List the projects of the organisation",
    async handle(call) {
      await ORGANIZATIONS.find(call);
      return PROJECT_LIST.handle(call);
    },
  },
]);
