import {
  changesBetween,
  type Environment,
  findProject,
  holdRow,
  listEnvironments,
  listProjects,
  type Project,
  renameProject,
} from "../../metadata/mod.ts";
import type { Tx } from "../../store/mod.ts";
import { deleteProject, makeProject } from "../environments/projects.ts";
import { ENVIRONMENTS } from "../environments/resource.ts";
import { BASIC_ENVIRONMENT, ENVIRONMENT, readBasicBodies, readEnvironmentBody } from "../environments/shape.ts";
import { notFound } from "../http/errors.ts";
import { readFields, text } from "../http/fields.ts";
import { empty, json } from "../http/reply.ts";
import { pageOf } from "../http/shapes.ts";
import { Resource } from "../resource/resource.ts";
import { routesOf } from "../resource/routes.ts";
import { closedTo } from "../serve/access.ts";
import { whoOf } from "../serve/activity.ts";
import { canSee, confine, renewed } from "../serve/guard.ts";
import { type AccountCall, accountRoutes, type ProjectCall, type Route } from "../serve/route.ts";
import { ENVIRONMENT_FIELDS, SETTING_FIELDS } from "../settings/fields.ts";

const CREATE_FIELDS = { name: text({ maxLength: 200 }) };

/** Those that the caller can see, as lists show them. */
const PROJECTS = new Resource<Project, object, AccountCall>({
  noun: "project",
  path: "projects",
  scope: "project",
  log: "Project",
  logItem: ({ id }) => ({ teamId: id, itemId: String(id) }),
  fields: {},
  schema: ENVIRONMENT.schema,
  pageSchema: pageOf(BASIC_ENVIRONMENT.schema),
  list: (tx, { caller }, page) => listProjects(tx, { ...page, closedIds: closedTo(caller) }),
  nameOf: ({ name }) => name,
  show: basicBodies,
});

export const PROJECT_LIST = routesOf(PROJECTS).list;

export const projectRoutes: Route[] = [
  ...accountRoutes([
    PROJECT_LIST,
    {
      method: "POST",
      path: "projects/",
      summary: "Create a project with its first environment",
      scope: "*",
      responses: { 201: ENVIRONMENT.schema },
      level: "admin",
      body: CREATE_FIELDS,
      handle: create,
    },
  ]),
  {
    method: "GET",
    path: "/api/projects/:project_id/",
    summary: "Retrieve a project",
    confinement: "project",
    scope: "project:read",
    responses: { 200: ENVIRONMENT.schema },
    handle: retrieve,
  },
  {
    method: "PATCH",
    path: "/api/projects/:project_id/",
    summary: "Rename a project; every other field is one of its first environment",
    confinement: "project",
    scope: "project:write",
    responses: { 200: ENVIRONMENT.schema },
    body: { ...ENVIRONMENT_FIELDS, ...SETTING_FIELDS },
    handle: patch,
  },
  {
    method: "DELETE",
    path: "/api/projects/:project_id/",
    summary: "Delete a project with its environments: their keys and data are gone at once",
    confinement: "project",
    scope: "project:write",
    responses: { 204: null },
    level: "admin",
    handle: remove,
  },
];

/** A project is shown as its first environment, or the next one that is left. */
function shownOf(project: Project, environments: readonly Environment[]): Environment | undefined {
  const own = environments.filter((environment) => environment.projectId === project.id);
  return own.find((environment) => environment.id === project.id) ?? own[0];
}

/** A key that is limited to some environments does not see the others through their project. */
async function readShown(tx: Tx, call: ProjectCall): Promise<Environment> {
  const environments = await listEnvironments(tx, [call.project.id]);
  const shown = shownOf(
    call.project,
    environments.filter((environment) => canSee(call.caller, environment)),
  );
  if (shown === undefined) throw notFound("Project not found.");
  return shown;
}

async function readProjectBody(tx: Tx, call: AccountCall, project: Project, shown: Environment) {
  const body = await readEnvironmentBody(tx, shown, call.caller);
  return { ...body, id: project.id, name: project.name };
}

/** Projects as lists show them. */
async function basicBodies(tx: Tx, { caller }: AccountCall, projects: readonly Project[]) {
  const ids = projects.map((project) => project.id);
  const environments = (await listEnvironments(tx, ids)).filter((environment) => canSee(caller, environment));
  const shown = projects.map((project) => shownOf(project, environments)!);
  const bodies = await readBasicBodies(tx, shown);
  return projects.map((project, i) => ({ ...bodies[i]!, id: project.id, name: project.name }));
}

async function create(call: AccountCall): Promise<Response> {
  const { name } = readFields(CREATE_FIELDS, await call.body());
  const { organizationId } = call.caller.user;
  const body = await call.deps.db.write(async (tx) => {
    const environment = await makeProject(tx, whoOf(call), { organizationId, name: name ?? "Default project" });
    return readEnvironmentBody(tx, environment, call.caller);
  });
  return json(body, 201);
}

async function retrieve(call: ProjectCall): Promise<Response> {
  const { project } = call;
  const body = await call.deps.db.read(async (tx) => readProjectBody(tx, call, project, await readShown(tx, call)));
  return json(body);
}

async function patch(call: ProjectCall): Promise<Response> {
  const { name, ...others } = readFields({ ...ENVIRONMENT_FIELDS, ...SETTING_FIELDS }, await call.body());
  const body = await call.deps.db.write(async (tx) => {
    await holdRow(tx, "projects", call.project.id);
    const before = await findProject(tx, call.project.id);
    if (before === null) throw notFound("Project not found.");
    const after = { ...before, name: name ?? before.name };
    await renameProject(tx, { id: after.id, name: after.name, nowMs: call.nowMs });
    const names = [before, after].map((project) => ({ name: project.name }));
    await PROJECTS.record(tx, call, after, "updated", changesBetween("Project", names[0]!, names[1]!, ["name"]));
    const asking = await renewed(tx, call);
    const own = await renewed(tx, { ...asking, environment: await readShown(tx, asking) });
    const shown = await ENVIRONMENTS.changeRecord(tx, own, await ENVIRONMENTS.findToChange(tx, own), others);
    return readProjectBody(tx, call, after, shown);
  });
  return json(body);
}

async function remove(call: ProjectCall): Promise<Response> {
  await call.deps.db.write(async (tx) => {
    for (const { id } of await listEnvironments(tx, [call.project.id])) confine(call.caller.grant, id);
    await deleteProject(tx, whoOf(call), call.project.id);
  });
  return empty(204);
}
