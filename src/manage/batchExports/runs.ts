import { Type } from "@sinclair/typebox";
import { type BatchExportRun, cancelRun, findRun, listRuns, RUN_STATUSES, type RunFilter } from "../../metadata/mod.ts";
import { ERROR, object } from "../../openapi/mod.ts";
import { parseDate } from "../../query/mod.ts";
import type { Tx } from "../../store/mod.ts";
import { invalidField, notFound } from "../http/errors.ts";
import { dateParam, wordParam } from "../http/query.ts";
import { json } from "../http/reply.ts";
import { calendarAt } from "../query/question.ts";
import type { EnvironmentCall, HandledBy } from "../serve/route.ts";
import { CURSOR_QUERY, cursorBody, cursorPageOf, readCursor } from "./cursor.ts";
import { logsRoute } from "./logs.ts";
import { BACKFILL_MADE, newBackfill } from "./newBackfill.ts";
import { EXPORTS } from "./resource.ts";
import { RUN } from "./shapes.ts";

const PAGE = 100;

export const CANCELLED = object("ExportCancelled", { cancelled: Type.Literal(true) });

/** The run that the path names. Throws ApiError 404. */
async function runOf(tx: Tx, call: EnvironmentCall): Promise<BatchExportRun> {
  const item = await EXPORTS.findIn(tx, call);
  const run = await findRun(tx, item.id, call.params.run_id ?? "");
  if (run === null) throw notFound();
  return run;
}

/** Throws ApiError 400 where it has ended. */
export async function cancelOpenRun(tx: Tx, { id, status }: BatchExportRun, nowMs: number): Promise<void> {
  if (await cancelRun(tx, id, nowMs)) return;
  throw invalidField(null, "invalid_input", `Cannot cancel a run that is in '${status}' status`);
}

/** A date as queries have them. Throws ApiError 400. */
function dateOf(call: EnvironmentCall, name: string): number | undefined {
  const text = call.query.get(name);
  if (text === null || text === "") return undefined;
  try {
    return parseDate(text, calendarAt(call.environment, call.nowMs)).at.epochMilliseconds;
  } catch {
    throw invalidField(name, "invalid_input", "Enter a valid date.");
  }
}

function filterOf(call: EnvironmentCall, exportId: string, byInterval: boolean): RunFilter {
  const { query, nowMs } = call;
  const statuses = [...query.getAll("status"), ...query.getAll("status[]")].flatMap((text) => text.split(","));
  const known = statuses.filter((status) => status !== "");
  const weekAgoMs = nowMs - 7 * 24 * 3_600_000;
  return {
    exportId,
    ...(known.length === 0 ? {} : { statuses: known }),
    ...(byInterval
      ? { fromMs: dateOf(call, "start") ?? weekAgoMs, toMs: dateOf(call, "end") ?? nowMs }
      : {
          createdFromMs: dateOf(call, "after") ?? weekAgoMs,
          createdToMs: dateOf(call, "before") ?? Number.MAX_SAFE_INTEGER,
        }),
  };
}

export const runRoutes: HandledBy<EnvironmentCall>[] = [
  {
    method: "GET",
    path: "batch_exports/:id/runs/",
    summary: "List the runs of a batch export, newest first; those of the last seven days where nothing else is asked",
    scope: "batch_export:read",
    query: {
      status: wordParam("Runs of these states, with commas between them.", RUN_STATUSES),
      "status[]": wordParam("The same.", RUN_STATUSES),
      after: dateParam("Runs that were made at or after that."),
      before: dateParam("Runs that were made at or before that."),
      start: dateParam("With an order by interval: runs whose interval begins at or after that."),
      end: dateParam("With an order by interval: runs whose interval ends at or before that."),
      ordering: wordParam("By which time; `-` before it for the latest first.", [
        "created_at",
        "-created_at",
        "data_interval_start",
        "-data_interval_start",
      ]),
      ...CURSOR_QUERY,
    },
    responses: { 200: cursorPageOf(RUN.schema) },
    async handle(call) {
      const ordering = call.query.get("ordering") ?? "-created_at";
      const byInterval = ordering.endsWith("data_interval_start");
      const page = readCursor(call.query, PAGE);
      const order = {
        column: byInterval ? "from_ms" : "created_at_ms",
        descending: ordering !== "created_at" && ordering !== "data_interval_start",
      } as const;
      const { count, items } = await call.deps.db.read(async (tx) => {
        const item = await EXPORTS.findIn(tx, call);
        return listRuns(tx, filterOf(call, item.id, byInterval), page, order);
      });
      const bodies = items.map((run) => RUN.show(run, null));
      return json(cursorBody(call.url, page, count, bodies));
    },
  },
  {
    method: "GET",
    path: "batch_exports/:id/runs/:run_id/",
    summary: "Retrieve a run",
    scope: "batch_export:read",
    responses: { 200: RUN.schema },
    handle: async (call) => json(RUN.show(await call.deps.db.read((tx) => runOf(tx, call)), null)),
  },
  {
    method: "POST",
    path: "batch_exports/:id/runs/:run_id/retry/",
    summary: "Do the interval of a run again, as a backfill of one run",
    scope: "batch_export:write",
    responses: { 201: BACKFILL_MADE, 429: ERROR },
    async handle(call) {
      return newBackfill(call, "run retried", async (tx) => {
        const run = await runOf(tx, call);
        return { startMs: run.fromMs, endMs: run.toMs, isWhole: true };
      });
    },
  },
  {
    method: "POST",
    path: "batch_exports/:id/runs/:run_id/cancel/",
    summary: "Cancel a run that has not ended",
    scope: "batch_export:write",
    responses: { 200: CANCELLED },
    async handle(call) {
      await call.deps.db.write(async (tx) => {
        const item = await EXPORTS.findIn(tx, call);
        const run = await runOf(tx, call);
        await cancelOpenRun(tx, run, call.nowMs);
        await EXPORTS.record(tx, call, item, "run cancelled");
      });
      return json({ cancelled: true });
    },
  },
  logsRoute("batch_exports/:id/runs/:run_id/logs/", "What a run had to say, newest first", async (call) => {
    const run = await call.deps.db.read((tx) => runOf(tx, call));
    return { exportId: run.exportId, runId: run.id };
  }),
];
