import {
  addToRole,
  findRoleMembership,
  findUserByUuid,
  findUsers,
  membershipsOf,
  type Role,
  type RoleMembership,
  removeFromRole,
} from "../../metadata/mod.ts";
import type { Tx } from "../../store/mod.ts";
import { parseUuid } from "../../types/mod.ts";
import { invalidField, notFound } from "../http/errors.ts";
import { readFields, required, text } from "../http/fields.ts";
import { PAGE_QUERY, pageBody, readPage } from "../http/page.ts";
import { empty, json } from "../http/reply.ts";
import { pageOf } from "../http/shapes.ts";
import type { AccountCall, HandledBy } from "../serve/route.ts";
import { holdAsAdmin } from "./organization.ts";
import { ROLE_MEMBERSHIP, showMemberships } from "./roleShape.ts";
import { ROLES } from "./roles.ts";

const FIELDS = { user_uuid: text() };
const ALL = "organizations/:id/roles/:role_id/role_memberships/";
const ONE = `${ALL}:membership_id/`;

/** Who has a role. */
export const ROLE_MEMBER_ROUTES: HandledBy<AccountCall>[] = [
  {
    method: "GET",
    path: ALL,
    summary: "List the members that have a role",
    scope: "organization:read",
    query: PAGE_QUERY,
    responses: { 200: pageOf(ROLE_MEMBERSHIP.schema) },
    handle: list,
  },
  {
    method: "POST",
    path: ALL,
    summary: "Give a role to the member `user_uuid`",
    scope: "organization:write",
    level: "admin",
    body: FIELDS,
    requires: ["user_uuid"],
    responses: { 201: ROLE_MEMBERSHIP.schema },
    handle: add,
  },
  {
    method: "GET",
    path: ONE,
    summary: "Retrieve a membership of a role",
    scope: "organization:read",
    responses: { 200: ROLE_MEMBERSHIP.schema },
    handle: retrieve,
  },
  {
    method: "DELETE",
    path: ONE,
    summary: "Take a role from a member",
    scope: "organization:write",
    level: "admin",
    responses: { 204: null },
    handle: remove,
  },
];

async function list(call: AccountCall): Promise<Response> {
  const page = readPage(call.query);
  const { count, bodies } = await call.deps.db.read(async (tx) => {
    const all = await membershipsOf(tx, [(await ROLES.findIn(tx, call)).id]);
    const shown = all.slice(page.offset, page.offset + page.limit);
    return { count: all.length, bodies: await showMemberships(tx, shown) };
  });
  return json(pageBody(call.url, page, count, bodies));
}

async function add(asking: AccountCall): Promise<Response> {
  const uuid = required("user_uuid", readFields(FIELDS, await asking.body()).user_uuid);
  const body = await asking.deps.db.write(async (tx) => {
    const call = await holdAsAdmin(tx, asking);
    const role = await ROLES.findIn(tx, call);
    const user = await findUserByUuid(tx, role.organizationId, uuid);
    if (user === null) throw invalidField("user_uuid", "invalid_input", "User does not exist.");
    const added = await addToRole(tx, { roleId: role.id, userId: user.id, nowMs: call.nowMs });
    if (added === null) throw invalidField("user_uuid", "invalid_input", "User is already part of the role.");
    await record(tx, call, role, { before: null, after: user.email });
    return (await showMemberships(tx, [added]))[0];
  });
  return json(body, 201);
}

async function find(tx: Tx, call: AccountCall): Promise<{ role: Role; membership: RoleMembership }> {
  const role = await ROLES.findIn(tx, call);
  const id = parseUuid(call.params.membership_id ?? "");
  const membership = id === null ? null : await findRoleMembership(tx, role.id, id);
  if (membership === null) throw notFound();
  return { role, membership };
}

async function retrieve(call: AccountCall): Promise<Response> {
  const [body] = await call.deps.db.read(async (tx) => showMemberships(tx, [(await find(tx, call)).membership]));
  return json(body);
}

async function remove(asking: AccountCall): Promise<Response> {
  await asking.deps.db.write(async (tx) => {
    const call = await holdAsAdmin(tx, asking);
    const { role, membership } = await find(tx, call);
    const user = (await findUsers(tx, [membership.userId])).get(membership.userId);
    await removeFromRole(tx, membership.id);
    await record(tx, call, role, { before: user?.email ?? null, after: null });
  });
  return empty(204);
}

function record(tx: Tx, call: AccountCall, role: Role, o: { before: string | null; after: string | null }) {
  const action = o.after === null ? "deleted" : "created";
  return ROLES.record(tx, call, role, "updated", [{ type: "Role", action, field: "member", ...o }]);
}
