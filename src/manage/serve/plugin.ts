import { type Context, Elysia } from "elysia";
import { documentOf, METHODS, type Operation, viewerFile, viewerPage } from "../../openapi/mod.ts";
import { clientIp } from "../../types/mod.ts";
import { methodNotAllowed, notFound } from "../http/errors.ts";
import type { ManageDeps } from "./deps.ts";
import { LinkLimits } from "./linkLimits.ts";
import { RateLimits } from "./rateLimits.ts";
import type { Route } from "./route.ts";
import { CSV_SUFFIX, refuseMethod, refusePath, serve } from "./serve.ts";

/** Paths of the API that end in a name. */
const LISTED = /^\/api\/(?:.*\/)?\w+\/$/;

type HandlerContext = Pick<Context, "request" | "params" | "server">;

/** What the plugin serves. */
interface Served {
  routes: readonly Route[];
  /** All that the service offers, for the document; asked for once. */
  operations(): readonly Operation[];
}

/** Serves routes, and the document of all that the service answers: `/openapi.json`, and `/swagger`, which shows it. */
export function apiPlugin({ routes, operations }: Served, deps: ManageDeps): Elysia {
  const app = new Elysia({ name: "manage" });
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
  for (const route of routes) {
    // Elysia prepares all of a context whose handler does not name what it takes of it.
    const handle = ({ request, params, server }: HandlerContext) =>
      serve(route, deps, limits, incoming(request, params, server));
    // Bodies are read by the routes: a malformed one must not come before a missing key.
    app.route(route.method, route.path, handle, unparsed);
    // Behind a parameter the suffix is a part of its value.
    if (route.method === "GET" && LISTED.test(route.path)) {
      app.get(route.path.replace(/\/$/, CSV_SUFFIX), handle, unparsed);
    }
  }
  for (const [path, group] of Map.groupBy(routes, ({ path }) => path)) {
    const handle = ({ request, params, server }: HandlerContext) =>
      refuseMethod(group, deps, incoming(request, params, server));
    // One by one, too: `insights/cancel/` must not become the `insights/:id/` that has the method.
    const others = METHODS.filter((method) => group.every((route) => route.method !== method));
    for (const method of others) app.route(method, path, handle, unparsed);
    app.all(path, handle, unparsed);
  }
  app.all("/api/*", refusePath, unparsed);
  addDocument(app, operations);
  app.all("/*", () => notFound("There is nothing here: /swagger describes every path.").toResponse(), unparsed);
  return app as unknown as Elysia;
}

const unparsed = { parse: "none" } as const;

function addDocument(app: Elysia, operations: Served["operations"]): void {
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
