import { Type } from "@sinclair/typebox";
import type { Organization, Project } from "../../metadata/mod.ts";
import { anyObject, anything, integer, object, oneOf, TIME, text, UUID } from "../../openapi/mod.ts";
import { BASIC_ENVIRONMENT, MEMBERSHIP_LEVELS } from "../environments/shape.ts";
import { always, type Members, shape } from "../resource/shape.ts";
import type { Caller } from "../serve/route.ts";

/** What may be done with plugins, which Weir does not have. */
const NO_PLUGINS = 0;

const LISTED: Members<Organization, { caller: Caller }> = {
  id: UUID,
  name: text(),
  slug: text(),
  logo_media_id: always(null),
  membership_level: [oneOf([1, 8, 15]), (_, { caller }) => MEMBERSHIP_LEVELS[caller.key.level]],
  members_can_use_personal_api_keys: [Type.Boolean(), () => true],
};

/** The short form in lists. */
export const LISTED_ORGANIZATION = shape("ListedOrganization", LISTED);

interface Around {
  caller: Caller;
  memberCount: number;
  /** Bodies of environments. */
  teams: readonly object[];
  projects: readonly Project[];
}

const { id, name, slug, logo_media_id, ...LEVELS } = LISTED;

export const ORGANIZATION = shape<Organization, Around>("Organization", {
  id: id!,
  name: name!,
  slug: slug!,
  logo_media_id: logo_media_id!,
  created_at: TIME,
  updated_at: TIME,
  ...LEVELS,
  member_count: [integer(), (_, { memberCount }) => memberCount],
  plugins_access_level: [integer(), () => NO_PLUGINS],
  customer_id: always(null),
  metadata: [anyObject(), () => ({})],
  available_product_features: [Type.Array(anything()), () => []],
  teams: [Type.Array(BASIC_ENVIRONMENT.schema), (_, { teams }) => teams],
  projects: [
    Type.Array(object("ProjectName", { id: integer(), organization_id: UUID, name: text() })),
    (_, { projects }) =>
      projects.map(({ id, organizationId, name }) => ({ id, organization_id: organizationId, name })),
  ],
});
