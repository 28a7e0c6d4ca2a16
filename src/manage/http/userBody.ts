import type { User } from "../../metadata/mod.ts";

/** A user inside another object; null for none, or one that is gone. */
export function userBody(users: ReadonlyMap<number, User>, id: number | null) {
  const user = id === null ? undefined : users.get(id);
  if (user === undefined) return null;
  return {
    id: user.id,
    uuid: user.uuid,
    distinct_id: user.distinctId,
    first_name: user.firstName,
    last_name: user.lastName,
    email: user.email,
    is_email_verified: user.isEmailVerified,
    hedgehog_config: user.hedgehogConfig ?? {},
    role_at_organization: user.roleAtOrganization,
  };
}
