import { Type } from "@sinclair/typebox";
import { ERROR } from "../../openapi/mod.ts";
import { eventValues } from "../../query/mod.ts";
import { type Json, type JsonObject, parseUuid } from "../../types/mod.ts";
import { invalidField, notFound } from "../http/errors.ts";
import { flagParam, jsonIn, textParam } from "../http/query.ts";
import { json, keptFor } from "../http/reply.ts";
import { TIMEOUT } from "../http/shapes.ts";
import { type EnvironmentCall, environmentRoutes } from "../serve/route.ts";
import { eventBody } from "./body.ts";
import { listEvents, rowsOf } from "./list.ts";
import { liveEvents } from "./live.ts";
import { END_OF_TIME, LIST_QUERY, LIVE_QUERY } from "./parameters.ts";
import { EVENT, EVENT_ROWS, EVENTS_PAGE, INVALID_UUID, LIVE_EVENTS, PROPERTY_VALUES } from "./schema.ts";

const VALUES_MAX_AGE_S = 10;
const PROPERTY_FILTER = "properties_";
export const eventRoutes = environmentRoutes([
  {
    method: "GET",
    path: "events/",
    summary: "List events, newest first",
    scope: "query:read",
    query: LIST_QUERY,
    responses: { 200: [EVENTS_PAGE, EVENT_ROWS], ...TIMEOUT },
    handle: listEvents,
  },
  {
    method: "GET",
    path: "events/live/",
    summary: "What has been stored since the answer before, however old its time is; at first the newest events",
    scope: "query:read",
    query: LIVE_QUERY,
    responses: { 200: LIVE_EVENTS, ...TIMEOUT },
    handle: liveEvents,
  },
  {
    method: "GET",
    path: "events/values/",
    summary: "Values that a property (`key`), or with `is_column` a column, had in the last 7 days",
    scope: "query:read",
    query: {
      key: {
        description: "The property; `custom_event`: the names of events that are no SDK's.",
        schema: Type.String({ pattern: "^[^\\u0000]+$" }),
        isRequired: true,
      },
      is_column: flagParam("Whether `key` is a column of events."),
      value: textParam("Part of the values."),
      event_name: { description: "Names of events.", schema: Type.Array(Type.String({ pattern: "^[^\\u0000]*$" })) },
      [PROPERTY_FILTER]: {
        ...textParam("`properties_<name>`: a value of another property; JSON, or a text."),
        isPrefix: true,
      },
    },
    responses: { 200: PROPERTY_VALUES, ...TIMEOUT },
    handle: values,
  },
  {
    method: "GET",
    path: "events/:id/",
    summary: "Retrieve an event by its uuid",
    scope: "query:read",
    query: { include_person: flagParam("With its person.") },
    responses: { 200: EVENT, 400: [ERROR, INVALID_UUID], ...TIMEOUT },
    handle: retrieve,
  },
]);

async function retrieve(call: EnvironmentCall): Promise<Response> {
  const uuid = parseUuid(call.params.id ?? "");
  if (uuid === null) return json({ type: "validation_error", code: "invalid", detail: "Invalid UUID" }, 400);
  const node: JsonObject = {
    kind: "EventsQuery",
    select: ["*", "person"],
    fixedProperties: [{ type: "event_metadata", key: "uuid", operator: "exact", value: [uuid] }],
    after: "all",
    before: END_OF_TIME,
    orderBy: ["timestamp DESC"],
    limit: 1,
  };
  const { results } = await call.deps.queries.calculator.look(call, node);
  const [event, person = null] = rowsOf(results)[0] ?? [];
  if (event === undefined) throw notFound(`No events exist for event UUID ${uuid}`);
  const body = eventBody(event, person);
  return json(call.query.get("include_person") === "true" ? body : { ...body, person: null });
}

async function values(call: EnvironmentCall): Promise<Response> {
  const key = call.query.get("key");
  if (key === null || key === "") throw invalidField(null, "invalid_input", "You must provide a key");
  const names = key === "custom_event" ? await customEvents(call) : await propertyValues(call, key);
  return keptFor(
    VALUES_MAX_AGE_S,
    names.map((name) => ({ name })),
  );
}

/** `properties_<name>` are filters too. */
async function propertyValues({ query, ...call }: EnvironmentCall, key: string): Promise<string[]> {
  const filters = query
    .entries()
    .flatMap(([name, text]): Json[] =>
      name.startsWith(PROPERTY_FILTER)
        ? [{ key: name.slice(PROPERTY_FILTER.length), value: jsonIn(text) ?? text }]
        : [],
    );
  const context = await call.deps.queries.calculator.contextNow(call);
  const isColumn = query.get("is_column") === "true";
  return eventValues(
    { key, isColumn, part: query.get("value") || null, events: query.getAll("event_name"), filters },
    context,
  );
}

/** The names that are no SDK's own. */
async function customEvents(call: EnvironmentCall): Promise<string[]> {
  const query = "SELECT DISTINCT event FROM events WHERE NOT startsWith(event, '$') ORDER BY event LIMIT 1000";
  const { results } = await call.deps.queries.calculator.look(call, { kind: "HogQLQuery", query });
  return rowsOf(results).map(([name]) => String(name));
}
