import { Elysia } from "elysia";
import type { Config } from "../config.ts";
import { DiskGuard } from "../intake/disk.ts";
import { erasePerson } from "../intake/erasePerson.ts";
import { Intake } from "../intake/intake.ts";
import { LocalStore, openCatalog, openLake } from "../lake/mod.ts";
import { managePlugin, type People } from "../manage/mod.ts";
import { connectBus } from "../stream/mod.ts";
import { apiSocketPath, clearSocket } from "./apiSocket.ts";
import { brokerUrl } from "./brokerUrl.ts";
import { healthOf, metricsText } from "./health.ts";
import { CLIENT_HEADER } from "./hop.ts";
import { logger } from "./log.ts";
import { openExistingRecords, paths } from "./paths.ts";
import { startQueries } from "./query.ts";
import { liveAsChild, tellReady } from "./supervision/children.ts";
import { PidFiles } from "./supervision/pidFiles.ts";
import { during, stopServing } from "./supervision/serving.ts";

/** Not itself a child of `weir start`. */
const MAIN = "main";

/**
 * The process of the management API: insights, queries and their cache, settings, shared pages. It listens on a local socket, which the
 * front alone uses; without it no event is lost.
 */
export async function runApi(config: Config): Promise<number> {
  const log = logger("api");
  const stopped = new Promise<void>((resolve) => liveAsChild(resolve));
  await during(stopped, async (stops) => {
    const db = await openExistingRecords(config);
    stops.push(() => db.close());
    const bus = await connectBus(brokerUrl(config), { name: "weir-api" });
    stops.push(() => bus.close());
    const catalog = openCatalog(db);
    const disk = new DiskGuard(config.dataDir, config.diskMinFreeBytes);
    const intake = new Intake({ config, bus, catalog, disk, purges: false, log });
    stops.push(() => intake.close());
    await intake.start();

    const storage = new LocalStore(paths(config).lake);
    const lake = openLake({ config, catalog, storage, runDirectory: paths(config).run, log });
    const { queries, stop } = startQueries({ config, db, bus, lake, log });
    stops.push(stop);
    const pidFiles = new PidFiles(paths(config).run);
    const processes = () => pidFiles.names().filter((name) => name !== MAIN && !name.startsWith("query-"));
    const deadlineMs = config.queryTimeoutMs;
    const erase: People["erasePerson"] = (o) =>
      erasePerson({ catalog, bus, lake, deadlineMs }, { ...o, requestedAtMs: Date.now() });
    const app = new Elysia({ handler: { standardHostname: false } }).use(
      managePlugin({
        config,
        db,
        queries,
        now: () => Date.now(),
        addressOf: (request) => request.headers.get(CLIENT_HEADER),
        ingestion: { status: (teamId) => intake.status(teamId), warnings: catalog.readWarnings },
        people: {
          importPerson: (teamId, person, nowMs) => intake.importPerson(teamId, person, nowMs),
          erasePerson: erase,
          deadLetters: (teamId, page) => catalog.readDeadLetters({ teamId, waitingOnly: false }, page),
          redrive: (teamId, id) => intake.redrive(teamId, id),
          usage: catalog.readUsage,
        },
        health: { ...healthOf({ db, intake }), metrics: () => metricsText({ catalog, intake, processes }) },
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
