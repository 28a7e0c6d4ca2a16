import {
  createDashboard,
  type Environment,
  isMakingDemo,
  recordActivity,
  setDemoUntil,
  updateEnvironment,
} from "../../metadata/mod.ts";
import type { Tx } from "../../store/mod.ts";
import { NEW_DASHBOARD } from "../dashboards/fields.ts";
import { fillDashboard } from "../dashboards/fill.ts";
import { makeProject } from "../environments/projects.ts";
import type { Who } from "../serve/activity.ts";
import { DEMO_TILES } from "./insights.ts";
import { STAGING_HOST } from "./story.ts";

/** If the process that sends its events dies, "is generating" ends after so long. */
export const BUSY_FOR_MS = 120_000;

/** A project that waits for its events, and the dashboard that shows them. */
export interface DemoProject {
  environment: Environment;
  dashboardId: number;
}

/** Makes the project with its dashboard. `userId`: in whose name. Null while another one gets its events. */
export async function makeDemoProject(
  tx: Tx,
  who: Who,
  { organizationId, userId }: { organizationId: string; userId: number },
): Promise<DemoProject | null> {
  const nowMs = who.atMs;
  // Makers of projects wait for each other here.
  const made = await makeProject(tx, who, { organizationId, name: "Lantern (demo)" });
  if (await isMakingDemo(tx, nowMs)) return null;
  const { id: teamId } = made;
  const content = {
    ...NEW_DASHBOARD,
    name: "Demo dashboard",
    description: "How Lantern, a service for notes, is used.",
  };
  const dashboard = await createDashboard(tx, { teamId, userId, content, nowMs });
  const item = { teamId, scope: "Dashboard" as const, itemId: String(dashboard.id) };
  await recordActivity(tx, { ...item, activity: "created", detail: { name: content.name, changes: null }, ...who });
  await fillDashboard(tx, who, { teamId, userId, dashboardId: dashboard.id, tiles: DEMO_TILES });
  const ownTeam = { key: "$host", value: STAGING_HOST, operator: "is_not", type: "event" };
  const settings = { is_demo: true, test_account_filters: [ownTeam], primary_dashboard: dashboard.id };
  await updateEnvironment(tx, { ...made, settings });
  await setDemoUntil(tx, teamId, nowMs + BUSY_FOR_MS);
  return { environment: { ...made, settings }, dashboardId: dashboard.id };
}
