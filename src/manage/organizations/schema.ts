import { Type } from "@sinclair/typebox";
import { anyObject, anything, integer, object, oneOf, TIME, text, UUID } from "../../openapi/mod.ts";
import { BASIC_ENVIRONMENT } from "../environments/schema.ts";

const LISTED = {
  id: UUID,
  name: text(),
  slug: text(),
  logo_media_id: Type.Null(),
  membership_level: oneOf([1, 8, 15]),
  members_can_use_personal_api_keys: Type.Boolean(),
};

/** The short form in lists. */
export const LISTED_ORGANIZATION = object("ListedOrganization", LISTED);

export const ORGANIZATION = object("Organization", {
  ...LISTED,
  created_at: TIME,
  updated_at: TIME,
  member_count: integer(),
  plugins_access_level: integer(),
  customer_id: Type.Null(),
  metadata: anyObject(),
  available_product_features: Type.Array(anything()),
  teams: Type.Array(BASIC_ENVIRONMENT),
  projects: Type.Array(object("ProjectName", { id: integer(), organization_id: UUID, name: text() })),
});
