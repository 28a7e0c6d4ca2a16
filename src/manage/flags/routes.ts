import { Type } from "@sinclair/typebox";
import { type Environment, findEnvironment, findProjectByToken, listGroupTypes } from "../../metadata/mod.ts";
import { object } from "../../openapi/mod.ts";
import { notFound, unknownToken } from "../http/errors.ts";
import { textParam } from "../http/query.ts";
import { empty, json } from "../http/reply.ts";
import { NOTHING, pageRoute } from "../resource/pageRoute.ts";
import { currentEnvironmentId, enter } from "../serve/guard.ts";
import { type AccountCall, environmentRoutes, type Route } from "../serve/route.ts";

const TOKEN_QUERY = {
  token: textParam("The project key of the environment that is meant; the current one when absent."),
};
const TOKEN_HEADER = { "X-PostHog-Project-Api-Key": "The same as `token`, which comes first." };

const FLAG_DEFINITIONS = object("FlagDefinitions", {
  flags: Type.Array(Type.Never(), { maxItems: 0 }),
  group_type_mapping: Type.Record(Type.String(), Type.String(), {
    description: "Names of group types by their index.",
  }),
  cohorts: Type.Object({}, { additionalProperties: false }),
});

/** What server SDKs ask of flags with a personal key. There are no flags, and these answers end the question. */
export const flagRoutes: Route[] = [
  ...["/flags/definitions/", "/api/feature_flag/local_evaluation/"].map((path) => ({
    method: "GET" as const,
    path,
    summary: "What SDKs need to evaluate flags by themselves: no flag",
    confinement: "user" as const,
    scope: "feature_flag:read" as const,
    query: TOKEN_QUERY,
    headers: TOKEN_HEADER,
    responses: { 200: FLAG_DEFINITIONS },
    handle: definitions,
  })),
  {
    ...pageRoute<object, AccountCall>({
      path: "/api/feature_flag/",
      summary: "List the feature flags, for old SDKs: there are none",
      scope: "feature_flag:read",
      query: TOKEN_QUERY,
      headers: TOKEN_HEADER,
      async read(call) {
        await environmentOf(call);
        return NOTHING;
      },
    }),
    confinement: "user",
  },
  ...environmentRoutes([
    {
      method: "GET",
      path: "feature_flags/:id/remote_config/",
      summary: "The payload of a flag: 404 without a body, since SDKs take any body for a payload",
      scope: "feature_flag:read",
      responses: { 404: null },
      handle: async () => empty(404),
    },
  ]),
];

async function definitions(call: AccountCall): Promise<Response> {
  const { id } = await environmentOf(call);
  const types = await call.deps.db.read((tx) => listGroupTypes(tx, id));
  const names = types.map(({ index, name }) => [String(index), name]);
  return json({ flags: [], group_type_mapping: Object.fromEntries(names), cohorts: {} });
}

/** By its token, else the caller's current one. Throws ApiError 401, 403 and 404. */
async function environmentOf({ deps, query, request, caller }: AccountCall): Promise<Environment> {
  const token = query.get("token") || request.headers.get("x-posthog-project-api-key");
  const named = token ? await findProjectByToken(deps.db, token) : null;
  if (token && named === null) throw unknownToken();
  const id = named?.teamId ?? currentEnvironmentId(caller);
  const environment = id === null ? null : await deps.db.read((tx) => findEnvironment(tx, id));
  if (environment === null) throw notFound("Project not found.");
  await enter(deps.db, environment, caller);
  return environment;
}
