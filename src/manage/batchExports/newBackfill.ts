import type { BatchExport } from "../../metadata/mod.ts";
import { object, UUID } from "../../openapi/mod.ts";
import type { Tx } from "../../store/mod.ts";
import { json } from "../http/reply.ts";
import type { EnvironmentCall } from "../serve/route.ts";
import { type BackfillRange, makeBackfill } from "./backfillWish.ts";
import { EXPORTS } from "./resource.ts";

export const BACKFILL_MADE = object("BackfillMade", { backfill_id: UUID });

/** Makes a backfill of the export that the path names, and notes it as `activity`; the answer is 201. Throws ApiError 400, 404, 429. */
export async function newBackfill(
  call: EnvironmentCall,
  activity: string,
  rangeOf: (tx: Tx, item: BatchExport) => Promise<BackfillRange>,
): Promise<Response> {
  const id = await call.deps.db.write(async (tx) => {
    const item = await EXPORTS.findIn(tx, call);
    const range = await rangeOf(tx, item);
    const id = await makeBackfill(tx, item, range, call);
    await EXPORTS.record(tx, call, item, activity);
    return id;
  });
  return json({ backfill_id: id }, 201);
}
