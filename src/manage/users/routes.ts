import {
  type Environment,
  findEnvironment,
  findOrganization,
  findUsers,
  holdRow,
  readPasswordHash,
  replacePassword,
  type User,
  updateUser,
} from "../../metadata/mod.ts";
import type { Tx } from "../../store/mod.ts";
import type { Json } from "../../types/mod.ts";
import { readBasicBodies } from "../environments/shape.ts";
import { invalidField, notFound } from "../http/errors.ts";
import type { FieldValues } from "../http/fields.ts";
import { LISTED_ORGANIZATION, readOrganizationBody } from "../organizations/shape.ts";
import { Resource } from "../resource/resource.ts";
import { routesOf } from "../resource/routes.ts";
import { canSee, currentEnvironmentId } from "../serve/guard.ts";
import type { AccountCall, Route } from "../serve/route.ts";
import { requireOwnEmail } from "./email.ts";
import { USER_COLUMNS, USER_FIELDS } from "./fields.ts";
import { PASSWORD_CHANGED, readUserChange } from "./password.ts";
import { ME, writableOf } from "./shape.ts";

/** The user that asks; nobody sees another one here. */
const USERS: Resource<User, FieldValues<typeof USER_FIELDS>, AccountCall> = new Resource({
  noun: "user",
  path: "users",
  scope: "user",
  log: "User",
  logItem: ({ uuid }) => ({ teamId: null, itemId: uuid }),
  summaries: {
    retrieve: "Retrieve yourself, as `@me`",
    change:
      "Change yourself; `set_current_team` says what `@current` means. Another `email` or `password` takes the " +
      "`current_password` and a session, no key; a new password ends all other sessions",
  },
  fields: USER_FIELDS,
  // A password is checked and hashed before the transaction, which would wait for it.
  readBody: readUserChange,
  schema: ME.schema,
  find: async (_tx, { params: { uuid }, caller: { user } }) => (uuid === "@me" || uuid === user.uuid ? user : null),
  async hold(tx, call) {
    const { id } = await USERS.findIn(tx, call);
    await holdRow(tx, "users", id);
    return (await findUsers(tx, [id])).get(id) ?? null;
  },
  async change(tx, call, before, given) {
    const { set_current_team: teamId, password: hash, current_password: _, ...values } = given;
    const after = { ...before, settings: { ...before.settings } };
    for (const [name, value] of Object.entries(values)) {
      const column = USER_COLUMNS[name];
      if (column === undefined) after.settings[name] = value as Json;
      else Object.assign(after, { [column]: value });
    }
    if (teamId !== undefined) after.currentEnvironmentId = (await requireTeam(tx, call, teamId)).id;
    if (after.email !== before.email) await requireOwnEmail(tx, after, after.email);
    await updateUser(tx, after);
    if (hash === undefined) return { after };
    const exceptSessionId = call.caller.grant.id;
    await replacePassword(tx, { userId: after.id, hash, exceptSessionId, nowMs: call.deps.now() });
    return { after, others: [PASSWORD_CHANGED] };
  },
  nameOf: ({ firstName }) => firstName,
  logged: (_tx, user) => ({ ...writableOf(user), set_current_team: user.currentEnvironmentId }),
  show: (tx, call, users) => Promise.all(users.map((user) => readUserBody(tx, call, user))),
});

const { retrieve, change } = routesOf(USERS);

export const userRoutes: Route[] = [retrieve, change].map((route) => ({
  ...route,
  path: "/api/users/:uuid/",
  confinement: "user",
}));

/** The user as it sees itself. */
export async function readUserBody(tx: Tx, call: AccountCall, user: User) {
  const { caller } = call;
  const currentId = currentEnvironmentId({ ...caller, user });
  const current = currentId === null ? null : await findEnvironment(tx, currentId);
  const [team = null] = current === null || !canSee(caller, current) ? [] : await readBasicBodies(tx, [current]);
  const organization = await findOrganization(tx, user.organizationId);
  if (organization === null) throw notFound("Organization not found.");
  return ME.show(user, {
    scopes: caller.grant.scopes,
    scopedTeams: caller.grant.scopedTeams,
    hasPassword: (await readPasswordHash(tx, user.id)) !== null,
    team,
    organization: await readOrganizationBody(tx, call, organization),
    organizations: [LISTED_ORGANIZATION.show(organization, { caller })],
  });
}

async function requireTeam(tx: Tx, call: AccountCall, id: number): Promise<Environment> {
  const environment = await findEnvironment(tx, id);
  if (environment !== null && canSee(call.caller, environment)) return environment;
  throw invalidField("set_current_team", "does_not_exist", `Invalid pk "${id}" - object does not exist.`);
}
