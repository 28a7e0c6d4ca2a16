import { Type } from "@sinclair/typebox";
import type { User } from "../../metadata/mod.ts";
import { integer, nullable, TIME, text, UUID } from "../../openapi/mod.ts";
import type { JsonObject } from "../../types/mod.ts";
import { BASIC_ENVIRONMENT } from "../environments/shape.ts";
import { shownOf } from "../http/fields.ts";
import { isoTime } from "../http/reply.ts";
import { LISTED_ORGANIZATION, ORGANIZATION } from "../organizations/shape.ts";
import { always, type Members, shape } from "../resource/shape.ts";
import { USER_COLUMNS, USER_FIELDS, USER_SETTINGS } from "./fields.ts";

/** Everything that a user can change, by API name, with its value. */
const WRITABLE = {
  ...Object.fromEntries(
    Object.entries(USER_COLUMNS).map(([name, column]) => [
      name,
      [shownOf(USER_FIELDS[name as keyof typeof USER_FIELDS]), (user: User) => user[column]],
    ]),
  ),
  ...Object.fromEntries(
    Object.entries(USER_SETTINGS).map(([name, { field, default: initial }]) => [
      name,
      [shownOf(field), ({ settings }: User) => settings[name] ?? initial],
    ]),
  ),
} as Record<string, readonly [ReturnType<typeof shownOf>, (user: User) => unknown]>;

export const writableOf = (user: User): JsonObject =>
  Object.fromEntries(Object.entries(WRITABLE).map(([name, [, read]]) => [name, read(user)])) as JsonObject;

interface Around {
  /** Of the key or the session that asks. */
  scopes: readonly string[];
  /** The environments that the key is limited to; none where it is not. */
  scopedTeams: readonly number[];
  hasPassword: boolean;
  team: object | null;
  organization: object;
  organizations: readonly object[];
}

const NO = [Type.Boolean(), () => false] as const;

/** The user that asks. */
export const ME = shape<User, Around>("Me", {
  id: integer(),
  uuid: UUID,
  distinct_id: text(),
  ...(WRITABLE as Members<User, Around>),
  pending_email: always(null),
  is_email_verified: Type.Boolean(),
  date_joined: [TIME, ({ createdAtMs }) => isoTime(createdAtMs)],
  scopes: [Type.Array(text()), (_, { scopes }) => scopes],
  scoped_teams: [Type.Array(integer()), (_, { scopedTeams }) => scopedTeams],
  has_password: [Type.Boolean(), (_, { hasPassword }) => hasPassword],
  is_staff: NO,
  is_2fa_enabled: NO,
  has_social_auth: NO,
  has_sso_enforcement: NO,
  is_impersonated: NO,
  is_impersonated_until: always(null),
  sensitive_session_expires_at: always(null),
  team: [nullable(BASIC_ENVIRONMENT.schema), (_, { team }) => team],
  organization: [ORGANIZATION.schema, (_, { organization }) => organization],
  organizations: [Type.Array(LISTED_ORGANIZATION.schema), (_, { organizations }) => organizations],
});
