import { Elysia } from "elysia";
import { clientIp } from "../types/mod.ts";
import { accepted, methodNotAllowed } from "./front/answer.ts";
import { preflight, withCors } from "./front/cors.ts";
import { type CaptureDeps, Front, type Route } from "./front/front.ts";
import { PATHS, V1_PATH } from "./paths.ts";
import { methodNotAllowedV1 } from "./v1/errors.ts";
import { receiveV1 } from "./v1/receive.ts";

type Handler = (request: Request, connectionIp: string | null) => Response | Promise<Response>;

/**
 * Every path that events are sent to, with and without a slash, each taking every shape of body.
 * The listener's own bound on bodies must stand well above `batchMaxBytes`, or Bun answers in our place, without a body.
 */
export function capturePlugin(deps: CaptureDeps) {
  const front = new Front(deps);
  const { batchMaxBytes, eventBodyMaxBytes, trustProxy } = deps.config;
  const app = new Elysia({ name: "capture" });
  const add = (path: string, methods: readonly string[], receive: Handler, refuse = methodNotAllowed) => {
    const other: Handler = (request) =>
      preflight(request) ?? (request.method === "OPTIONS" ? accepted() : refuse(methods.join(", ")));
    for (const spelling of [path, `${path}/`]) {
      for (const method of methods) app.route(method, spelling, answering(receive), unparsed);
      app.all(spelling, answering(other), unparsed);
    }
  };
  for (const { paths, methods, isLegacyPath, defaultName, isBatch } of PATHS) {
    const route: Route = { isLegacyPath, defaultName, bodyMaxBytes: isBatch ? batchMaxBytes : eventBodyMaxBytes };
    for (const path of paths) {
      add(path, methods, (request, ip) => front.receive(request, route, clientIp(request, ip, trustProxy)));
    }
  }
  add(
    V1_PATH,
    ["POST"],
    (request, ip) => receiveV1(front, request, clientIp(request, ip, trustProxy)),
    methodNotAllowedV1,
  );
  return app;
}

const unparsed = { parse: "none" } as const;

/** Every answer, of a failure too, may be read by the page that asked. */
function answering(handler: Handler) {
  return async ({ request, server }: { request: Request; server: Bun.Server<unknown> | null }) => {
    const answer = await handler(request, server?.requestIP(request)?.address ?? null);
    return withCors(request, answer);
  };
}
