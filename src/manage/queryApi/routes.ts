import { isPending } from "../../metadata/mod.ts";
import * as schemas from "../../openapi/mod.ts";
import { helpKindOf, overridden } from "../../query/mod.ts";
import type { Json, JsonObject } from "../../types/mod.ts";
import { anyJson } from "../http/compound.ts";
import { parseError } from "../http/errors.ts";
import { boolean, choice, isObject, nullable, readFields, text } from "../http/fields.ts";
import { flagParam } from "../http/query.ts";
import { json } from "../http/reply.ts";
import { TIMEOUT } from "../http/shapes.ts";
import { answerBody } from "../query/answer.ts";
import { ask, EXACT, type Mode } from "../query/ask.ts";
import { tableReply } from "../query/export.ts";
import { parseRefresh, REFRESH_MODES, REFRESH_PARAM } from "../query/refresh.ts";
import { KEY_MAY_ASK, MESSAGE, POLLED, QUERY_ANSWER, QUERY_NODE } from "../query/schema.ts";
import { type EnvironmentCall, environmentRoutes } from "../serve/route.ts";

const ID_MAX = 400;

const REFRESH = schemas.oneOf([...REFRESH_MODES, true, false, null]);
const nullableObject = schemas.nullable(schemas.anyObject());

const BODY_FIELDS = {
  query: { ...anyJson(), schema: QUERY_NODE },
  refresh: { ...anyJson(), schema: REFRESH },
  client_query_id: nullable(text({ maxLength: ID_MAX })),
  filters_override: { ...anyJson(), schema: nullableObject },
  variables_override: { ...anyJson(), schema: nullableObject },
  name: nullable(text({ blank: true })),
  async: nullable(boolean()),
  limit_context: nullable(choice(["posthog_ai"])),
};

export const queryRoutes = environmentRoutes([
  {
    method: "POST",
    path: "query/",
    summary: "Answer a query node, now or in the background",
    scope: "query:read",
    query: { refresh: REFRESH_PARAM },
    requires: ["query"],
    responses: { 200: QUERY_ANSWER, 202: QUERY_ANSWER, ...TIMEOUT },
    unlogged: "changes no record",
    body: BODY_FIELDS,
    handle: runQueryNode,
  },
  {
    method: "POST",
    path: "query/check_auth_for_async/",
    summary: "Whether the key may ask queries",
    scope: "query:read",
    responses: { 200: KEY_MAY_ASK },
    unlogged: "changes nothing",
    handle: async () => json({ user: "ok" }),
  },
  {
    method: "GET",
    path: "query/:id/",
    summary: "How far a background query is, with its result once it is there",
    scope: "query:read",
    query: { show_progress: flagParam("With `query_progress`."), showProgress: flagParam("The same.") },
    responses: { 200: POLLED, 202: POLLED, 400: [schemas.ERROR, POLLED], 500: [schemas.ERROR, POLLED] },
    async handle(call) {
      const { query, environment, params, deps, caller } = call;
      const showsProgress = ["show_progress", "showProgress"].some((name) => query.get(name) === "true");
      const { status, body } = await deps.queries.jobs.poll(environment.id, params.id ?? "", { caller, showsProgress });
      return json(body, status);
    },
  },
  {
    method: "DELETE",
    path: "query/:id/",
    summary: "End a query",
    scope: "query:read",
    responses: { 200: MESSAGE },
    unlogged: "changes no record",
    async handle(call) {
      const { deps, environment, params, caller } = call;
      const query = { teamId: environment.id, id: params.id ?? "", userId: caller.user.id };
      const { wasDone } = await deps.queries.cancels.order(query);
      return json({ message: wasDone ? "Query already complete" : "Query task revoked" });
    },
  },
]);

async function runQueryNode(call: EnvironmentCall): Promise<Response> {
  const body = await call.body();
  for (const key of Object.keys(body)) {
    // The key of the caller may travel in the body; anything else unknown is refused, unlike elsewhere.
    if (!Object.hasOwn(BODY_FIELDS, key) && key !== "personal_api_key") {
      const place = key === "kind" ? 'a query goes into "query": {"query": {"kind": …}}' : "no such field of this body";
      throw schemaError(key, place);
    }
  }
  const values = readFields(BODY_FIELDS, body);
  if (!isObject(values.query)) throw schemaError("query", `must be an object with kind, e.g. ${EXAMPLE}`);
  const help = helpKindOf(values.query);
  if (help !== undefined)
    return json(await help.answer(values.query, await call.deps.queries.calculator.contextNow(call)));
  const node = overridden(values.query, {
    filters: overrideOf("filters_override", values.filters_override),
    variables: overrideOf("variables_override", values.variables_override),
  });
  const mode = modeOf(call.query.get("refresh"), values.refresh, values.async === true);
  const answer = await ask(call, node, mode, values.client_query_id ?? null);
  if (call.query.get("format") === "csv" && answer.text !== null) return tableReply(answer, values.name ?? null);
  return json(answerBody(answer), answer.job !== null && isPending(answer.job) ? 202 : 200);
}

const EXAMPLE = '{"query": {"kind": "HogQLQuery", "query": "select count() from events"}}';

const schemaError = (field: string, problem: string) => parseError(`${field}: ${problem}`);

function overrideOf(name: string, value: Json | undefined): JsonObject {
  if (value === undefined || value === null) return {};
  if (isObject(value)) return value;
  throw schemaError(name, "must be an object");
}

/** This endpoint always answers: what would only look into the cache elsewhere calculates here. */
function modeOf(param: string | null, value: Json | undefined, isAsync: boolean): Mode {
  if (value !== undefined && value !== null && typeof value !== "boolean") {
    if (!(REFRESH_MODES as readonly Json[]).includes(value)) {
      throw schemaError("refresh", `must be one of ${REFRESH_MODES.join(", ")}`);
    }
  }
  const asked = param ?? value ?? null;
  if (isAsync && asked === null) return "async";
  const mode = parseRefresh(asked);
  return mode === "force_cache" ? EXACT : mode;
}
