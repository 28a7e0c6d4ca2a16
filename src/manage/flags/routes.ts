import { type Environment, findEnvironment, findProjectByToken, listGroupTypes } from "../../metadata/mod.ts";
import { notFound, unknownToken } from "../http/errors.ts";
import { currentEnvironmentId, enter } from "../http/guard.ts";
import { pageBody, readPage } from "../http/page.ts";
import { empty, json } from "../http/reply.ts";
import { type AccountCall, environmentRoutes, type Route } from "../http/route.ts";

/** What server SDKs ask of flags with a personal key. There are no flags, and these answers end the question. */
export const flagRoutes: Route[] = [
  ...["/flags/definitions/", "/api/feature_flag/local_evaluation/"].map((path) => ({
    method: "GET" as const,
    path,
    summary:
      "What SDKs need to evaluate flags by themselves: no flag; `token` or `X-PostHog-Project-Api-Key`: of which project",
    confinement: "user" as const,
    scope: "feature_flag:read" as const,
    handle: definitions,
  })),
  {
    method: "GET",
    path: "/api/feature_flag/",
    summary: "List the feature flags, for old SDKs: there are none",
    confinement: "user",
    scope: "feature_flag:read",
    async handle(call) {
      await environmentOf(call);
      return json(pageBody(call.url, readPage(call.query), 0, []));
    },
  },
  ...environmentRoutes([
    {
      method: "GET",
      path: "feature_flags/:id/remote_config/",
      summary: "The payload of a flag: 404 without a body, since SDKs take any body for a payload",
      scope: "feature_flag:read",
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
  enter(environment, caller);
  return environment;
}
