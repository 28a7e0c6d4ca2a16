import { equalSecrets } from "../../metadata/mod.ts";
import { ERROR } from "../../openapi/mod.ts";
import { notAuthenticated } from "../http/errors.ts";
import { PAGE_QUERY, pageBody, readPage } from "../http/page.ts";
import { json } from "../http/reply.ts";
import { pageOf } from "../http/shapes.ts";
import { bearerOf } from "../serve/guard.ts";
import { environmentRoutes, type OpenCall, type Route } from "../serve/route.ts";
import { INGESTION_STATUS, PLAIN, WARNING } from "./schema.ts";

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

/** What operators and their machines ask. */
export const operationsRoutes: Route[] = [
  {
    method: "GET",
    path: "/_readiness/",
    summary: "Whether the service can take requests; 503 with the reason if not",
    confinement: "open",
    responses: { 200: PLAIN, 503: PLAIN },
    async handle(call) {
      const reason = await call.deps.health.ready();
      return reason === null ? plain("ok\n") : plain(`${reason}\n`, 503);
    },
  },
  {
    method: "GET",
    path: "/_liveness/",
    summary: "Whether the process works; 503 with the reason if not",
    confinement: "open",
    responses: { 200: PLAIN, 503: PLAIN },
    async handle(call) {
      const reason = call.deps.health.alive();
      return reason === null ? plain("ok\n") : plain(`${reason}\n`, 503);
    },
  },
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
        return json(await call.deps.ingestion.status(call.environment.id));
      },
    },
    {
      method: "GET",
      path: "ingestion_warnings/",
      summary: "What was changed or set aside of the events of the last 30 days, newest first",
      scope: "project:read",
      query: PAGE_QUERY,
      responses: { 200: pageOf(WARNING.schema) },
      async handle(call) {
        const page = readPage(call.query);
        const { count, items } = await call.deps.ingestion.warnings(call.environment.id, page);
        const warnings = items.map((warning) => WARNING.show(warning, null));
        return json(pageBody(call.url, page, count, warnings));
      },
    },
  ]),
];
