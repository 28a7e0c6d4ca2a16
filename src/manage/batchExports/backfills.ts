import {
  type BatchExportBackfill,
  cancelRun,
  countRuns,
  endBackfill,
  findBackfill,
  listBackfills,
  openRuns,
} from "../../metadata/mod.ts";
import { ERROR } from "../../openapi/mod.ts";
import type { Tx } from "../../store/mod.ts";
import { invalidField, notFound } from "../http/errors.ts";
import { nullable, text } from "../http/fields.ts";
import { json } from "../http/reply.ts";
import type { EnvironmentCall, HandledBy } from "../serve/route.ts";
import { readEnd } from "./backfillWish.ts";
import { CURSOR_QUERY, cursorBody, cursorPageOf, readCursor } from "./cursor.ts";
import { BACKFILL_MADE, newBackfill } from "./newBackfill.ts";
import { EXPORTS } from "./resource.ts";
import { CANCELLED } from "./runs.ts";
import { BACKFILL, type SeenBackfill } from "./shapes.ts";

const PAGE = 50;

const WISH = { start_at: nullable(text()), end_at: nullable(text()) };

/** The backfill that the path names. Throws ApiError 404. */
async function backfillOf(tx: Tx, call: EnvironmentCall): Promise<BatchExportBackfill> {
  const item = await EXPORTS.findIn(tx, call);
  const found = await findBackfill(tx, item.id, call.params.backfill_id ?? "");
  if (found === null) throw notFound();
  return found;
}

async function withProgress(tx: Tx, backfill: BatchExportBackfill): Promise<SeenBackfill> {
  const { open, statuses, firstFromMs } = await countRuns(tx, { exportId: backfill.exportId, backfillId: backfill.id });
  const made = [...statuses.values()].reduce((sum, count) => sum + count, 0);
  const { startAtMs, nextFromMs } = backfill;
  const beginsAtMs = firstFromMs ?? nextFromMs;
  const adjustedStartAtMs = startAtMs === null || beginsAtMs === startAtMs ? null : beginsAtMs;
  return { ...backfill, finishedRuns: made - open, adjustedStartAtMs };
}

export const backfillRoutes: HandledBy<EnvironmentCall>[] = [
  {
    method: "GET",
    path: "batch_exports/:id/backfills/",
    summary: "List the backfills of a batch export, newest first",
    scope: "batch_export:read",
    query: CURSOR_QUERY,
    responses: { 200: cursorPageOf(BACKFILL.schema) },
    async handle(call) {
      const page = readCursor(call.query, PAGE);
      const { count, items } = await call.deps.db.read(async (tx) => {
        const item = await EXPORTS.findIn(tx, call);
        const { count, items } = await listBackfills(tx, item.id, page);
        const seen: SeenBackfill[] = [];
        for (const backfill of items) seen.push(await withProgress(tx, backfill));
        return { count, items: seen };
      });
      const bodies = items.map((backfill) => BACKFILL.show(backfill, null));
      return json(cursorBody(call.url, page, count, bodies));
    },
  },
  {
    method: "POST",
    path: "batch_exports/:id/backfills/",
    summary: "Do the intervals of a range again; dates for days and weeks, else times with a zone",
    scope: "batch_export:write",
    body: WISH,
    responses: { 201: BACKFILL_MADE, 429: ERROR },
    async handle(call) {
      const { start_at: startAt, end_at: endAt } = await call.body();
      return newBackfill(call, "backfill created", async (_tx, item) => ({
        startMs: readEnd(startAt, item),
        endMs: readEnd(endAt, item),
        isWhole: false,
      }));
    },
  },
  {
    method: "GET",
    path: "batch_exports/:id/backfills/:backfill_id/",
    summary: "Retrieve a backfill with its progress",
    scope: "batch_export:read",
    responses: { 200: BACKFILL.schema },
    async handle(call) {
      const seen = await call.deps.db.read(async (tx) => withProgress(tx, await backfillOf(tx, call)));
      return json(BACKFILL.show(seen, null));
    },
  },
  {
    method: "POST",
    path: "batch_exports/:id/backfills/:backfill_id/cancel/",
    summary: "Cancel a backfill, and those of its runs that have not ended",
    scope: "batch_export:write",
    responses: { 200: CANCELLED },
    async handle(call) {
      await call.deps.db.write(async (tx) => {
        const item = await EXPORTS.findIn(tx, call);
        const backfill = await backfillOf(tx, call);
        if (!(await endBackfill(tx, backfill.id, "Cancelled", call.nowMs))) {
          throw invalidField(null, "invalid_input", `Cannot cancel a backfill that is in '${backfill.status}' status`);
        }
        for (const id of await openRuns(tx, { exportId: item.id, backfillId: backfill.id }))
          await cancelRun(tx, id, call.nowMs);
        await EXPORTS.record(tx, call, item, "backfill cancelled");
      });
      return json({ cancelled: true });
    },
  },
];
