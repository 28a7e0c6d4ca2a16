import { countUsers, findOrganization, listEnvironments, listProjects } from "../../metadata/mod.ts";
import type { Tx } from "../../store/mod.ts";
import { readBasicBodies } from "../environments/body.ts";
import { notFound } from "../http/errors.ts";
import { seesAll } from "../serve/access.ts";
import { canSee } from "../serve/guard.ts";
import type { AccountCall } from "../serve/route.ts";
import { LISTED_ORGANIZATION, ORGANIZATION } from "./shape.ts";

/** So many projects are listed inside of an organisation; all of them are at /api/projects/. */
const LISTED_PROJECTS_MAX = 1000;

/** The caller's organisation, with the projects and environments that the key can reach; whole, and as lists have it. */
export async function readOrganization(tx: Tx, { caller }: AccountCall) {
  const organization = await findOrganization(tx, caller.user.organizationId);
  if (organization === null) throw notFound("Organization not found.");
  const page = { limit: LISTED_PROJECTS_MAX, offset: 0, openOnly: !seesAll(caller) };
  const { items } = await listProjects(tx, page);
  const ids = items.map((project) => project.id);
  const seen = (await listEnvironments(tx, ids)).filter((environment) => canSee(caller, environment));
  const projects = items.filter((project) => seen.some((team) => team.projectId === project.id));
  const memberCount = await countUsers(tx, organization.id);
  const teams = await readBasicBodies(tx, seen);
  return {
    organization,
    body: ORGANIZATION.show(organization, { caller, memberCount, teams, projects }),
    listed: LISTED_ORGANIZATION.show(organization, { caller }),
  };
}
