import {
  createEnvironment,
  findEnvironment,
  findProject,
  holdRow,
  listEnvironments,
  pageEnvironments,
} from "../../metadata/mod.ts";
import { notFound } from "../http/errors.ts";
import { readFields, text } from "../http/fields.ts";
import { PAGE_QUERY, pageBody, readPage } from "../http/page.ts";
import { empty, json } from "../http/reply.ts";
import { ACTIVITY_PAGE, pageOf } from "../http/shapes.ts";
import { seesAll } from "../serve/access.ts";
import { ACTIVITY_LOG_QUERY, activityReply, readActivityFilter, whoOf } from "../serve/activity.ts";
import { canSee } from "../serve/guard.ts";
import {
  type AccountCall,
  type EnvironmentCall,
  environmentRoutes,
  type ProjectCall,
  type Route,
} from "../serve/route.ts";
import { ENVIRONMENT_FIELDS, SETTING_FIELDS } from "../settings/fields.ts";
import { ENVIRONMENT_ACTIONS } from "./actions.ts";
import { readBasicBodies, readEnvironmentBody } from "./body.ts";
import { changeEnvironment, readEnvironmentChange, recordEnvironment } from "./change.ts";
import { deleteEnvironment } from "./projects.ts";
import { BASIC_ENVIRONMENT, ENVIRONMENT } from "./shape.ts";

const CREATE_FIELDS = { name: text({ maxLength: 200 }) };

/** The environment itself. */
const OBJECT_ROUTES = [
  {
    method: "GET",
    path: "",
    summary: "Retrieve an environment",
    scope: "project:read",
    responses: { 200: ENVIRONMENT.schema },
    handle: retrieve,
  },
  {
    method: "PATCH",
    path: "",
    summary: "Change an environment",
    scope: "project:write",
    responses: { 200: ENVIRONMENT.schema },
    body: { ...ENVIRONMENT_FIELDS, ...SETTING_FIELDS },
    handle: patch,
  },
  {
    method: "DELETE",
    path: "",
    summary: "Delete an environment: its key and its data are gone at once; the last one takes its project with it",
    scope: "project:write",
    responses: { 204: null },
    level: "admin",
    handle: remove,
  },
] as const;

export const environmentSettingsRoutes: Route[] = [
  {
    method: "GET",
    path: "/api/environments/",
    summary: "List the environments of all projects",
    confinement: "account",
    scope: "project:read",
    query: PAGE_QUERY,
    responses: { 200: pageOf(BASIC_ENVIRONMENT.schema) },
    handle: listAll,
  },
  {
    method: "GET",
    path: "/api/projects/:project_id/environments/",
    summary: "List the environments of a project",
    confinement: "project",
    scope: "project:read",
    query: PAGE_QUERY,
    responses: { 200: pageOf(BASIC_ENVIRONMENT.schema) },
    handle: list,
  },
  {
    method: "POST",
    path: "/api/projects/:project_id/environments/",
    summary: "Create an environment",
    confinement: "project",
    scope: "*",
    responses: { 201: ENVIRONMENT.schema },
    level: "admin",
    body: CREATE_FIELDS,
    handle: create,
  },
  ...[...OBJECT_ROUTES, ...ENVIRONMENT_ACTIONS].map((route) => ({
    ...route,
    path: `/api/projects/:project_id/environments/:id/${route.path}`,
    confinement: "environment" as const,
    environmentParam: "id" as const,
  })),
  ...OBJECT_ROUTES.map((route) => ({
    ...route,
    path: "/api/environments/:project_id/",
    confinement: "environment" as const,
    environmentParam: "project_id" as const,
  })),
  ...environmentRoutes([
    ...ENVIRONMENT_ACTIONS,
    {
      method: "GET",
      path: "activity_log/",
      summary: "Who did what in the environment, newest first",
      scope: "activity_log:read",
      query: ACTIVITY_LOG_QUERY,
      responses: { 200: ACTIVITY_PAGE },
      handle: activityLog,
    },
  ]),
];

async function listAll(call: AccountCall): Promise<Response> {
  const page = readPage(call.query);
  const { count, bodies } = await call.deps.db.read(async (tx) => {
    const { count, items } = await pageEnvironments(tx, { ...page, openOnly: !seesAll(call.caller) });
    return { count, bodies: await readBasicBodies(tx, items) };
  });
  return json(pageBody(call.url, page, count, bodies));
}

async function list(call: ProjectCall): Promise<Response> {
  const page = readPage(call.query);
  const bodies = await call.deps.db.read(async (tx) => {
    const environments = await listEnvironments(tx, [call.project.id]);
    return readBasicBodies(
      tx,
      environments.filter((environment) => canSee(call.caller, environment)),
    );
  });
  return json(pageBody(call.url, page, bodies.length, bodies.slice(page.offset, page.offset + page.limit)));
}

async function create(call: ProjectCall): Promise<Response> {
  const { name } = readFields(CREATE_FIELDS, await call.body());
  const body = await call.deps.db.write(async (tx) => {
    await holdRow(tx, "projects", call.project.id);
    if ((await findProject(tx, call.project.id)) === null) throw notFound("Project not found.");
    const o = { projectId: call.project.id, name: name ?? "Default environment", nowMs: call.nowMs };
    const environment = await findEnvironment(tx, await createEnvironment(tx, o));
    if (environment === null) throw notFound();
    await recordEnvironment(tx, whoOf(call), environment, "created");
    return readEnvironmentBody(tx, environment, call.caller);
  });
  return json(body, 201);
}

async function retrieve(call: EnvironmentCall): Promise<Response> {
  return json(await call.deps.db.read((tx) => readEnvironmentBody(tx, call.environment, call.caller)));
}

async function patch(call: EnvironmentCall): Promise<Response> {
  const change = readEnvironmentChange(await call.body());
  const body = await call.deps.db.write(async (tx) =>
    readEnvironmentBody(tx, await changeEnvironment(tx, call, call.environment.id, change), call.caller),
  );
  return json(body);
}

async function remove(call: EnvironmentCall): Promise<Response> {
  await call.deps.db.write((tx) => deleteEnvironment(tx, whoOf(call), call.environment));
  return empty(204);
}

function activityLog(call: EnvironmentCall): Promise<Response> {
  return activityReply(call, { ...readActivityFilter(call.query), teamId: call.environment.id });
}
