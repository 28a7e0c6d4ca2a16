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
import type { Json } from "../../types/mod.ts";
import { readBasicBodies } from "../environments/body.ts";
import { invalidField, notFound } from "../http/errors.ts";
import { readFields } from "../http/fields.ts";
import { json } from "../http/reply.ts";
import { readOrganization } from "../organizations/body.ts";
import { recordOf } from "../serve/activity.ts";
import { canSee, currentEnvironmentId } from "../serve/guard.ts";
import type { AccountCall, Route } from "../serve/route.ts";
import { USER_COLUMNS, USER_FIELDS } from "./fields.ts";
import { ME, writableOf } from "./shape.ts";

export const userRoutes: Route[] = [
  {
    method: "GET",
    path: "/api/users/:uuid/",
    summary: "Retrieve yourself, as `@me`",
    confinement: "user",
    scope: "user:read",
    responses: { 200: ME.schema },
    handle: retrieve,
  },
  {
    method: "PATCH",
    path: "/api/users/:uuid/",
    summary: "Change yourself; `set_current_team` says what `@current` means",
    confinement: "user",
    scope: "user:write",
    responses: { 200: ME.schema },
    body: USER_FIELDS,
    handle: patch,
  },
];

/** Nobody sees another user here. */
function requireSelf(call: AccountCall): void {
  const { uuid } = call.params;
  if (uuid !== "@me" && uuid !== call.caller.user.uuid) throw notFound();
}

async function readUserBody(tx: Tx, call: AccountCall, user: User) {
  const currentId = currentEnvironmentId({ ...call.caller, user });
  const current = currentId === null ? null : await findEnvironment(tx, currentId);
  const { body: organization, listed } = await readOrganization(tx, call);
  const [team = null] = current === null || !canSee(call.caller, current) ? [] : await readBasicBodies(tx, [current]);
  return ME.show(user, { team, organization, organizations: [listed] });
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
