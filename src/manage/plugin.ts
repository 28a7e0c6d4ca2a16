import { openapi } from "@elysiajs/openapi";
import { type Context, Elysia } from "elysia";
import { clientIp } from "../types/mod.ts";
import type { ManageDeps } from "./deps.ts";
import { bodySchema } from "./http/fields.ts";
import { LinkLimits } from "./http/linkLimits.ts";
import { RateLimits } from "./http/rateLimits.ts";
import type { Route } from "./http/route.ts";
import { CSV_SUFFIX, refuseMethod, refusePath, serve } from "./http/serve.ts";
import { ROUTES } from "./routes.ts";

/** Waiting for a free query process, and sending the answer. */
const IDLE_MARGIN_S = 60;

/** Paths of the API that end in a name. */
const LISTED = /^\/api\/(?:.*\/)?\w+\/$/;

type GuardedRoute = Exclude<Route, { confinement: "open" }>;
type HandlerContext = Pick<Context, "request" | "params" | "server">;

/** The management API, and its description at `/openapi.json` (as a page at `/swagger`). */
export function managePlugin(deps: ManageDeps): Elysia {
  const app = new Elysia({ name: "manage" });
  app.use(
    openapi({
      path: "/swagger",
      specPath: "/openapi.json",
      documentation: {
        info: { title: "Weir", version: "0.1.0", description: "Product analytics on one small machine." },
        components: { securitySchemes: { personalApiKey: { type: "http", scheme: "bearer" } } },
      },
    }),
  );
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
    app.route(route.method, route.path, handle, { parse: "none", detail: describe(route) });
    // Behind a parameter the suffix is a part of its value.
    if (route.method === "GET" && LISTED.test(route.path)) {
      app.get(route.path.replace(/\/$/, CSV_SUFFIX), handle, hidden);
    }
  }
  for (const [path, routes] of routesByPath()) {
    const handle = ({ request, params, server }: HandlerContext) =>
      refuseMethod(routes, deps, incoming(request, params, server));
    app.all(path, handle, hidden);
  }
  app.all("/api/*", refusePath, hidden);
  return app as unknown as Elysia;
}

const hidden = { parse: "none", detail: { hide: true } } as const;

function routesByPath(): Map<string, Route[]> {
  const routes = new Map<string, Route[]>();
  for (const route of ROUTES) routes.set(route.path, [...(routes.get(route.path) ?? []), route]);
  return routes;
}

function describe(route: Route) {
  const segments = route.path.split("/").filter((part) => part !== "" && !part.startsWith(":"));
  const tag = segments.findLast((part) => !["api", "projects", "environments"].includes(part));
  return {
    summary: route.summary,
    tags: [tag ?? segments.at(-1) ?? "service"],
    ...(route.confinement === "open"
      ? {}
      : { description: describeScope(route.scope), security: [{ personalApiKey: [] }] }),
    ...(route.body === undefined
      ? {}
      : { requestBody: { content: { "application/json": { schema: bodySchema(route.body) } } } }),
  };
}

function describeScope(scope: GuardedRoute["scope"]): string {
  if (typeof scope === "string") return `Scope: \`${scope}\``;
  return scope.length === 0 ? "Any key" : `Scope: ${scope.map((name) => `\`${name}\``).join(" or ")}`;
}
