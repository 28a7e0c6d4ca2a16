import { endsOf } from "../../query/mod.ts";
import { isJsonObject, type Json, type JsonObject } from "../../types/mod.ts";
import { invalidField } from "../http/errors.ts";
import { integer, readField } from "../http/fields.ts";
import { dateParam, jsonIn, jsonParam, type Query, strictNumberParam, textParam } from "../http/query.ts";
import { EVENT_FILTERS } from "../query/filterSchema.ts";
import { calendarAt } from "../query/question.ts";
import type { EnvironmentCall } from "../serve/route.ts";

/** Behind every event. */
export const END_OF_TIME = "9999-12-31";

const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 50_000;
const LIVE_MAX = 2_000;
/** A whole event and its person, where nothing else is selected. */
const EVENT = ["*", "person"];

const LIST = "a JSON list of HogQL expressions, or one as it is";

const SELECT = textParam(`Columns, in place of whole events: ${LIST}.`);
const WHERE = textParam(`Conditions: ${LIST}.`);

/** What says which events are meant. */
const CONDITIONS = {
  event: textParam("The name of the events."),
  distinct_id: textParam("The id that they were sent with."),
  person_id: textParam("The uuid of their person."),
  action_id: textParam("The id of an action that they match."),
  properties: jsonParam("Property filters; all that are given must hold.", EVENT_FILTERS),
};

/** What `readLive` reads. */
export const LIVE_QUERY = {
  since: textParam("The `cursor` of the answer before; absent in the first request."),
  ...CONDITIONS,
  select: SELECT,
  where: WHERE,
  limit: strictNumberParam(`How many at most; ${LIVE_MAX} and less.`, DEFAULT_LIMIT),
};

/** What `readList` reads. */
export const LIST_QUERY = {
  ...CONDITIONS,
  after: dateParam("Later than it; or a cursor."),
  before: dateParam("Earlier than it; or a cursor."),
  select: SELECT,
  where: WHERE,
  orderBy: textParam(`The order: ${LIST}; \`timestamp DESC\` when absent.`),
  limit: strictNumberParam(`How many at most; ${MAX_LIMIT} and less.`, DEFAULT_LIMIT),
  offset: strictNumberParam("How many are left out before the page; `next` leads on better.", 0),
};

/** A list of events as it is asked for. */
interface WantedList {
  /** The EventsQuery. */
  node: JsonObject;
  /** Whether columns are selected: the answer has rows of these then, not events. */
  isOfRows: boolean;
  /** No event can meet it. */
  isEmpty: boolean;
}

/**
 * Of `properties`, `select`, `where` and `orderBy` each repetition counts. Throws ApiError 400, and TerminalError
 * `invalid_query` for what is no date.
 */
export async function readList(call: EnvironmentCall): Promise<WantedList> {
  const { query } = call;
  const select = readHogql(query, "select");
  const orders = readHogql(query, "orderBy").map(withDirection);
  const wanted = await readConditions(call, {
    select: select.length === 0 ? EVENT : select,
    limit: readLimit(query, MAX_LIMIT),
    offset: readNumber(query, "offset"),
    ...readEnds(call),
    // What is selected may have an order of its own: the largest count first, say.
    ...(orders.length > 0 && { orderBy: orders }),
    ...(orders.length === 0 && select.length === 0 && { orderBy: ["timestamp DESC"] }),
  });
  return { ...wanted, isOfRows: select.length > 0 };
}

/** The same for what arrives: without ends and an order. `since`: the cursor, as it was given. */
export async function readLive(
  call: EnvironmentCall,
): Promise<Omit<WantedList, "isOfRows"> & { since: string | null }> {
  const { query } = call;
  const select = readHogql(query, "select");
  const columns = { select: select.length === 0 ? ["*"] : select, limit: readLimit(query, LIVE_MAX) };
  return { ...(await readConditions(call, columns)), since: query.get("since") || null };
}

/** The conditions of a list, and what else is said of it. */
async function readConditions(call: EnvironmentCall, rest: JsonObject): Promise<Omit<WantedList, "isOfRows">> {
  const { query } = call;
  const given = (name: "event" | "distinct_id" | "person_id" | "action_id") => query.get(name) || undefined;
  const node: JsonObject = {
    kind: "EventsQuery",
    where: readHogql(query, "where"),
    properties: readProperties(query),
    ...rest,
  };
  const [event, distinctId, personId, actionId] = [
    given("event"),
    given("distinct_id"),
    given("person_id"),
    given("action_id"),
  ];
  if (event !== undefined) node.event = event;
  if (personId !== undefined) node.personId = personId;
  if (distinctId !== undefined) {
    node.fixedProperties = [{ type: "event_metadata", key: "distinct_id", operator: "exact", value: [distinctId] }];
  }
  if (actionId === undefined) return { node, isEmpty: false };
  const { records } = await call.deps.queries.calculator.contextNow(call);
  const action = records.action(Number(actionId));
  if (action === null || action.steps.length === 0) return { node, isEmpty: true };
  return { node: { ...node, actionId: action.id }, isEmpty: false };
}

const readLimit = (query: Query, max: number): number =>
  Math.max(1, Math.min(readNumber(query, "limit") || DEFAULT_LIMIT, max));

/** `after` and `before`, where they are given: dates or cursors. */
function readEnds({ query, environment, nowMs }: EnvironmentCall): JsonObject {
  const given = ["after", "before"].flatMap((name): [string, string][] => {
    const written = query.get(name);
    return written === null || written === "" ? [] : [[name, written]];
  });
  const ends = Object.fromEntries(given);
  endsOf(ends, calendarAt(environment, nowMs));
  return ends;
}

/** Expressions of HogQL: lists of them as JSON, or each as it is. Throws ApiError 400. */
function readHogql(query: Query, name: string): string[] {
  return query.getAll(name).flatMap((written) => {
    const list = jsonIn(written);
    if (!Array.isArray(list)) return written.trim() === "" ? [] : [written];
    if (list.every((item) => typeof item === "string")) return list;
    throw invalidField(name, "invalid_input", "This must be a JSON list of HogQL expressions, each of them a text.");
  });
}

/** `-timestamp`, as older clients have it. */
const withDirection = (order: string): string => order.trim().replace(/^-(\w+)$/, "$1 DESC");

const readNumber = (query: Query, name: string): number => readField(name, integer({ min: 0 }), query.get(name) || 0);

/** Property filters as JSON; those of all `properties` must hold. Throws ApiError 400. */
export function readProperties(query: Query): Json {
  return query
    .getAll("properties")
    .filter((written) => written !== "")
    .map(filtersIn);
}

function filtersIn(written: string): Json {
  const value = jsonIn(written);
  if (Array.isArray(value) || isJsonObject(value)) return value;
  throw invalidField(null, "invalid_input", "Properties are unparsable!");
}
