import { Type } from "@sinclair/typebox";
import { countUsers, listEnvironments, listProjects, type Organization, type Project } from "../../metadata/mod.ts";
import { anyObject, anything, integer, object, oneOf, TIME, text, UUID } from "../../openapi/mod.ts";
import type { Tx } from "../../store/mod.ts";
import { BASIC_ENVIRONMENT, MEMBERSHIP_LEVELS, readBasicBodies } from "../environments/shape.ts";
import { always, type Members, shape } from "../resource/shape.ts";
import { closedTo } from "../serve/access.ts";
import { canSee } from "../serve/guard.ts";
import type { AccountCall, Caller } from "../serve/route.ts";

/** So many projects are listed inside of an organisation; all of them are at /api/projects/. */
const LISTED_PROJECTS_MAX = 1000;

/** What may be done with plugins, which Weir does not have. */
const NO_PLUGINS = 0;

const LISTED: Members<Organization, { caller: Caller }> = {
  id: UUID,
  name: text(),
  slug: text(),
  logo_media_id: always(null),
  membership_level: [oneOf([1, 8, 15]), (_, { caller }) => MEMBERSHIP_LEVELS[caller.grant.level]],
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

/** The caller's organisation, with the projects and environments that the key can reach. */
export async function readOrganizationBody(tx: Tx, { caller }: AccountCall, organization: Organization) {
  const page = { limit: LISTED_PROJECTS_MAX, offset: 0, closedIds: closedTo(caller) };
  const { items } = await listProjects(tx, page);
  const ids = items.map((project) => project.id);
  const seen = (await listEnvironments(tx, ids)).filter((environment) => canSee(caller, environment));
  const projects = items.filter((project) => seen.some((team) => team.projectId === project.id));
  const memberCount = await countUsers(tx, organization.id);
  return ORGANIZATION.show(organization, { caller, memberCount, teams: await readBasicBodies(tx, seen), projects });
}
