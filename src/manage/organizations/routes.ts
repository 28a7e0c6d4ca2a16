import { changesBetween, renameOrganization } from "../../metadata/mod.ts";
import { BASIC_ENVIRONMENT } from "../environments/shape.ts";
import { notFound } from "../http/errors.ts";
import { readFields, required, text } from "../http/fields.ts";
import { PAGE_QUERY, pageBody, readPage } from "../http/page.ts";
import { json } from "../http/reply.ts";
import { ACTIVITY_PAGE, pageOf } from "../http/shapes.ts";
import { listAll as listProjects } from "../projects/routes.ts";
import { ACTIVITY_LOG_QUERY, activityReply, readActivityFilter, recordOf } from "../serve/activity.ts";
import type { AccountCall, Route } from "../serve/route.ts";
import { readOrganization } from "./body.ts";
import { ORGANIZATION } from "./shape.ts";

const FIELDS = { name: text({ maxLength: 64 }) };

export const organizationRoutes: Route[] = [
  {
    method: "GET",
    path: "/api/organizations/",
    summary: "List the organisations you belong to: there is one",
    confinement: "account",
    scope: "organization:read",
    query: PAGE_QUERY,
    responses: { 200: pageOf(ORGANIZATION.schema) },
    handle: list,
  },
  {
    method: "GET",
    path: "/api/organizations/:id/",
    summary: "Retrieve the organisation, as `@current`",
    confinement: "account",
    scope: "organization:read",
    responses: { 200: ORGANIZATION.schema },
    handle: retrieve,
  },
  {
    method: "PATCH",
    path: "/api/organizations/:id/",
    summary: "Rename the organisation",
    confinement: "account",
    scope: "organization:write",
    requires: ["name"],
    responses: { 200: ORGANIZATION.schema },
    level: "admin",
    body: FIELDS,
    handle: patch,
  },
  {
    method: "GET",
    path: "/api/organizations/:id/projects/",
    summary: "List the projects of the organisation",
    confinement: "account",
    scope: "project:read",
    query: PAGE_QUERY,
    responses: { 200: pageOf(BASIC_ENVIRONMENT.schema) },
    async handle(call) {
      requireOwn(call);
      return listProjects(call);
    },
  },
  {
    method: "GET",
    path: "/api/organizations/:id/activity_log/",
    summary: "Who did what anywhere, newest first",
    confinement: "account",
    scope: "activity_log:read",
    query: ACTIVITY_LOG_QUERY,
    responses: { 200: ACTIVITY_PAGE },
    level: "admin",
    async handle(call) {
      requireOwn(call);
      const { organizationId } = call.caller.user;
      return activityReply(call, { ...readActivityFilter(call.query), organizationId });
    },
  },
];

function requireOwn(call: AccountCall): void {
  const { id } = call.params;
  if (id !== "@current" && id !== call.caller.user.organizationId) throw notFound("Organization not found.");
}

async function list(call: AccountCall): Promise<Response> {
  const page = readPage(call.query);
  const own = await call.deps.db.read(async (tx) => (await readOrganization(tx, call)).body);
  return json(pageBody(call.url, page, 1, page.offset === 0 ? [own] : []));
}

async function retrieve(call: AccountCall): Promise<Response> {
  requireOwn(call);
  return json(await call.deps.db.read(async (tx) => (await readOrganization(tx, call)).body));
}

async function patch(call: AccountCall): Promise<Response> {
  requireOwn(call);
  const name = required("name", readFields(FIELDS, await call.body()).name);
  const body = await call.deps.db.write(async (tx) => {
    const { organization: before } = await readOrganization(tx, call);
    await renameOrganization(tx, { id: before.id, name, nowMs: call.nowMs });
    const changes = changesBetween("Organization", { name: before.name }, { name }, ["name"]);
    const done = { teamId: null, scope: "Organization" as const, itemId: before.id, activity: "updated" };
    await recordOf(tx, call, { ...done, detail: { name, changes } });
    return (await readOrganization(tx, call)).body;
  });
  return json(body);
}
