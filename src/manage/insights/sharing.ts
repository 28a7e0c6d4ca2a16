import {
  type Change,
  enableSharing,
  ensureSharing,
  findSharing,
  type Insight,
  type InsightSharing,
  refreshSharingToken,
} from "../../metadata/mod.ts";
import type { Tx } from "../../store/mod.ts";
import { boolean, readFields } from "../http/fields.ts";
import { isoTime, json } from "../http/reply.ts";
import { requireEditor } from "../serve/access.ts";
import { type EnvironmentCall, environmentRoutes } from "../serve/route.ts";
import { INSIGHTS } from "./resource.ts";
import { SHARING } from "./shape.ts";

const SHARING_FIELDS = { enabled: boolean() };

export const sharingRoutes = environmentRoutes([
  {
    method: "GET",
    path: "insights/:id/sharing/",
    summary: "How an insight is shared",
    scope: "sharing_configuration:read",
    responses: { 200: SHARING },
    async handle(call) {
      const insight = await findShared(call);
      const present = await call.deps.db.read((tx) => findSharing(tx, insight.id));
      // The token is shown before it opens anything, and must stay the same.
      return json(sharingBody(present ?? (await call.deps.db.write((tx) => ensureSharing(tx, keyOf(insight))))));
    },
  },
  {
    method: "PATCH",
    path: "insights/:id/sharing/",
    summary: "Share an insight by a link, or stop sharing it",
    scope: "sharing_configuration:write",
    responses: { 200: SHARING },
    body: SHARING_FIELDS,
    async handle(call) {
      const { enabled } = readFields(SHARING_FIELDS, await call.body());
      return change(call, async (tx, insight, present) => {
        if (enabled === undefined || enabled === present.enabled) return;
        await enableSharing(tx, insight.id, enabled, call.nowMs);
        const changes = [sharingChange(present.enabled, enabled)];
        await INSIGHTS.record(tx, call, insight, enabled ? "sharing enabled" : "sharing disabled", changes);
      });
    },
  },
  {
    method: "POST",
    path: "insights/:id/sharing/refresh/",
    summary: "Give the link another token; the old one opens nothing any more",
    scope: "sharing_configuration:write",
    responses: { 200: SHARING },
    handle: (call) =>
      change(call, async (tx, insight) => {
        await refreshSharingToken(tx, insight.id);
        await INSIGHTS.record(tx, call, insight, "access token refreshed");
      }),
  },
]);

const findShared = (call: EnvironmentCall) => INSIGHTS.find(call, { detail: "Insight not found." });
const keyOf = ({ id, teamId }: Insight) => ({ insightId: id, teamId });

function sharingChange(before: boolean, after: boolean): Change {
  return { type: "Insight", action: "changed", field: "sharing", before, after };
}

async function change(
  call: EnvironmentCall,
  apply: (tx: Tx, insight: Insight, present: InsightSharing) => Promise<void>,
): Promise<Response> {
  const insight = await findShared(call);
  requireEditor(call.caller, insight, "insight");
  const sharing = await call.deps.db.write(async (tx) => {
    await apply(tx, insight, await ensureSharing(tx, keyOf(insight)));
    return findSharing(tx, insight.id);
  });
  return json(sharingBody(sharing!));
}

function sharingBody({ createdAtMs, enabled, accessToken }: InsightSharing) {
  return { created_at: isoTime(createdAtMs), enabled, access_token: accessToken };
}
