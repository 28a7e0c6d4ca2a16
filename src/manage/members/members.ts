import {
  countOwners,
  findUserByUuid,
  holdRow,
  LEVELS,
  listUsers,
  MEMBER_ORDERS,
  removeInvitesBy,
  removeMember,
  setUserLevel,
  type User,
} from "../../metadata/mod.ts";
import { parseUuid } from "../../types/mod.ts";
import { MEMBERSHIP_LEVELS } from "../environments/shape.ts";
import { invalidField, permissionDenied } from "../http/errors.ts";
import { type FieldValues, required } from "../http/fields.ts";
import { Resource } from "../resource/resource.ts";
import { routesOf } from "../resource/routes.ts";
import type { AccountCall, Caller, HandledBy } from "../serve/route.ts";
import { hasLevel } from "../serve/userLevel.ts";
import { levelNumber } from "./levelField.ts";
import { holdOrganization, organizationOf } from "./organization.ts";
import { MEMBER, showMembers } from "./shape.ts";

const FIELDS = { level: levelNumber() };

/** The members of the organization. */
const MEMBERS: Resource<User, FieldValues<typeof FIELDS>, AccountCall> = new Resource({
  noun: "member",
  path: "organizations/:id/members",
  scope: "organization_member",
  log: "OrganizationMembership",
  logItem: ({ uuid }) => ({ teamId: null, itemId: uuid }),
  summaries: {
    list: "List the members",
    change: "Change the `level` of a member: 1 member, 8 admin, 15 owner; not your own, and none above your own",
    remove: "Remove a member, or leave: its sessions and keys end at once, what it made stays; the last owner stays",
  },
  fields: FIELDS,
  schema: MEMBER.schema,
  orders: MEMBER_ORDERS,
  order: MEMBER_ORDERS.joined_at,
  async find(tx, call) {
    const { uuid = "" } = call.params;
    const organizationId = organizationOf(call);
    const id = uuid === "@me" ? call.caller.user.uuid : parseUuid(uuid);
    return id === null ? null : findUserByUuid(tx, organizationId, id);
  },
  async hold(tx, call) {
    await holdOrganization(tx, call);
    const user = await MEMBERS.findIn(tx, call);
    // A login that has seen the user before must not open a session after this.
    await holdRow(tx, "users", user.id);
    return user;
  },
  list: (tx, call, page) => listUsers(tx, organizationOf(call), page),
  async change(tx, call, before, values) {
    const { caller, nowMs } = await holdOrganization(tx, call);
    const level = required("level", values.level);
    checkReach(caller, before);
    if (before.id === caller.user.id) throw permissionDenied("You can't change your own access level.");
    if (!hasLevel(caller.grant, level)) {
      throw permissionDenied("You can only change access level of others to lower or equal to your current one.");
    }
    if (level === before.level) return { after: before };
    await setUserLevel(tx, { userId: before.id, level, nowMs });
    // Nobody becomes by a link what its maker could not make of others any more.
    await removeInvitesBy(
      tx,
      before.id,
      level === "member" ? LEVELS : LEVELS.filter((one) => !hasLevel({ level }, one)),
    );
    return { after: { ...before, level, levelAtMs: nowMs } };
  },
  async remove(tx, call, user) {
    const { caller, deps } = await holdOrganization(tx, call);
    checkReach(caller, user);
    const { id, organizationId, level } = user;
    if (level === "owner" && (await countOwners(tx, organizationId)) < 2) {
      throw invalidField(null, "last_owner", "The last owner stays: make another member an owner first.");
    }
    await removeMember(tx, id, deps.now());
  },
  nameOf: ({ email }) => email,
  logged: (_tx, { level }) => ({ level: MEMBERSHIP_LEVELS[level] }),
  show: (tx, _call, users) => showMembers(tx, users),
});

/** Admins change others, up to their own level; a key that is below its user cannot do to it what the user can. Throws ApiError 403. */
function checkReach({ grant, user: { id } }: Caller, member: User): void {
  if (member.id !== id && !hasLevel(grant, "admin")) {
    throw permissionDenied("You can only edit others if you are an admin.");
  }
  if (!hasLevel(grant, member.level)) {
    throw permissionDenied("You can only edit others with level lower or equal to you.");
  }
}

const { list, change, remove } = routesOf(MEMBERS);
const ONE = "organizations/:id/members/:uuid/";

export const MEMBER_ROUTES: HandledBy<AccountCall>[] = [
  list,
  { ...change, path: ONE, requires: ["level"], level: "admin" },
  { ...remove, path: ONE },
];
