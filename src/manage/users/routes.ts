import {
  changesBetween,
  type Environment,
  findEnvironment,
  findUsers,
  holdRow,
  type User,
  updateUser,
} from "../../metadata/mod.ts";
import type { Tx } from "../../store/mod.ts";
import type { Json, JsonObject } from "../../types/mod.ts";
import { readBasicBodies } from "../environments/body.ts";
import { invalidField, notFound } from "../http/errors.ts";
import { readFields } from "../http/fields.ts";
import { isoTime, json } from "../http/reply.ts";
import { listedOrganization, readOrganizationBody } from "../organizations/body.ts";
import { recordOf } from "../serve/activity.ts";
import { canSee, currentEnvironmentId } from "../serve/guard.ts";
import type { AccountCall, Route } from "../serve/route.ts";
import { USER_COLUMNS, USER_FIELDS, USER_SETTINGS } from "./fields.ts";
import { ME } from "./schema.ts";

export const userRoutes: Route[] = [
  {
    method: "GET",
    path: "/api/users/:uuid/",
    summary: "Retrieve yourself, as `@me`",
    confinement: "user",
    scope: "user:read",
    responses: { 200: ME },
    handle: retrieve,
  },
  {
    method: "PATCH",
    path: "/api/users/:uuid/",
    summary: "Change yourself; `set_current_team` says what `@current` means",
    confinement: "user",
    scope: "user:write",
    responses: { 200: ME },
    body: USER_FIELDS,
    handle: patch,
  },
];

/** Nobody sees another user here. */
function requireSelf(call: AccountCall): void {
  const { uuid } = call.params;
  if (uuid !== "@me" && uuid !== call.caller.user.uuid) throw notFound();
}

/** The values of everything a user can change, by API name. */
function writableOf(user: User): JsonObject {
  const settings = Object.entries(USER_SETTINGS).map(([name, entry]): [string, Json] => [
    name,
    user.settings[name] ?? entry.default,
  ]);
  return {
    first_name: user.firstName,
    last_name: user.lastName,
    email: user.email,
    role_at_organization: user.roleAtOrganization,
    hedgehog_config: user.hedgehogConfig,
    ...Object.fromEntries(settings),
  };
}

async function readUserBody(tx: Tx, call: AccountCall, user: User) {
  const currentId = currentEnvironmentId({ ...call.caller, user });
  const current = currentId === null ? null : await findEnvironment(tx, currentId);
  const organization = await readOrganizationBody(tx, call);
  return {
    id: user.id,
    uuid: user.uuid,
    distinct_id: user.distinctId,
    ...writableOf(user),
    pending_email: null,
    is_email_verified: user.isEmailVerified,
    date_joined: isoTime(user.createdAtMs),
    has_password: false,
    is_staff: false,
    is_2fa_enabled: false,
    has_social_auth: false,
    has_sso_enforcement: false,
    is_impersonated: false,
    is_impersonated_until: null,
    sensitive_session_expires_at: null,
    team: current === null || !canSee(call.caller, current) ? null : (await readBasicBodies(tx, [current]))[0]!,
    organization,
    organizations: [listedOrganization(organization)],
  };
}

async function retrieve(call: AccountCall): Promise<Response> {
  requireSelf(call);
  return json(await call.deps.db.read((tx) => readUserBody(tx, call, call.caller.user)));
}

async function patch(call: AccountCall): Promise<Response> {
  requireSelf(call);
  const { set_current_team: teamId, ...values } = readFields(USER_FIELDS, await call.body());
  const body = await call.deps.db.write(async (tx) => {
    const { id } = call.caller.user;
    await holdRow(tx, "users", id);
    const before = (await findUsers(tx, [id])).get(id);
    if (before === undefined) throw notFound();
    const after = { ...before, settings: { ...before.settings } };
    for (const [name, value] of Object.entries(values)) {
      const column = USER_COLUMNS[name];
      if (column === undefined) after.settings[name] = value as Json;
      else Object.assign(after, { [column]: value });
    }
    if (teamId !== undefined) after.currentEnvironmentId = (await requireTeam(tx, call, teamId)).id;
    await updateUser(tx, after);
    const states = [before, after].map((user) => ({
      ...writableOf(user),
      set_current_team: user.currentEnvironmentId,
    }));
    const changes = changesBetween("User", states[0]!, states[1]!, Object.keys(states[0]!));
    const detail = { name: after.firstName, changes };
    await recordOf(tx, call, { teamId: null, scope: "User", itemId: after.uuid, activity: "updated", detail });
    return readUserBody(tx, call, after);
  });
  return json(body);
}

async function requireTeam(tx: Tx, call: AccountCall, id: number): Promise<Environment> {
  const environment = await findEnvironment(tx, id);
  if (environment !== null && canSee(call.caller, environment)) return environment;
  throw invalidField("set_current_team", "does_not_exist", `Invalid pk "${id}" - object does not exist.`);
}
