import { equalSecrets } from "../../metadata/mod.ts";
import { ERROR } from "../../openapi/mod.ts";
import { notAuthenticated } from "../http/errors.ts";
import { json } from "../http/reply.ts";
import { pageRoute } from "../resource/pageRoute.ts";
import { bearerOf } from "../serve/authenticate.ts";
import type { Health } from "../serve/deps.ts";
import { accountRoutes, environmentRoutes, type OpenCall, type Route } from "../serve/route.ts";
import { HISTORY_QUERY, historyBody, machineBody, readWish } from "./history.ts";
import { HISTORY, INGESTION_STATUS, INSTALLATION, INSTALLATION_HISTORY, PLAIN, WARNING } from "./schema.ts";

const plain = (text: string, status = 200, type = "text/plain; charset=utf-8") =>
  new Response(text, { status, headers: { "Content-Type": type } });

/** Throws ApiError 401. */
function requireMetricsToken({ deps, request }: OpenCall): void {
  const { metricsToken } = deps.config;
  if (metricsToken === null) return;
  const given = bearerOf(request);
  if (given === null) throw notAuthenticated();
  if (!equalSecrets(given, metricsToken)) throw notAuthenticated("The token for metrics is wrong.");
}

/** `problem`: why not; null where all is well. */
function healthRoute(
  path: string,
  what: string,
  problem: (health: Health) => Promise<string | null> | string | null,
): Route {
  return {
    method: "GET",
    path,
    summary: `${what}; 503 with the reason if not`,
    confinement: "open",
    responses: { 200: PLAIN, 503: PLAIN },
    async handle({ deps }) {
      const reason = await problem(deps.health);
      return reason === null ? plain("ok\n") : plain(`${reason}\n`, 503);
    },
  };
}

/** What tells of other projects, and of the machine. */
const FOR_OPERATORS = { scope: "organization:read", level: "admin" } as const;

/** What operators and their machines ask. */
export const operationsRoutes: Route[] = [
  healthRoute("/_readiness/", "Whether the service can take requests", (health) => health.ready()),
  healthRoute("/_liveness/", "Whether the process works", (health) => health.alive()),
  {
    method: "GET",
    path: "/metrics/",
    summary: "Metrics in Prometheus' text format; with a token where `WEIR_METRICS_TOKEN` is set",
    confinement: "open",
    responses: { 200: PLAIN, 401: ERROR },
    async handle(call) {
      requireMetricsToken(call);
      return plain(await call.deps.health.metrics(), 200, "text/plain; version=0.0.4; charset=utf-8");
    },
  },
  ...environmentRoutes([
    {
      method: "GET",
      path: "ingestion_status/",
      summary: "What became of the events that were accepted",
      scope: "project:read",
      responses: { 200: INGESTION_STATUS },
      async handle(call) {
        const { eventMaxBytes: event_max_bytes, jsonMaxDepth: json_max_depth } = call.deps.config;
        const front = { event_max_bytes, json_max_depth };
        return json({ ...(await call.deps.ingestion.status(call.environment.id)), front });
      },
    },
    {
      method: "GET",
      path: "ingestion_history/",
      summary: "What the figures of `ingestion_status/` were, by minute or by hour",
      scope: "project:read",
      query: HISTORY_QUERY,
      responses: { 200: HISTORY, 400: ERROR },
      async handle(call) {
        const wish = readWish(call);
        return json(historyBody(wish.step, await call.deps.ingestion.history(call.environment.id, wish)));
      },
    },
    pageRoute({
      path: "ingestion_warnings/",
      summary: "What was changed or set aside of the events of the last 30 days, newest first",
      scope: "project:read",
      item: WARNING,
      read: ({ deps, environment }, page) => deps.ingestion.warnings(environment.id, page),
    }),
  ]),
  ...accountRoutes([
    {
      method: "GET",
      path: "installation/status/",
      summary: "The state of the whole installation, as `weir status --json` prints it",
      ...FOR_OPERATORS,
      responses: { 200: INSTALLATION },
      async handle(call) {
        return json(await call.deps.ingestion.installation());
      },
    },
    {
      method: "GET",
      path: "installation/history/",
      summary: "What the figures of all projects were, by minute or by hour",
      ...FOR_OPERATORS,
      query: HISTORY_QUERY,
      responses: { 200: INSTALLATION_HISTORY, 400: ERROR },
      async handle(call) {
        const wish = readWish(call);
        const history = await call.deps.ingestion.history(null, wish);
        return json({ ...historyBody(wish.step, history), ...machineBody(history) });
      },
    },
  ]),
];
