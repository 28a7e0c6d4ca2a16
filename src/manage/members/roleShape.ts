import { findUsers, type RoleMembership, type User } from "../../metadata/mod.ts";
import { nullable, TIME, UUID } from "../../openapi/mod.ts";
import type { Tx } from "../../store/mod.ts";
import { shape, userOf, type WithUsers } from "../resource/shape.ts";
import { MEMBER, showMembers } from "./shape.ts";

interface Around extends WithUsers {
  members: ReadonlyMap<number, object>;
}

/** A member that has a role. */
export const ROLE_MEMBERSHIP = shape<RoleMembership, Around>("RoleMembership", {
  id: UUID,
  role_id: UUID,
  organization_member: [nullable(MEMBER.schema), ({ userId }, { members }) => members.get(userId) ?? null],
  user: userOf(({ userId }) => userId),
  joined_at: TIME,
  updated_at: [TIME, "joinedAtMs"],
});

export async function showMemberships(tx: Tx, memberships: readonly RoleMembership[]) {
  const users = await findUsers(
    tx,
    memberships.map(({ userId }) => userId),
  );
  const all: User[] = [...users.values()];
  const bodies = await showMembers(tx, all);
  const members = new Map(all.map(({ id }, i) => [id, bodies[i]!]));
  return memberships.map((one) => ({ ...ROLE_MEMBERSHIP.show(one, { users, members }), role_id: one.roleId }));
}
