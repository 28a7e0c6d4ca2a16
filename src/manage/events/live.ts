import type { ArrivalMark } from "../../lake/mod.ts";
import type { EventsResponse } from "../../query/mod.ts";
import type { JsonObject } from "../../types/mod.ts";
import { invalidField } from "../http/errors.ts";
import { json } from "../http/reply.ts";
import type { EnvironmentCall } from "../serve/route.ts";
import { rowsOf } from "./list.ts";
import { END_OF_TIME, readLive } from "./parameters.ts";

/** What came last stands first; what was accepted at once, by its own time. */
const AS_THEY_CAME = ["created_at DESC", "timestamp DESC", "uuid DESC"];
const CURSOR = /^(\d{1,15})_(\d{1,15})$/;

type Span = { after: number | null; until: number };

/**
 * What was stored since the answer before, the last first: each event once, whatever its own time is. Without `since` the newest
 * events by their time, to begin with. Nothing is read while nothing comes. Throws ApiError 400 for a cursor that is none.
 */
export async function liveEvents(call: EnvironmentCall): Promise<Response> {
  const { node, isEmpty, since } = await readLive(call);
  const after = since === null ? null : markOf(since);
  const { mark, events, missed } = await call.deps.ingestion.arrivals(call.environment.id, after);
  const cursor = `${mark.version}_${mark.stored}`;
  const columns = node.select as string[];
  if (isEmpty || missed > 0 || (after !== null && events === 0)) {
    return json({ cursor, results: [], columns, count: 0, missed });
  }
  const span = { after: after?.version ?? null, until: mark.version };
  const answer = await (after === null ? newest(call, node, span) : look(call, { ...node, ...ANY_TIME }, span));
  const results = rowsOf(answer.results);
  const count = after !== null && answer.hasMore ? await countOf(call, node, span) : results.length;
  return json({ cursor, results, columns: answer.columns, count, missed });
}

const ANY_TIME: JsonObject = { after: "all", before: END_OF_TIME, orderBy: AS_THEY_CAME };

/** Most lists are full with those of the last day. */
async function newest(call: EnvironmentCall, node: JsonObject, span: Span): Promise<EventsResponse> {
  const inOrder = { ...node, orderBy: ["timestamp DESC"] };
  const recent = await look(call, { ...inOrder, after: "-24h" }, span);
  return recent.hasMore ? recent : look(call, { ...inOrder, after: "all" }, span);
}

const look = async (call: EnvironmentCall, node: JsonObject, stored: Span) =>
  (await call.deps.queries.calculator.look(call, node, { stored })) as EventsResponse;

async function countOf(call: EnvironmentCall, node: JsonObject, span: Span): Promise<number> {
  const { orderBy: _, ...conditions } = { ...node, ...ANY_TIME };
  const { results } = await look(call, { ...conditions, select: ["count()"] }, span);
  return Number(rowsOf(results)[0]?.[0] ?? 0);
}

function markOf(cursor: string): ArrivalMark {
  const [, version, stored] = CURSOR.exec(cursor) ?? [];
  if (version === undefined) throw invalidField("since", "invalid_input", "This must be the cursor of another answer.");
  return { version: Number(version), stored: Number(stored) };
}
