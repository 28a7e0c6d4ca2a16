import {
  createEnvironment,
  type Environment,
  findEnvironment,
  listEnvironments,
  readDataVersion,
  type Tx,
  updateEnvironment,
} from "../../metadata/mod.ts";
import type { JsonObject } from "../../types/mod.ts";
import { notFound } from "../http/errors.ts";
import { readFields, text } from "../http/fields.ts";
import { pageBody, readPage } from "../http/page.ts";
import { json } from "../http/reply.ts";
import type { EnvironmentCall, ProjectCall, Route } from "../http/route.ts";
import { basicEnvironmentBody, environmentBody } from "./body.ts";
import { ENVIRONMENT_FIELDS, SETTING_FIELDS, SETTINGS } from "./fields.ts";

const CREATE_FIELDS = { name: text({ maxLength: 200 }) };

export const environmentSettingsRoutes: Route[] = [
  {
    method: "GET",
    path: "/api/projects/:project_id/environments/",
    summary: "List the environments of a project",
    confinement: "project",
    scope: "project:read",
    handle: list,
  },
  {
    method: "POST",
    path: "/api/projects/:project_id/environments/",
    summary: "Create an environment",
    confinement: "project",
    scope: "*",
    level: "admin",
    body: CREATE_FIELDS,
    handle: create,
  },
  {
    method: "GET",
    path: "/api/projects/:project_id/environments/:id/",
    summary: "Retrieve an environment",
    confinement: "environment",
    environmentParam: "id",
    scope: "project:read",
    handle: retrieve,
  },
  {
    method: "PATCH",
    path: "/api/projects/:project_id/environments/:id/",
    summary: "Change an environment",
    confinement: "environment",
    environmentParam: "id",
    scope: "project:write",
    body: { ...ENVIRONMENT_FIELDS, ...SETTING_FIELDS },
    handle: patch,
  },
];

/** Whether anything was ever stored for it. */
export async function hasEvents(tx: Tx, teamId: number): Promise<boolean> {
  return (await readDataVersion(tx, teamId)) > 0;
}

async function list(call: ProjectCall): Promise<Response> {
  const page = readPage(call.query);
  const { scopedTeams } = call.caller.key;
  const bodies = await call.deps.db.read(async (tx) => {
    const bodies: unknown[] = [];
    for (const environment of await listEnvironments(tx, call.project.id)) {
      if (scopedTeams.length > 0 && !scopedTeams.includes(environment.id)) continue;
      bodies.push(basicEnvironmentBody(environment, await hasEvents(tx, environment.id)));
    }
    return bodies;
  });
  return json(pageBody(call.url, page, bodies.length, bodies.slice(page.offset, page.offset + page.limit)));
}

async function create(call: ProjectCall): Promise<Response> {
  const { name } = readFields(CREATE_FIELDS, await call.body());
  const environment = await call.deps.db.write(async (tx) => {
    const o = { projectId: call.project.id, name: name ?? "Default environment", nowMs: call.nowMs };
    return findEnvironment(tx, await createEnvironment(tx, o));
  });
  if (environment === null) throw notFound();
  return json(environmentBody(environment, { level: call.caller.key.level, hasEvents: false }), 201);
}

async function retrieve(call: EnvironmentCall): Promise<Response> {
  return json(await wholeBody(call, call.environment));
}

async function patch(call: EnvironmentCall): Promise<Response> {
  const body = await call.body();
  const columns = readFields(ENVIRONMENT_FIELDS, body);
  const values = readFields(SETTING_FIELDS, body) as JsonObject;
  const updated = await call.deps.db.write(async (tx) => {
    // Read again: two changes of different fields at the same moment must both stay.
    const present = await findEnvironment(tx, call.environment.id);
    if (present === null) throw notFound();
    await updateEnvironment(tx, present.id, {
      name: columns.name ?? present.name,
      timezone: columns.timezone ?? present.timezone,
      weekStartDay: columns.week_start_day === undefined ? present.weekStartDay : columns.week_start_day,
      settings: mergeSettings(present, values),
      nowMs: call.nowMs,
    });
    return findEnvironment(tx, present.id);
  });
  if (updated === null) throw notFound();
  return json(await wholeBody(call, updated));
}

function mergeSettings(present: Environment, values: JsonObject): JsonObject {
  const settings = { ...present.settings };
  for (const [name, value] of Object.entries(values)) {
    const merge = SETTINGS[name]?.merge;
    settings[name] = merge === undefined ? value : merge(settings[name] ?? null, value);
  }
  return settings;
}

async function wholeBody(call: EnvironmentCall, environment: Environment) {
  const stored = await call.deps.db.read((tx) => hasEvents(tx, environment.id));
  return environmentBody(environment, { level: call.caller.key.level, hasEvents: stored });
}
