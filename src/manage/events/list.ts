import { parseDate } from "../../query/mod.ts";
import { isJsonObject, type Json, type JsonObject } from "../../types/mod.ts";
import { invalidField } from "../http/errors.ts";
import { FieldError, integer } from "../http/fields.ts";
import { json } from "../http/reply.ts";
import type { EnvironmentCall } from "../http/route.ts";
import { calendarAt } from "../query/question.ts";
import { eventBody } from "./body.ts";

const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 50_000;
/** Where nothing says how far back: most pages are full with these. */
const FIRST_LOOK = "-24h";

/** `{next, results}`: events, newest first, or oldest first with `orderBy=["timestamp"]`. */
export async function listEvents(call: EnvironmentCall): Promise<Response> {
  const { calculator } = call.deps.queries;
  const node = await readList(call);
  const look = (after: Json) => calculator.look(call, { ...node, after });
  const first = node === null ? NOTHING : await look(node.after ?? (isOldestFirst(call.query) ? "all" : FIRST_LOOK));
  const isShort = node !== null && node.after === undefined && !isOldestFirst(call.query) && !first.hasMore;
  const answer = isShort ? await look("all") : first;
  const results = rowsOf(answer.results).map(([event, person]) => eventBody(event ?? null, person ?? null));
  const last = results.at(-1)?.timestamp;
  return json({ next: answer.hasMore && last !== undefined ? nextPage(call, last) : null, results });
}

const NOTHING = { results: [], hasMore: false };

/** The rows of a listing: an event, and its person. */
export function rowsOf(results: readonly unknown[]): Json[][] {
  return results.filter((row): row is Json[] => Array.isArray(row));
}

function nextPage({ url, query }: EnvironmentCall, lastTime: string): string {
  const next = new URL(url);
  next.searchParams.set(isOldestFirst(query) ? "after" : "before", lastTime);
  next.searchParams.delete("offset");
  return next.href;
}

/** The query that the parameters ask for; null for one that no event can meet. Throws ApiError 400. */
async function readList(call: EnvironmentCall): Promise<JsonObject | null> {
  const { query, environment, nowMs } = call;
  const given = (name: string) => query.get(name) || undefined;
  const node: JsonObject = {
    kind: "EventsQuery",
    select: ["*", "person"],
    orderBy: [isOldestFirst(query) ? "timestamp ASC" : "timestamp DESC"],
    limit: Math.max(1, Math.min(readNumber(query, "limit") || DEFAULT_LIMIT, MAX_LIMIT)),
    offset: readNumber(query, "offset"),
    properties: readProperties(given("properties")),
  };
  for (const name of ["before", "after"]) {
    const date = given(name);
    if (date === undefined) continue;
    parseDate(date, calendarAt(environment, nowMs));
    node[name] = date;
  }
  const [event, distinctId, personId, actionId] = ["event", "distinct_id", "person_id", "action_id"].map(given);
  if (event !== undefined) node.event = event;
  if (personId !== undefined) node.personId = personId;
  if (distinctId !== undefined) {
    node.fixedProperties = [{ type: "event_metadata", key: "distinct_id", operator: "exact", value: [distinctId] }];
  }
  if (actionId === undefined) return node;
  const { records } = await call.deps.queries.calculator.contextNow(call);
  const action = records.action(Number(actionId));
  return action === null || action.steps.length === 0 ? null : { ...node, actionId: action.id };
}

function isOldestFirst(query: URLSearchParams): boolean {
  return /^\[\s*"timestamp(\s+asc)?"/i.test(query.get("orderBy") ?? "");
}

function readNumber(query: URLSearchParams, name: string): number {
  const text = query.get(name);
  if (text === null || text === "") return 0;
  try {
    return integer({ min: 0 }).read(text);
  } catch (error) {
    if (!(error instanceof FieldError)) throw error;
    throw invalidField(name, error.code, error.detail);
  }
}

/** Property filters as JSON text. Throws ApiError 400. */
export function readProperties(text: string | undefined): Json {
  if (text === undefined) return [];
  try {
    const value: Json = JSON.parse(text);
    if (Array.isArray(value) || isJsonObject(value)) return value;
  } catch {
    // The same answer as for a value that is no list.
  }
  throw invalidField(null, "invalid_input", "Properties are unparsable!");
}
