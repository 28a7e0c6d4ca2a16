import { Elysia } from "elysia";
import { clientIp } from "../types/mod.ts";
import { accepted, methodNotAllowed } from "./answer.ts";
import { preflight, withCors } from "./cors.ts";
import { type CaptureDeps, Front, type Route } from "./front.ts";
import { methodNotAllowedV1 } from "./v1/errors.ts";
import { receiveV1 } from "./v1/receive.ts";

interface PathOptions {
  paths: string[];
  route: Omit<Route, "bodyMaxBytes"> & { isBatch?: true };
  /** Old libraries send `?data=` with GET; the documented paths take POST alone. */
  methods: "POST" | "GET, POST";
}

const PATHS: PathOptions[] = [
  { paths: ["/batch"], route: { isLegacyPath: false, defaultName: null, isBatch: true }, methods: "POST" },
  { paths: ["/capture"], route: { isLegacyPath: true, defaultName: null }, methods: "POST" },
  { paths: ["/i/v0/e"], route: { isLegacyPath: false, defaultName: null }, methods: "GET, POST" },
  { paths: ["/e", "/track"], route: { isLegacyPath: true, defaultName: null }, methods: "GET, POST" },
  { paths: ["/engage"], route: { isLegacyPath: true, defaultName: "$identify" }, methods: "GET, POST" },
];
const V1_PATH = "/i/v1/analytics/events";

type Handler = (request: Request, connectionIp: string | null) => Response | Promise<Response>;

/**
 * Every path that events are sent to, with and without a slash, each taking every shape of body.
 * The listener's own bound on bodies must stand well above `batchMaxBytes`, or Bun answers in our place, without a body.
 */
export function capturePlugin(deps: CaptureDeps) {
  const front = new Front(deps);
  const { batchMaxBytes, eventBodyMaxBytes, trustProxy } = deps.config;
  const app = new Elysia({ name: "capture" });
  const add = (path: string, methods: string, receive: Handler, refuse = methodNotAllowed) => {
    const other: Handler = (request) =>
      preflight(request) ?? (request.method === "OPTIONS" ? accepted() : refuse(methods));
    for (const spelling of [path, `${path}/`]) {
      for (const method of methods.split(", ")) app.route(method, spelling, answering(receive), unparsed);
      app.all(spelling, answering(other), unparsed);
    }
  };
  for (const { paths, route, methods } of PATHS) {
    const full: Route = { ...route, bodyMaxBytes: route.isBatch ? batchMaxBytes : eventBodyMaxBytes };
    for (const path of paths) {
      add(path, methods, (request, ip) => front.receive(request, full, clientIp(request, ip, trustProxy)));
    }
  }
  add(
    V1_PATH,
    "POST",
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
