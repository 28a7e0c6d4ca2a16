import { Type } from "@sinclair/typebox";
import { integer, nullable, object, TIME, text, UUID } from "../../openapi/mod.ts";
import { BASIC_ENVIRONMENT } from "../environments/schema.ts";
import { shownFields } from "../http/fields.ts";
import { LISTED_ORGANIZATION, ORGANIZATION } from "../organizations/schema.ts";
import { USER_FIELDS } from "./fields.ts";

const { set_current_team: _, ...SHOWN } = shownFields(USER_FIELDS);

/** The user that asks. */
export const ME = object("Me", {
  ...SHOWN,
  id: integer(),
  uuid: UUID,
  distinct_id: text(),
  pending_email: Type.Null(),
  is_email_verified: Type.Boolean(),
  date_joined: TIME,
  has_password: Type.Boolean(),
  is_staff: Type.Boolean(),
  is_2fa_enabled: Type.Boolean(),
  has_social_auth: Type.Boolean(),
  has_sso_enforcement: Type.Boolean(),
  is_impersonated: Type.Boolean(),
  is_impersonated_until: Type.Null(),
  sensitive_session_expires_at: Type.Null(),
  team: nullable(BASIC_ENVIRONMENT),
  organization: ORGANIZATION,
  organizations: Type.Array(LISTED_ORGANIZATION),
});
