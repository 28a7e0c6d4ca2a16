import {
  createEnvironment,
  type Environment,
  findDashboard,
  findEnvironment,
  findProject,
  holdRow,
  listEnvironments,
  pageEnvironments,
  updateEnvironment,
} from "../../metadata/mod.ts";
import type { Tx } from "../../store/mod.ts";
import type { Json, JsonObject } from "../../types/mod.ts";
import { invalidField, notFound } from "../http/errors.ts";
import { type FieldValues, text } from "../http/fields.ts";
import { pageOf } from "../http/shapes.ts";
import { Resource } from "../resource/resource.ts";
import { closedTo, mayDo } from "../serve/access.ts";
import { canSee } from "../serve/guard.ts";
import type { AccountCall, ProjectCall } from "../serve/route.ts";
import { ENVIRONMENT_FIELDS, SETTING_FIELDS, SETTINGS, settingOf } from "../settings/fields.ts";
import { BASIC_ENVIRONMENT, ENVIRONMENT, readBasicBodies, readEnvironmentBody } from "./shape.ts";
import { checkTestAccounts } from "./testAccounts.ts";

const COMMON = {
  noun: "environment",
  path: "environments",
  scope: "project",
  log: "Team",
  logItem: ({ id }: Environment) => ({ teamId: id, itemId: String(id) }),
  nameOf: ({ name }: Environment) => name,
} as const;

/** What lists show. */
const LISTED = {
  fields: {},
  schema: ENVIRONMENT.schema,
  pageSchema: pageOf(BASIC_ENVIRONMENT.schema),
  show: (tx: Tx, _call: AccountCall, environments: readonly Environment[]) => readBasicBodies(tx, environments),
} as const;

/** Those of all projects. */
export const ALL_ENVIRONMENTS = new Resource<Environment, object, AccountCall>({
  ...COMMON,
  ...LISTED,
  summaries: { list: "List the environments of all projects" },
  list: (tx, { caller }, page) => pageEnvironments(tx, { ...page, closedIds: closedTo(caller) }),
});

const NEW_FIELDS = { name: text({ maxLength: 200 }) };

/** Those of one project. */
export const ENVIRONMENTS_OF_PROJECT = new Resource<Environment, FieldValues<typeof NEW_FIELDS>, ProjectCall>({
  ...COMMON,
  ...LISTED,
  summaries: { list: "List the environments of a project" },
  fields: NEW_FIELDS,
  async list(tx, { caller, project }, { offset, limit }) {
    const seen = (await listEnvironments(tx, [project.id])).filter((environment) => canSee(caller, environment));
    return { count: seen.length, items: seen.slice(offset, offset + limit) };
  },
  async make(tx, { project: { id: projectId }, nowMs }, { name = "Default environment" }) {
    await holdRow(tx, "projects", projectId);
    if ((await findProject(tx, projectId)) === null) throw notFound("Project not found.");
    const environment = await findEnvironment(tx, await createEnvironment(tx, { projectId, name, nowMs }));
    if (environment === null) throw notFound();
    return environment;
  },
  whole: { show: showWhole },
});

/** The one that the path names. */
export const ENVIRONMENTS = new Resource<Environment, FieldValues<typeof ENVIRONMENT_FIELDS>>({
  ...COMMON,
  summaries: { change: "Change an environment" },
  fields: { ...ENVIRONMENT_FIELDS, ...SETTING_FIELDS },
  schema: ENVIRONMENT.schema,
  // The guard has just read it.
  find: async (_tx, { environment }) => environment,
  async hold(tx, { environment: { id } }) {
    await holdRow(tx, "environments", id);
    return findEnvironment(tx, id);
  },
  async change(tx, call, before, { name = before.name, timezone = before.timezone, ...values }) {
    const { week_start_day: weekStartDay = before.weekStartDay, ...settings } = values;
    const wanted = settings as JsonObject;
    await checkDashboard(tx, call, before, wanted.primary_dashboard);
    await checkTestAccounts(tx, call, before, wanted.test_account_filters);
    const merged = mergeSettings(before.settings, wanted, call.deps.config.manageBodyMaxBytes);
    const after = { ...before, name, timezone, weekStartDay, settings: merged, updatedAtMs: call.nowMs };
    await updateEnvironment(tx, after);
    return { after };
  },
  logged(_tx, environment) {
    const { name, timezone, weekStartDay: week_start_day } = environment;
    const settings = Object.keys(SETTINGS).map((key) => [key, settingOf(environment, key)]);
    return { name, timezone, week_start_day, ...Object.fromEntries(settings) };
  },
  show: (tx, { caller }, environments) =>
    Promise.all(environments.map((environment) => readEnvironmentBody(tx, environment, caller))),
});

function showWhole({ deps, caller }: AccountCall, environments: readonly Environment[]) {
  return deps.db.read((tx) => Promise.all(environments.map((one) => readEnvironmentBody(tx, one, caller))));
}

/** What was there before may stay, though it is closed to the caller. Throws ApiError 400. */
async function checkDashboard(
  tx: Tx,
  { caller }: Pick<AccountCall, "caller">,
  before: Environment,
  id: Json | undefined,
): Promise<void> {
  if (typeof id !== "number" || id === settingOf(before, "primary_dashboard")) return;
  const found = await findDashboard(tx, before.id, id);
  if (found !== null && !found.deleted && mayDo(caller, "dashboard", found, "viewer")) return;
  throw invalidField("primary_dashboard", "invalid_input", "Dashboard does not belong to this team.");
}

/** Some settings grow with every change, so there is a limit to all of them together. */
function mergeSettings(present: JsonObject, values: JsonObject, maxBytes: number): JsonObject {
  const merged: Record<string, Json> = { ...present };
  for (const [name, value] of Object.entries(values)) {
    const merge = SETTINGS[name]?.merge;
    merged[name] = merge === undefined ? value : merge(merged[name] ?? null, value);
  }
  if (Buffer.byteLength(JSON.stringify(merged)) > maxBytes) {
    throw invalidField(null, "max_length", `The settings of an environment must not be larger than ${maxBytes} bytes.`);
  }
  return merged;
}
