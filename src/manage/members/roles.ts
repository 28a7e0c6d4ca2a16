import { Type } from "@sinclair/typebox";
import {
  createRole,
  findRole,
  findUsers,
  listRoles,
  membershipsOf,
  type Role,
  removeRole,
  renameRole,
} from "../../metadata/mod.ts";
import { TIME, text as textSchema, UUID } from "../../openapi/mod.ts";
import type { Tx } from "../../store/mod.ts";
import { parseUuid } from "../../types/mod.ts";
import { invalidField } from "../http/errors.ts";
import { type FieldValues, required, text } from "../http/fields.ts";
import { Resource } from "../resource/resource.ts";
import { routesOf } from "../resource/routes.ts";
import { always, shape, userOf, type WithUsers } from "../resource/shape.ts";
import type { AccountCall, HandledBy } from "../serve/route.ts";
import { holdAsAdmin, organizationOf } from "./organization.ts";
import { ROLE_MEMBERSHIP, showMemberships } from "./roleShape.ts";

const ROLES_MAX = 200;

const FIELDS = { name: text({ maxLength: 200 }) };

const ROLE = shape<Role, WithUsers & { members(role: Role): unknown[] }>("Role", {
  id: UUID,
  name: textSchema(),
  created_at: TIME,
  created_by: userOf(({ createdBy }) => createdBy),
  members: [Type.Array(ROLE_MEMBERSHIP.schema), (role, { members }) => members(role)],
  is_default: always(false),
});

/** Names for some of the members: levels can be set for all of them at once. */
export const ROLES = new Resource<Role, FieldValues<typeof FIELDS>, AccountCall>({
  noun: "role",
  path: "organizations/:id/roles",
  scope: "organization",
  log: "Role",
  logItem: ({ id }) => ({ teamId: null, itemId: id }),
  summaries: { change: "Rename a role", remove: "Delete a role, with the access levels that it has" },
  fields: FIELDS,
  requires: ["name"],
  schema: ROLE.schema,
  find: roleOf,
  async hold(tx, call) {
    await holdAsAdmin(tx, call);
    return roleOf(tx, call);
  },
  list: (tx, call, page) => listRoles(tx, organizationOf(call), page),
  async make(tx, asking, values) {
    const call = await holdAsAdmin(tx, asking);
    const organizationId = organizationOf(call);
    const { count } = await listRoles(tx, organizationId, { limit: 1, offset: 0 });
    if (count >= ROLES_MAX) throw invalidField(null, "max_length", `There can be at most ${ROLES_MAX} roles.`);
    const wish = { organizationId, name: required("name", values.name) };
    const role = await createRole(tx, { ...wish, userId: call.caller.user.id, nowMs: call.nowMs });
    if (role === null) throw nameTaken();
    return role;
  },
  async change(tx, _call, before, { name = before.name }) {
    if (!(await renameRole(tx, before.id, name))) throw nameTaken();
    return { after: { ...before, name } };
  },
  remove: (tx, _call, { id }) => removeRole(tx, id),
  nameOf: ({ name }) => name,
  logged: (_tx, { name }) => ({ name }),
  async show(tx, _call, roles) {
    const memberships = await membershipsOf(
      tx,
      roles.map(({ id }) => id),
    );
    const bodies = Map.groupBy(await showMemberships(tx, memberships), ({ role_id }) => role_id);
    const users = await findUsers(
      tx,
      roles.map(({ createdBy }) => createdBy),
    );
    return roles.map((role) => ROLE.show(role, { users, members: ({ id }) => bodies.get(id) ?? [] }));
  },
});

function roleOf(tx: Tx, call: AccountCall): Promise<Role | null> {
  const organizationId = organizationOf(call);
  const id = parseUuid(call.params.role_id ?? "");
  return id === null ? Promise.resolve(null) : findRole(tx, organizationId, id);
}

const nameTaken = () => invalidField("name", "unique", "There is already a role with this name.");

const { list, create, retrieve, change, remove } = routesOf(ROLES);
const ONE = "organizations/:id/roles/:role_id/";

export const ROLE_ROUTES: HandledBy<AccountCall>[] = [
  list,
  { ...create, level: "admin" },
  { ...retrieve, path: ONE },
  { ...change, path: ONE, level: "admin" },
  { ...remove, path: ONE, level: "admin" },
];
