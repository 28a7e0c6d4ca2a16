import {
  countProjects,
  createProject,
  findEnvironment,
  listEnvironments,
  listProjects,
  type Project,
  type Tx,
} from "../../metadata/mod.ts";
import { basicEnvironmentBody, environmentBody } from "../environments/body.ts";
import { hasEvents } from "../environments/routes.ts";
import { notFound } from "../http/errors.ts";
import { readFields, text } from "../http/fields.ts";
import { pageBody, readPage } from "../http/page.ts";
import { json } from "../http/reply.ts";
import type { AccountCall, ProjectCall, Route } from "../http/route.ts";

const CREATE_FIELDS = { name: text({ maxLength: 200 }) };

export const projectRoutes: Route[] = [
  {
    method: "GET",
    path: "/api/projects/",
    summary: "List the projects",
    confinement: "account",
    scope: "project:read",
    handle: list,
  },
  {
    method: "POST",
    path: "/api/projects/",
    summary: "Create a project with its first environment",
    confinement: "account",
    scope: "*",
    level: "admin",
    body: CREATE_FIELDS,
    handle: create,
  },
  {
    method: "GET",
    path: "/api/projects/:project_id/",
    summary: "Retrieve a project",
    confinement: "project",
    scope: "project:read",
    handle: retrieve,
  },
];

/** A project is shown as its first environment, or the next one that is left. */
async function shownEnvironment(tx: Tx, project: Project) {
  return (await findEnvironment(tx, project.id)) ?? (await listEnvironments(tx, project.id))[0] ?? null;
}

async function list(call: AccountCall): Promise<Response> {
  const page = readPage(call.query);
  const { count, results } = await call.deps.db.read(async (tx) => {
    const results: unknown[] = [];
    for (const project of await listProjects(tx, page)) {
      const environment = await shownEnvironment(tx, project);
      if (environment === null) continue;
      const stored = await hasEvents(tx, environment.id);
      results.push({ ...basicEnvironmentBody(environment, stored), id: project.id, name: project.name });
    }
    return { count: await countProjects(tx), results };
  });
  return json(pageBody(call.url, page, count, results));
}

async function create(call: AccountCall): Promise<Response> {
  const { name } = readFields(CREATE_FIELDS, await call.body());
  const { user, key } = call.caller;
  const environment = await call.deps.db.write(async (tx) => {
    const o = { organizationId: user.organizationId, name: name ?? "Default project", nowMs: call.nowMs };
    return findEnvironment(tx, await createProject(tx, o));
  });
  if (environment === null) throw notFound();
  return json(environmentBody(environment, { level: key.level, hasEvents: false }), 201);
}

async function retrieve(call: ProjectCall): Promise<Response> {
  const { project, caller } = call;
  const body = await call.deps.db.read(async (tx) => {
    const environment = await shownEnvironment(tx, project);
    if (environment === null) throw notFound("Project not found.");
    const o = { level: caller.key.level, hasEvents: await hasEvents(tx, environment.id) };
    return { ...environmentBody(environment, o), id: project.id, name: project.name };
  });
  return json(body);
}
