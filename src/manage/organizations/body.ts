import { countUsers, findOrganization, listEnvironments, listProjects } from "../../metadata/mod.ts";
import type { Tx } from "../../store/mod.ts";
import { MEMBERSHIP_LEVELS, readBasicBodies } from "../environments/body.ts";
import { notFound } from "../http/errors.ts";
import { isoTime } from "../http/reply.ts";
import { seesAll } from "../serve/access.ts";
import { canSee } from "../serve/guard.ts";
import type { AccountCall } from "../serve/route.ts";

/** So many projects are listed inside of an organisation; all of them are at /api/projects/. */
const LISTED_PROJECTS_MAX = 1000;

/** What may be done with plugins, which Weir does not have. */
const NO_PLUGINS = 0;

/** The caller's organisation, with the projects and environments that the key can reach. */
export async function readOrganizationBody(tx: Tx, call: AccountCall) {
  const { user, key } = call.caller;
  const organization = await findOrganization(tx, user.organizationId);
  if (organization === null) throw notFound("Organization not found.");
  const { items: projects } = await listProjects(tx, {
    limit: LISTED_PROJECTS_MAX,
    offset: 0,
    openOnly: !seesAll(call.caller),
  });
  const ids = projects.map((project) => project.id);
  const teams = (await listEnvironments(tx, ids)).filter((environment) => canSee(call.caller, environment));
  const shown = projects.filter((project) => teams.some((team) => team.projectId === project.id));
  return {
    id: organization.id,
    name: organization.name,
    slug: organization.slug,
    logo_media_id: null,
    created_at: isoTime(organization.createdAtMs),
    updated_at: isoTime(organization.updatedAtMs),
    membership_level: MEMBERSHIP_LEVELS[key.level],
    members_can_use_personal_api_keys: true,
    member_count: await countUsers(tx, organization.id),
    plugins_access_level: NO_PLUGINS,
    customer_id: null,
    metadata: {},
    available_product_features: [],
    teams: await readBasicBodies(tx, teams),
    projects: shown.map(({ id, organizationId, name }) => ({ id, organization_id: organizationId, name })),
  };
}

/** The short form in lists. */
export function listedOrganization(body: Awaited<ReturnType<typeof readOrganizationBody>>) {
  const { id, name, slug, logo_media_id, membership_level, members_can_use_personal_api_keys } = body;
  return { id, name, slug, logo_media_id, membership_level, members_can_use_personal_api_keys };
}
