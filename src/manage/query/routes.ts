import type { Json } from "../../types/mod.ts";
import { parseError } from "../http/errors.ts";
import { anyJson, boolean, choice, isObject, nullable, readFields, text } from "../http/fields.ts";
import { json } from "../http/reply.ts";
import { type EnvironmentCall, environmentRoutes } from "../http/route.ts";
import { answerQuery, cacheFields } from "./answer.ts";
import { type DirectMode, parseRefresh, REFRESH_MODES, requireDirect } from "./refresh.ts";

const BODY_FIELDS = {
  query: anyJson(),
  refresh: anyJson(),
  client_query_id: nullable(text({ maxLength: 400 })),
  filters_override: anyJson(),
  variables_override: anyJson(),
  name: nullable(text({ blank: true })),
  async: nullable(boolean()),
  limit_context: nullable(choice(["posthog_ai"])),
};

export const queryRoutes = environmentRoutes([
  {
    method: "POST",
    path: "query/",
    summary: "Answer a query node",
    scope: "query:read",
    body: BODY_FIELDS,
    handle: runQueryNode,
  },
]);

async function runQueryNode(call: EnvironmentCall): Promise<Response> {
  const body = await call.body();
  for (const key of Object.keys(body)) {
    // The key of the caller may travel in the body; anything else unknown is refused, unlike elsewhere.
    if (!Object.hasOwn(BODY_FIELDS, key) && key !== "personal_api_key") {
      throw schemaError(key, "Extra inputs are not permitted");
    }
  }
  const values = readFields(BODY_FIELDS, body);
  if (!isObject(values.query)) throw schemaError("query", "Field required");
  for (const name of ["filters_override", "variables_override"] as const) {
    if (isObject(values[name]) && Object.keys(values[name]).length > 0) {
      throw schemaError(name, "Overrides are not available yet");
    }
  }
  const mode = refreshMode(call.query.get("refresh"), values.refresh, values.async === true);
  const answer = await answerQuery(call, values.query, mode);
  return json({
    ...answer.response,
    ...cacheFields(answer),
    cache_key: answer.cacheKey,
    timezone: answer.timezone,
    calculation_trigger: null,
  });
}

const schemaError = (field: string, problem: string) =>
  parseError(`1 validation error for QueryRequest\n${field}\n  ${problem}`);

/** This endpoint always answers: what would only look into the cache elsewhere calculates here. */
function refreshMode(param: string | null, value: Json | undefined, isAsync: boolean): DirectMode | "exact" {
  if (param === null && value !== undefined && value !== null && typeof value !== "boolean") {
    if (!(REFRESH_MODES as readonly Json[]).includes(value)) {
      throw schemaError("refresh", `Input should be ${REFRESH_MODES.map((mode) => `'${mode}'`).join(", ")}`);
    }
  }
  const asked = param ?? value ?? null;
  if (isAsync && asked === null) return requireDirect("async");
  const mode = requireDirect(parseRefresh(asked));
  return mode === "force_cache" ? "exact" : mode;
}
