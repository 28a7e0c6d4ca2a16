import { Elysia } from "elysia";
import { capturePlugin, sdkPlugin, sharedBy } from "../capture/mod.ts";
import type { Config } from "../config.ts";
import { findProjectByToken } from "../metadata/mod.ts";
import { clientIp, identify, REQUEST_ID_HEADER, requestIdOf, testClockMs } from "../types/mod.ts";
import { Pages } from "../web/mod.ts";
import { apiSocketPath } from "./apiSocket.ts";
import { healthOf } from "./health.ts";
import { Hop } from "./hop.ts";
import { logger } from "./log.ts";
import { openIntake } from "./openIntake.ts";
import { paths } from "./paths.ts";
import { liveAsChild, tellReady } from "./supervision/children.ts";
import { isPortTaken, portTaken } from "./supervision/freePort.ts";
import { during, stopServing } from "./supervision/serving.ts";
import { tellFrontUrl } from "./urls.ts";

/** Bun closes a connection that is silent for so many seconds. */
const IDLE_TIMEOUT_SECONDS = 120;
/** On top of a query's deadline: waiting for a free query process, and sending the answer. */
const HOP_MARGIN_S = 60;
/** Bun cuts a longer time to this one; 0 is none. */
const TIMEOUT_MAX_S = 255;

/**
 * The process that owns the port: it takes events, answers SDKs, serves static files, and hands everything else on to the api
 * process. Nothing of what is handed on is done on its event loop.
 */
export async function runFront(config: Config): Promise<number> {
  const log = logger("front");
  let isEnding = false;
  const stopped = new Promise<void>((resolve) =>
    liveAsChild(() => {
      isEnding = true;
      resolve();
    }),
  );
  await during(stopped, async (stops) => {
    const { db, intake } = await openIntake(config, { role: "front", purges: true, stops });
    const hop = new Hop({ socket: apiSocketPath(paths(config).run), addressMax: config.addressMaxUploads, log });
    const now = () => Date.now();
    const shared = sharedBy(config, { findByToken: (token) => findProjectByToken(db, token) });
    const capture = capturePlugin({
      ...shared,
      config,
      publisher: intake,
      admission: { check: () => intake.refusal() },
      now: (request) => testClockMs(request.headers, config.testClock) ?? now(),
      log,
    });
    const pages = new Pages(log);
    // Names such as `api`, as containers have: by default Elysia takes a host to be longer, and finds no path.
    const app = new Elysia({ handler: { standardHostname: false } })
      .onRequest(({ request }) => {
        identify(request);
        if (!URL.canParse(request.url)) return withRequestId(request, badAddress());
      })
      .mapResponse(({ request, response }) => withRequestId(request, response as Response))
      .use(capture)
      .use(sdkPlugin({ ...shared, config, now }))
      .use(
        healthRoutes(
          healthOf({ db, intake, refusal: async () => (isEnding ? "the front is being stopped" : hop.refusal()) }),
        ),
      )
      .use(pages.plugin((request, at, server) => (at === "root" ? greeting() : handOn(hop, config, request, server))))
      .use(hopRoutes(hop, config, pages));
    const port = listen(app as unknown as Elysia, config);
    stops.push(() => stopServing(app));
    stops.push(await tellFrontUrl(config, port));
    tellReady({ port });
  });
  return 0;
}

/** Every answer names its request, but files of the pages: browsers keep them, and would tell an id of long ago. */
function withRequestId(request: Request, answer: Response): Response {
  if (answer.headers.get("Cache-Control")?.includes("immutable")) return answer;
  answer.headers.set(REQUEST_ID_HEADER, requestIdOf(request)!);
  return answer;
}

/** For a Host header that is none: without one there is no address, and no path to go by. */
function badAddress(): Response {
  const detail = "The Host header is not the name of a host.";
  return Response.json({ type: "validation_error", code: "invalid_host", detail, attr: null }, { status: 400 });
}

const GREETING = `This is Weir: product analytics that speaks PostHog's API. A browser that opens this address gets its pages.

  POST /capture/, /batch/   takes events, with a project API key (phc_…) as api_key
  /api/                     the management API, with a personal API key: Authorization: Bearer phx_…
  /swagger                  describes every path; /openapi.json does so for programs
  /static/loader.js         posthog-js for a page
  /_readiness, /_liveness   whether it takes events, whether it runs; /metrics has figures

On its machine \`weir --help\` lists the commands, \`weir demo\` makes a project to look at.
`;

const unparsed = { parse: "none", detail: { hide: true } } as const;

function healthRoutes(health: ReturnType<typeof healthOf>) {
  const told = (reason: string | null) => new Response(`${reason ?? "ok"}\n`, { status: reason === null ? 200 : 503 });
  const app = new Elysia({ name: "health" });
  for (const slash of ["", "/"]) {
    app.get(`/_readiness${slash}`, async () => told(await health.ready()), unparsed);
    app.get(`/_liveness${slash}`, () => told(health.alive()), unparsed);
  }
  return app as unknown as Elysia;
}

/** What programs get at `/`. */
const greeting = () => new Response(GREETING);

/** Every path that the front does not know. */
function hopRoutes(hop: Hop, config: Config, pages: Pages) {
  const app = new Elysia({ name: "hop" }).all(
    "/*",
    async ({ request, server }) => pages.insteadOf(await handOn(hop, config, request, server), request),
    unparsed,
  );
  return app as unknown as Elysia;
}

function handOn(hop: Hop, config: Config, request: Request, server: Elysia["server"]): Promise<Response> {
  // Longer than the slowest answer of a query.
  const seconds = Math.ceil(config.queryTimeoutMs / 1000) + HOP_MARGIN_S;
  server?.timeout(request, seconds > TIMEOUT_MAX_S ? 0 : seconds);
  return hop.handOn(request, clientIp(request, server?.requestIP(request)?.address ?? null, config.trustProxy));
}

/** The port. Throws TerminalError `port_taken`. */
function listen(app: Elysia, config: Config): number {
  try {
    app.listen({
      hostname: config.host,
      port: config.port,
      // Two fronts on one port would each get half of the requests.
      reusePort: false,
      idleTimeout: IDLE_TIMEOUT_SECONDS,
      // Above our own limit, so that the answer to a large body is ours.
      maxRequestBodySize: config.batchMaxBytes * 4,
    });
  } catch (error) {
    throw isPortTaken(error) ? portTaken(config.host, config.port) : error;
  }
  return app.server?.port ?? config.port;
}
