import { type Context, Elysia } from "elysia";
import { CAPTURE_OPERATIONS } from "../capture/operations.ts";
import { documentOf, METHODS, type Operation, viewerFile, viewerPage } from "../openapi/mod.ts";
import { clientIp } from "../types/mod.ts";
import type { ManageDeps } from "./deps.ts";
import { describe } from "./http/describe.ts";
import { methodNotAllowed, notFound } from "./http/errors.ts";
import { LinkLimits } from "./http/linkLimits.ts";
import { RateLimits } from "./http/rateLimits.ts";
import { isOffered, type Route } from "./http/route.ts";
import { CSV_SUFFIX, refuseMethod, refusePath, serve } from "./http/serve.ts";
import { DOCUMENT_OPERATIONS } from "./operations/schema.ts";
import { ROUTES } from "./routes.ts";

/** Waiting for a free query process, and sending the answer. */
const IDLE_MARGIN_S = 60;

/** Paths of the API that end in a name. */
const LISTED = /^\/api\/(?:.*\/)?\w+\/$/;

type HandlerContext = Pick<Context, "request" | "params" | "server">;

/** The management API, and the document of all that the service answers: `/openapi.json`, and `/swagger`, which shows it. */
export function managePlugin(deps: ManageDeps): Elysia {
  const app = new Elysia({ name: "manage" });
  // Bun closes a connection on which nothing moves; a query may calculate for longer than its default.
  const idleTimeoutS = Math.ceil(deps.config.queryTimeoutMs / 1000) + IDLE_MARGIN_S;
  const { config } = deps;
  const limits = { keys: config.rateLimits ? new RateLimits() : null, links: new LinkLimits(config) };
  const incoming = (request: Request, params: HandlerContext["params"], server: HandlerContext["server"]) => ({
    request,
    params,
    address: () =>
      deps.addressOf !== undefined
        ? deps.addressOf(request)
        : clientIp(request, server?.requestIP(request)?.address ?? null, config.trustProxy),
  });
  for (const route of ROUTES) {
    // Elysia prepares all of a context whose handler does not name what it takes of it.
    const handle = ({ request, params, server }: HandlerContext) => {
      server?.timeout(request, idleTimeoutS);
      return serve(route, deps, limits, incoming(request, params, server));
    };
    // Bodies are read by the routes: a malformed one must not come before a missing key.
    app.route(route.method, route.path, handle, unparsed);
    // Behind a parameter the suffix is a part of its value.
    if (route.method === "GET" && LISTED.test(route.path)) {
      app.get(route.path.replace(/\/$/, CSV_SUFFIX), handle, unparsed);
    }
  }
  for (const [path, routes] of routesByPath()) {
    const handle = ({ request, params, server }: HandlerContext) =>
      refuseMethod(routes, deps, incoming(request, params, server));
    // One by one, too: `insights/cancel/` must not become the `insights/:id/` that has the method.
    const others = METHODS.filter((method) => routes.every((route) => route.method !== method));
    for (const method of others) app.route(method, path, handle, unparsed);
    app.all(path, handle, unparsed);
  }
  app.all("/api/*", refusePath, unparsed);
  addDocument(app);
  app.all("/*", () => notFound("There is nothing here: /swagger describes every path.").toResponse(), unparsed);
  return app as unknown as Elysia;
}

const unparsed = { parse: "none" } as const;

function routesByPath(): Map<string, Route[]> {
  const routes = new Map<string, Route[]>();
  for (const route of ROUTES) routes.set(route.path, [...(routes.get(route.path) ?? []), route]);
  return routes;
}

/** Everything that the service offers. */
export function operations(): Operation[] {
  return [...CAPTURE_OPERATIONS, ...DOCUMENT_OPERATIONS, ...ROUTES.filter(isOffered).map(describe)];
}

function addDocument(app: Elysia): void {
  let text: string | undefined;
  app.get("/openapi.json", () => {
    text ??= JSON.stringify(documentOf(operations()));
    return new Response(text, { headers: { "Content-Type": "application/json" } });
  });
  for (const path of ["/swagger", "/swagger/"]) app.get(path, () => viewerPage());
  app.get("/swagger/:file", ({ params }) => viewerFile(params.file) ?? notFound().toResponse());
  for (const path of ["/openapi.json", "/swagger", "/swagger/", "/swagger/:file"]) {
    app.all(path, ({ request }) => methodNotAllowed(request.method, ["GET"]).toResponse(), unparsed);
  }
}
