import { Type } from "@sinclair/typebox";
import { type Invite, lastLogins, type User } from "../../metadata/mod.ts";
import { nullable, oneOf, TIME, text, UUID } from "../../openapi/mod.ts";
import type { Tx } from "../../store/mod.ts";
import { MEMBERSHIP_LEVELS } from "../environments/shape.ts";
import { isoTime } from "../http/reply.ts";
import { always, shape, USER, userOf, type WithUsers } from "../resource/shape.ts";

const LEVEL = oneOf([1, 8, 15]);

/** A member of the organization. A user belongs to one, so the membership has the uuid of its user. */
export const MEMBER = shape<User, { lastLogins: ReadonlyMap<number, number> }>("OrganizationMember", {
  id: [UUID, "uuid"],
  user: [USER.schema, (user) => USER.show(user, null)],
  level: [LEVEL, ({ level }) => MEMBERSHIP_LEVELS[level]],
  joined_at: [TIME, "createdAtMs"],
  updated_at: [TIME, "levelAtMs"],
  is_2fa_enabled: always(false),
  has_social_auth: always(false),
  last_login: [nullable(TIME), ({ id }, around) => isoTime(around.lastLogins.get(id) ?? null)],
});

export async function showMembers(tx: Tx, users: readonly User[]) {
  const ids = users.map(({ id }) => id);
  const around = { lastLogins: await lastLogins(tx, ids) };
  return users.map((user) => MEMBER.show(user, around));
}

/** An invitation; `url` is there once, right after it was made. */
export type ShownInvite = Invite & { url?: string };

export const INVITE = shape<ShownInvite, WithUsers & { nowMs: number }>("OrganizationInvite", {
  id: UUID,
  url: [
    nullable(text("The link that makes its holder a member, right after it was made; null ever after.")),
    ({ url }) => url ?? null,
  ],
  target_email: [text(), "email"],
  first_name: text(),
  level: [LEVEL, ({ level }) => MEMBERSHIP_LEVELS[level]],
  is_expired: [Type.Boolean(), ({ expiresAtMs }, { nowMs }) => expiresAtMs <= nowMs],
  emailing_attempt_made: always(false),
  created_by: userOf(({ createdBy }) => createdBy),
  created_at: TIME,
  updated_at: [TIME, "createdAtMs"],
  expires_at: TIME,
});
