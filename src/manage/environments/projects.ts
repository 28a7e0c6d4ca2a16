import { eraseProjects } from "../../lake/mod.ts";
import {
  createProject,
  type Environment,
  findEnvironment,
  findProject,
  hideEnvironments,
  hideProject,
  holdRow,
  listEnvironments,
  recordActivity,
} from "../../metadata/mod.ts";
import type { Tx } from "../../store/mod.ts";
import { notFound } from "../http/errors.ts";
import type { Who } from "../serve/activity.ts";

/** Notes that a project or an environment was made or deleted. */
function record(
  tx: Tx,
  who: Who,
  scope: "Project" | "Team",
  { id, name }: { id: number; name: string },
  activity: "created" | "deleted",
): Promise<void> {
  const detail = { name, changes: null };
  return recordActivity(tx, { teamId: id, scope, itemId: String(id), activity, detail, ...who });
}

/** Makes a project; gives its first environment. */
export async function makeProject(tx: Tx, who: Who, o: { organizationId: string; name: string }): Promise<Environment> {
  const environment = await findEnvironment(tx, await createProject(tx, { ...o, nowMs: who.atMs }));
  if (environment === null) throw notFound();
  await record(tx, who, "Project", environment, "created");
  await record(tx, who, "Team", environment, "created");
  return environment;
}

/** Deletes a project with all its environments. */
export async function deleteProject(tx: Tx, who: Who, id: number): Promise<void> {
  await holdRow(tx, "projects", id);
  const project = await findProject(tx, id);
  if (project === null) throw notFound("Project not found.");
  const environments = await listEnvironments(tx, [id]);
  await hideProject(tx, id, who.atMs);
  await eraseProjects(
    tx,
    environments.map((environment) => environment.id),
    who.atMs,
  );
  for (const environment of environments) await record(tx, who, "Team", environment, "deleted");
  await record(tx, who, "Project", project, "deleted");
}

/** Deletes an environment; the last one takes its project with it, which could hold nothing any more. */
export async function deleteEnvironment(tx: Tx, who: Who, environment: Environment): Promise<void> {
  const { id, projectId } = environment;
  await holdRow(tx, "projects", projectId);
  const siblings = await listEnvironments(tx, [projectId]);
  if (siblings.every((sibling) => sibling.id === id)) return deleteProject(tx, who, projectId);
  await hideEnvironments(tx, [id], who.atMs);
  await eraseProjects(tx, [id], who.atMs);
  await record(tx, who, "Team", environment, "deleted");
}
