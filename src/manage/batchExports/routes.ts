import { Type } from "@sinclair/typebox";
import { boundaryUpTo } from "../../export/mod.ts";
import { setNextFrom, updateBatchExport } from "../../metadata/mod.ts";
import { object } from "../../openapi/mod.ts";
import { boolean, readFields } from "../http/fields.ts";
import { json } from "../http/reply.ts";
import { routesOf } from "../resource/routes.ts";
import { type EnvironmentCall, environmentRoutes, type HandledBy, type Route } from "../serve/route.ts";
import { backfillRoutes } from "./backfills.ts";
import { downloadRoutes } from "./downloads.ts";
import { logsRoute } from "./logs.ts";
import { EXPORTS } from "./resource.ts";
import { runRoutes } from "./runs.ts";
import { testRoutes } from "./testSteps.ts";

const UNPAUSE = { backfill: boolean() };
const { list, create, retrieve, change, remove } = routesOf(EXPORTS);

/** `paused: true` or `false`, and what the body asks for. */
function pauseRoute(word: "pause" | "unpause", paused: boolean): HandledBy<EnvironmentCall> {
  return {
    method: "POST",
    path: `batch_exports/:id/${word}/`,
    summary: paused
      ? "Pause a batch export: no runs are made until it goes on"
      : "Let a batch export go on; with `backfill` it also does the intervals that were over meanwhile",
    scope: "batch_export:write",
    ...(paused ? {} : { body: UNPAUSE }),
    responses: { 200: object(paused ? "ExportPaused" : "ExportUnpaused", { paused: Type.Literal(paused) }) },
    async handle(call) {
      const { backfill = false } = paused ? {} : readFields(UNPAUSE, await call.body());
      const { nowMs } = call;
      await call.deps.db.write(async (tx) => {
        const before = await EXPORTS.findToChange(tx, call);
        const after = { ...before, paused, lastUpdatedAtMs: nowMs, ...(paused && { lastPausedAtMs: nowMs }) };
        if (before.paused !== paused) await updateBatchExport(tx, after);
        if (before.paused && !paused && !backfill) await setNextFrom(tx, after.id, boundaryUpTo(nowMs, after));
        const change = {
          type: "BatchExport",
          action: "changed",
          field: "paused",
          before: before.paused,
          after: paused,
        } as const;
        await EXPORTS.record(tx, call, after, word === "pause" ? "paused" : "unpaused", [change]);
      });
      return json({ paused });
    },
  };
}

/** Batch exports by PostHog's paths and members. */
export const batchExportRoutes: Route[] = environmentRoutes([
  list,
  create,
  ...testRoutes,
  retrieve,
  change,
  remove,
  pauseRoute("pause", true),
  pauseRoute("unpause", false),
  logsRoute("batch_exports/:id/logs/", "What the runs of a batch export had to say, newest first", async (call) => {
    return { exportId: (await EXPORTS.find(call)).id };
  }),
  ...runRoutes,
  ...backfillRoutes,
  ...downloadRoutes,
]);
