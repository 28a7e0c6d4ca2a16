import { type AccessSubject, countAccess, findRole, findUserByUuid, holdRow } from "../../metadata/mod.ts";
import type { Tx } from "../../store/mod.ts";
import { invalidField } from "../http/errors.ts";
import { type FieldValues, nullable, text } from "../http/fields.ts";
import type { EnvironmentCall } from "../serve/route.ts";

/** Levels in one environment. A member's request reads those that apply to it. */
const LEVELS_MAX = 5000;

/** Whose level it is; that of all members where both are absent. */
export const SUBJECT_FIELDS = { organization_member: nullable(text()), role: nullable(text()) };

interface Subject {
  subject: AccessSubject;
  /** As the activity log calls it; null for all members. */
  name: { member: string } | { role: string } | null;
}

/** Throws ApiError 400 for one that is not there, and for a member and a role at once. */
export async function subjectOf(
  tx: Tx,
  call: EnvironmentCall,
  { organization_member: uuid, role: roleId }: FieldValues<typeof SUBJECT_FIELDS>,
): Promise<Subject> {
  const { organizationId } = call.caller.user;
  if (uuid != null && roleId != null) {
    const detail = "You can not scope an access control to both a member and a role.";
    throw invalidField(null, "invalid_input", detail);
  }
  if (uuid != null) {
    const user = await findUserByUuid(tx, organizationId, uuid);
    if (user === null) throw doesNotExist("organization_member", uuid);
    return { subject: { userId: user.id, roleId: null }, name: { member: user.email } };
  }
  if (roleId == null) return { subject: { userId: null, roleId: null }, name: null };
  const role = await findRole(tx, organizationId, roleId);
  if (role === null) throw doesNotExist("role", roleId);
  return { subject: { userId: null, roleId }, name: { role: role.name } };
}

/** Throws ApiError 400 where an environment has as many levels as it can have. */
export async function requireRoom(tx: Tx, teamId: number): Promise<void> {
  await holdRow(tx, "environments", teamId);
  if ((await countAccess(tx, teamId)) < LEVELS_MAX) return;
  throw invalidField(null, "max_length", `A project can have at most ${LEVELS_MAX} access levels.`);
}

const doesNotExist = (attr: string, id: string) =>
  invalidField(attr, "does_not_exist", `Invalid pk "${id}" - object does not exist.`);
