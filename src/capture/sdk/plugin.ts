import { Elysia } from "elysia";
import { preflight, withCors } from "../front/cors.ts";
import { failed, refusal } from "./answers.ts";
import type { SdkRoute } from "./route.ts";
import { type SdkDeps, sdkRoutes } from "./routes.ts";

const hidden = { parse: "none", detail: { hide: true } } as const;

/** The paths at which SDKs ask and send what is no event; see `sdkRoutes`. */
export function sdkPlugin(deps: SdkDeps): Elysia {
  const app = new Elysia({ name: "sdk" });
  for (const route of sdkRoutes(deps)) {
    for (const path of route.paths) {
      app.route(
        route.method,
        path,
        ({ request, params, server }) => serve(route, request, params, server?.requestIP(request)?.address ?? null),
        hidden,
      );
      app.all(path, ({ request }) => otherMethod(route, request), hidden);
    }
  }
  return app as unknown as Elysia;
}

async function serve(
  route: SdkRoute,
  request: Request,
  params: Record<string, string>,
  ip: string | null,
): Promise<Response> {
  try {
    return withCors(request, await route.answer(request, params, ip));
  } catch (error) {
    return withCors(request, failed(error));
  }
}

function otherMethod(route: SdkRoute, request: Request): Response {
  const permission = preflight(request);
  if (permission !== null) return permission;
  const answer = refusal(405, "method_not_allowed", `only ${route.method} is allowed here`);
  answer.headers.set("Allow", route.method);
  return withCors(request, answer);
}
