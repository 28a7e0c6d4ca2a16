import { openapi } from "@elysiajs/openapi";
import { type Context, Elysia } from "elysia";
import type { ManageDeps } from "./deps.ts";
import { methodNotAllowed, notFound } from "./http/errors.ts";
import { bodySchema } from "./http/fields.ts";
import type { Route } from "./http/route.ts";
import { serve } from "./http/serve.ts";
import { ROUTES } from "./routes.ts";

/** Waiting for a free query process, and sending the answer. */
const IDLE_MARGIN_S = 60;

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
  for (const route of ROUTES) {
    const handle = ({ request, params, server }: HandlerContext) => {
      server?.timeout(request, idleTimeoutS);
      return serve(route, deps, request, params);
    };
    // Bodies are read by the routes: a malformed one must not come before a missing key.
    app.route(route.method, route.path, handle, { parse: "none", detail: describe(route) });
  }
  for (const [path, methods] of methodsByPath()) {
    app.all(path, ({ request }) => methodNotAllowed(request.method, methods).toResponse(), hidden);
  }
  app.all("/api/*", () => notFound().toResponse(), hidden);
  return app as unknown as Elysia;
}

const hidden = { parse: "none", detail: { hide: true } } as const;

function methodsByPath(): Map<string, string[]> {
  const methods = new Map<string, string[]>();
  for (const route of ROUTES) methods.set(route.path, [...(methods.get(route.path) ?? []), route.method]);
  return methods;
}

function describe(route: Route) {
  const segments = route.path.split("/").filter((part) => part !== "" && !part.startsWith(":"));
  const tag = segments.findLast((part) => !["api", "projects", "environments"].includes(part));
  return {
    summary: route.summary,
    tags: [tag ?? segments.at(-1) ?? "service"],
    ...(route.confinement === "open"
      ? {}
      : { description: `Scope: \`${route.scope}\``, security: [{ personalApiKey: [] }] }),
    ...(route.body === undefined
      ? {}
      : { requestBody: { content: { "application/json": { schema: bodySchema(route.body) } } } }),
  };
}
