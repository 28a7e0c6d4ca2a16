import { mkdirSync, writeFileSync } from "node:fs";
import { Elysia } from "elysia";
import { capturePlugin, sdkPlugin, sharedBy } from "../../capture/mod.ts";
import type { Config } from "../../config.ts";
import { type Catalog, openCatalog, openLake } from "../../lake/mod.ts";
import { managePlugin, type People, type Queries } from "../../manage/mod.ts";
import { bootstrap, type Db, findProjectByToken } from "../../metadata/mod.ts";
import { connectBus, findNatsServer, startBroker } from "../../stream/mod.ts";
import { LANES, testClockMs } from "../../types/mod.ts";
import { Children } from "../children.ts";
import { DiskGuard } from "../disk.ts";
import { erasePerson } from "../erasePerson.ts";
import { maxBytesOf } from "../generation.ts";
import { healthOf } from "../health.ts";
import { Intake } from "../intake.ts";
import { lockDataDir } from "../lockDataDir.ts";
import { logger } from "../log.ts";
import { openRecords, paths } from "../paths.ts";
import { welcome } from "../welcome.ts";
import { startQueries } from "./query.ts";

const GiB = 1024 ** 3;
/** Room for the broker's own records beside the streams. */
const BROKER_SPARE_BYTES = GiB;
/** Bun closes a connection that is silent for so many seconds; longer than the slowest answer. */
const IDLE_TIMEOUT_SECONDS = 120;

const STOP_GRACE_MS = 2_000;

/** Runs everything on this machine until SIGINT or SIGTERM; returns the exit code. */
export async function runStart(config: Config): Promise<number> {
  const log = logger("weir");
  const signalled = new Promise<void>((resolve) => {
    process.on("SIGINT", resolve);
    process.on("SIGTERM", resolve);
  });
  mkdirSync(config.dataDir, { recursive: true });
  // What was started is stopped in reverse order, whatever happens on the way.
  const stops: (() => unknown)[] = [lockDataDir(config.dataDir)];
  try {
    await startAll(config, log, stops);
    await signalled;
    log("stopping");
    return 0;
  } finally {
    for (const stop of stops.reverse()) await stop();
  }
}

async function startAll(config: Config, log: (message: string) => void, stops: (() => unknown)[]): Promise<void> {
  const db = await openRecords(config);
  stops.push(() => db.close());
  const keys = await bootstrap(db, config, Date.now());

  const brokerUrl = await startOwnBroker(config, log, stops);
  const bus = await connectBus(brokerUrl, { name: "weir-front" });
  stops.push(() => bus.close());

  const catalog = openCatalog(db);
  const disk = new DiskGuard(config.dataDir, config.diskMinFreeBytes);
  const intake = new Intake({ config, bus, catalog, disk, log });
  const children = new Children(paths(config).run, log);
  stops.push(() => intake.close());
  stops.push(() => children.stop());
  for (let i = 0; i < config.workers; i++) children.start({ name: `worker-${i}`, args: ["worker"] });
  children.start({ name: "compactor", args: ["compactor"] });
  await intake.start();

  const lake = openLake({ config, catalog, directory: paths(config).lake, runDirectory: paths(config).run, log });
  const { queries, stop } = startQueries({ config, db, bus, lake, log });
  stops.push(stop);
  const health = healthOf({ config, db, catalog, intake, children });
  const deadlineMs = config.queryTimeoutMs;
  const erase: People["erasePerson"] = (o) =>
    erasePerson({ catalog, bus, lake, deadlineMs }, { ...o, requestedAtMs: Date.now() });
  const server = listen(config, db, { catalog, intake, erase, queries, health, log });
  stops.push(() => server.stop());
  console.log(welcome(config, server.port, keys));
}

/** Starts the own broker, unless another is named; says where it is to roles that are started by hand. */
async function startOwnBroker(
  config: Config,
  log: (message: string) => void,
  stops: (() => unknown)[],
): Promise<string> {
  if (config.natsUrl !== null) return config.natsUrl;
  const broker = await startBroker({
    dataDir: config.dataDir,
    natsServerPath: findNatsServer(config.natsServerPath),
    maxFileStoreBytes: LANES.reduce((sum, lane) => sum + maxBytesOf(config, lane), BROKER_SPARE_BYTES),
    log,
  });
  stops.push(() => broker.stop());
  writeFileSync(paths(config).brokerUrl, broker.url, { mode: 0o600 });
  return broker.url;
}

interface FrontParts {
  catalog: Catalog;
  intake: Intake;
  erase: People["erasePerson"];
  queries: Queries;
  health: ReturnType<typeof healthOf>;
  log(message: string): void;
}

function listen(config: Config, db: Db, { catalog, intake, erase, queries, health, log }: FrontParts) {
  const now = () => Date.now();
  const shared = sharedBy(config, { findByToken: (token) => findProjectByToken(db, token) });
  // Names such as `api`, as containers have: by default Elysia takes a host to be longer, and finds no path.
  const app = new Elysia({ handler: { standardHostname: false } })
    .use(
      capturePlugin({
        ...shared,
        config,
        publisher: intake,
        admission: { check: () => intake.refusal() },
        now: (request) => testClockMs(request.headers, config.testClock) ?? now(),
        log,
      }),
    )
    .use(sdkPlugin({ ...shared, config, now }))
    .use(
      managePlugin({
        config,
        db,
        queries,
        now,
        ingestion: { status: (teamId) => intake.status(teamId), warnings: catalog.readWarnings },
        people: {
          importPerson: (teamId, person, nowMs) => intake.importPerson(teamId, person, nowMs),
          erasePerson: erase,
          deadLetters: (teamId, page) => catalog.readDeadLetters({ teamId, waitingOnly: false }, page),
          redrive: (teamId, id) => intake.redrive(teamId, id),
          usage: catalog.readUsage,
        },
        health,
        log,
      }),
    )
    .listen({
      hostname: config.host,
      port: config.port,
      idleTimeout: IDLE_TIMEOUT_SECONDS,
      // Above our own limit, so that the answer to a large body is ours.
      maxRequestBodySize: config.batchMaxBytes * 4,
    });
  return {
    port: app.server!.port ?? config.port,
    async stop() {
      // Requests in hand get their answer; idle connections are not waited for longer.
      await Promise.race([app.server!.stop(), Bun.sleep(STOP_GRACE_MS)]);
      await app.stop(true);
    },
  };
}
