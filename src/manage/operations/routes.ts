import { json } from "../http/reply.ts";
import { environmentRoutes, type Route } from "../http/route.ts";

const plain = (text: string, status = 200, type = "text/plain; charset=utf-8") =>
  new Response(text, { status, headers: { "Content-Type": type } });

/** What operators and their machines ask. */
export const operationsRoutes: Route[] = [
  {
    method: "GET",
    path: "/_readiness/",
    summary: "Whether the service can take requests; 503 with the reason if not",
    confinement: "open",
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
    async handle(call) {
      const reason = call.deps.health.alive();
      return reason === null ? plain("ok\n") : plain(`${reason}\n`, 503);
    },
  },
  {
    method: "GET",
    path: "/metrics/",
    summary: "Metrics in Prometheus' text format",
    confinement: "open",
    async handle(call) {
      return plain(await call.deps.health.metrics(), 200, "text/plain; version=0.0.4; charset=utf-8");
    },
  },
  ...environmentRoutes([
    {
      method: "GET",
      path: "ingestion_status/",
      summary: "What became of the events that were accepted",
      scope: "project:read",
      async handle(call) {
        return json(await call.deps.ingestion.status(call.environment.id));
      },
    },
  ]),
];
