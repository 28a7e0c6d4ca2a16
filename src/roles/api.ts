import { Elysia } from "elysia";
import type { Config } from "../config.ts";
import { Sampler } from "../health/mod.ts";
import { eraseGroup } from "../intake/eraseGroup.ts";
import { eraseImport } from "../intake/eraseImport.ts";
import { erasePerson } from "../intake/erasePerson.ts";
import { ArrivalWatch, openLake } from "../lake/mod.ts";
import { CohortCounts, DEMO_SIZE, managePlugin, Passwords, REMOTE_SERVICE, sendDemo } from "../manage/mod.ts";
import { startAlertsOf } from "./alerts.ts";
import { apiSocketPath, clearSocket } from "./apiSocket.ts";
import { exportsOf } from "./exportsOf.ts";
import { healthOf } from "./health.ts";
import { CLIENT_HEADER } from "./hop.ts";
import { logger } from "./log.ts";
import { metricsText } from "./metrics/metrics.ts";
import { QueryTimes } from "./metrics/queryTimes.ts";
import { openIntake } from "./openIntake.ts";
import { openStorage, paths } from "./paths.ts";
import { startQueries } from "./query.ts";
import { liveAsChild, tellReady } from "./supervision/children.ts";
import { PidFiles } from "./supervision/pidFiles.ts";
import { during, stopServing } from "./supervision/serving.ts";
import { frontUrl } from "./urls.ts";

/**
 * Elysia would close what is silent for half a minute, and on a local socket Bun hears of no other time for one request. The front has
 * a limit for each.
 */
const NEVER_IDLE = { idleTimeout: 0 };

/**
 * The process of the management API: insights, queries and their cache, settings, shared links. It listens on a local socket, which the
 * front alone uses; without it no event is lost.
 */
export async function runApi(config: Config): Promise<number> {
  const log = logger("api");
  const stopped = new Promise<void>((resolve) => liveAsChild(resolve));
  await during(stopped, async (stops) => {
    const { db, bus, catalog, intake } = await openIntake(config, { role: "api", purges: false, stops });
    const storage = openStorage(config, { log });
    const lake = openLake({ config, catalog, storage, runDirectory: paths(config).run, log });
    const arrivals = new ArrivalWatch({ catalog, log });
    const queryTimes = new QueryTimes();
    const asker = bus.asker(REMOTE_SERVICE);
    const { queries, stop } = startQueries({ config, db, bus, lake, log, queryTimes, asker });
    stops.push(stop);
    const counts = new CohortCounts({ config, db, calculator: queries.calculator, now: () => Date.now(), log }).start();
    stops.push(() => counts.stop());
    if (config.alerts) stops.push(startAlertsOf(config, db, queries, log));
    const sampler = new Sampler({ catalog, figures: () => intake.figures(), keep: config, log }).start();
    stops.push(() => sampler.stop());
    const pidFiles = new PidFiles(paths(config).run);
    const processes = () => pidFiles.names().map((name) => ({ name, pid: pidFiles.read(name) }));
    const erasing = { catalog, bus, lake, deadlineMs: config.queryTimeoutMs };
    const app = new Elysia({ handler: { standardHostname: false }, serve: NEVER_IDLE }).use(
      managePlugin({
        config,
        db,
        queries,
        now: () => Date.now(),
        addressOf: (request) => request.headers.get(CLIENT_HEADER),
        ingestion: {
          status: (teamId) => intake.status(teamId),
          warnings: catalog.readWarnings,
          arrivals: (teamId, after) => arrivals.since(teamId, after),
          installation: () => intake.installation(),
          history: catalog.readHealth,
        },
        people: {
          import: (teamId, told, nowMs) => intake.import(teamId, told, nowMs),
          ensureGroupTypes: catalog.ensureGroupTypes,
          erasePerson: (o) => erasePerson(erasing, { ...o, requestedAtMs: Date.now() }),
          eraseGroup: (o) => eraseGroup(erasing, { ...o, requestedAtMs: Date.now() }),
          eraseImport: (o) => eraseImport(erasing, { ...o, requestedAtMs: Date.now() }),
          deadLetters: (teamId, page) => catalog.readDeadLetters({ teamId, waitingOnly: false }, page),
          redrive: (teamId, id) => intake.redrive(teamId, id),
          usage: catalog.readUsage,
        },
        passwords: new Passwords(),
        exports: exportsOf(config),
        demo() {
          const url = frontUrl(config);
          return (environment) => sendDemo({ ...DEMO_SIZE, url }, environment, db);
        },
        health: {
          ...healthOf({ db, intake }),
          metrics: () => metricsText({ db, catalog, storage, intake, queryTimes, queries, processes }),
        },
        log,
      }),
    );
    const socket = apiSocketPath(paths(config).run);
    await clearSocket(socket);
    app.listen({ unix: socket, maxRequestBodySize: config.batchMaxBytes * 4 });
    stops.push(() => stopServing(app));
    tellReady();
  });
  return 0;
}
