import {
  type Dashboard,
  type Environment,
  findDashboard,
  findEnvironment,
  findInsight,
  findSharedLink,
  type Insight,
  type Nameable,
  type SharedLink,
} from "../../metadata/mod.ts";
import type { Tx } from "../../store/mod.ts";
import { type Content, contentOf } from "../dashboards/content.ts";
import { notFound } from "../http/errors.ts";
import { levelsForAll, linkCaller } from "../serve/access.ts";
import type { OpenCall } from "../serve/route.ts";

interface Link {
  link: SharedLink;
  environment: Environment;
  /** Asks in the name of all members. */
  caller: { nameable: Nameable };
}
/** What the token of a link opens. */
export type Opened = Link &
  ({ kind: "insight"; insight: Insight } | { kind: "dashboard"; dashboard: Dashboard; content: Content });

/** What a token opens. Throws ApiError 404. */
export async function open(call: OpenCall, token: string): Promise<Opened> {
  const opened = await call.deps.db.read((tx) => openedBy(tx, token));
  if (opened === null) throw notFound();
  return opened;
}

async function openedBy(tx: Tx, token: string): Promise<Opened | null> {
  const link = await findSharedLink(tx, token);
  const environment = link === null ? null : await findEnvironment(tx, link.teamId);
  if (link === null || environment === null) return null;
  const base = { link, environment, caller: await linkCaller(tx, link.teamId) };
  if (link.kind === "insight") {
    const insight = await findInsight(tx, link.teamId, link.itemId);
    return insight === null ? null : { ...base, kind: "insight", insight };
  }
  const dashboard = await findDashboard(tx, link.teamId, link.itemId);
  if (dashboard === null) return null;
  const content = await contentOf(tx, dashboard);
  // A dashboard is shared by those who may edit it; what is closed to members stays closed to the link.
  const levels = await levelsForAll(tx, link.teamId);
  const nobody = { isAdmin: false, isMaker: false };
  const insights = content.insights.filter(({ id }) => levels.of("insight", id, nobody) !== "none");
  return { ...base, kind: "dashboard", dashboard, content: { ...content, insights } };
}
