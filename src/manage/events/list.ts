import { type EventsResponse, withoutComment } from "../../query/mod.ts";
import type { Json, JsonObject } from "../../types/mod.ts";
import { csvReply, csvText } from "../http/csv.ts";
import { linkTo } from "../http/link.ts";
import { json } from "../http/reply.ts";
import type { EnvironmentCall } from "../serve/route.ts";
import { eventBody } from "./body.ts";
import { readList } from "./parameters.ts";

/** Where nothing says how far back: most pages are full with these. */
const FIRST_LOOK = "-24h";

type Listed = Pick<EventsResponse, "results" | "columns" | "types" | "hasMore" | "nextCursor" | "limit" | "offset">;

/**
 * `{next, results}`: events, newest first, or as `orderBy` says. With `select` the results are rows, with
 * `columns`, `types` and `hasMore`. `next` is an absolute link; it goes on behind the last event, by time and uuid, or where
 * rows are in another order by `offset`.
 */
export async function listEvents(call: EnvironmentCall): Promise<Response> {
  const { node, isOfRows, isEmpty } = await readList(call);
  const answer = isEmpty ? NOTHING : await look(call, node);
  const { columns, types, hasMore } = answer;
  const rows = rowsOf(answer.results);
  const next = hasMore ? nextPage(call, node, answer) : null;
  if (!isOfRows) {
    return json({ next, results: rows.map(([event, person]) => eventBody(event ?? null, person ?? null)) });
  }
  if (call.query.get("format") === "csv") return csvReply(csvText(columns, rows));
  return json({ next, results: rows, columns, types, hasMore });
}

const NOTHING: Listed = { results: [], columns: [], types: [], hasMore: false, nextCursor: null, limit: 0, offset: 0 };

/** The rows of a listing: an event, and its person. */
export const rowsOf = (results: unknown): Json[][] =>
  Array.isArray(results) ? results.filter((row) => Array.isArray(row)) : [];

async function look(call: EnvironmentCall, node: JsonObject): Promise<Listed> {
  const lookFrom = async (after: Json) =>
    (await call.deps.queries.calculator.look(call, { ...node, after })) as EventsResponse;
  if (node.after !== undefined) return lookFrom(node.after);
  if (isOldestFirst(node)) return lookFrom("all");
  const recent = await lookFrom(FIRST_LOOK);
  // Without a cursor the page is not full, or its rows are not the newest.
  return recent.nextCursor === null ? lookFrom("all") : recent;
}

function nextPage({ url }: EnvironmentCall, node: JsonObject, { nextCursor, limit, offset }: Listed): string {
  if (nextCursor === null) return linkTo(url, { offset: offset + limit });
  return linkTo(url, { [isOldestFirst(node) ? "after" : "before"]: nextCursor, offset: null });
}

/** Or by something else than the time: all events count then, too. */
const isOldestFirst = ({ orderBy }: JsonObject): boolean =>
  Array.isArray(orderBy) && !/\sdesc$/i.test(withoutComment(String(orderBy[0])));
