import { chmodSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { assertNoUnfinishedRestore } from "../backup/mod.ts";
import type { Config } from "../config.ts";
import { maxBytesOf } from "../intake/generation.ts";
import { type Bootstrap, bootstrap, createOwnerLink } from "../metadata/mod.ts";
import { findNatsServer, startBroker } from "../stream/mod.ts";
import { describeError, endsWithTerminal, LANES, TerminalError } from "../types/mod.ts";
import { logger } from "./log.ts";
import { openRecords, openStorage, paths } from "./paths.ts";
import { checkStore } from "./storeCheck.ts";
import { Children } from "./supervision/children.ts";
import { assertPortFree } from "./supervision/freePort.ts";
import { WRITER_ENV } from "./supervision/memoryEnv.ts";
import { endOrphans } from "./supervision/orphans.ts";
import { lockDataDir } from "./supervision/pidFiles.ts";
import { during, type Stop } from "./supervision/serving.ts";
import { setupUrl } from "./urls.ts";
import { keysMade, welcome } from "./welcome.ts";

const GiB = 1024 ** 3;
/** Disk for the broker's own records beside the streams. */
const BROKER_SPARE_BYTES = GiB;

/**
 * Runs everything on this machine until SIGINT, SIGTERM or the end of its terminal; returns the exit code. This process supervises the others and does
 * nothing else, so that it is never late.
 */
export async function runStart(config: Config): Promise<number> {
  const log = logger("weir");
  const signalled = new Promise<void>((resolve) => {
    process.on("SIGINT", resolve);
    process.on("SIGTERM", resolve);
    if (endsWithTerminal()) process.on("SIGHUP", resolve);
  });
  makeDataDir(config.dataDir);
  assertNoUnfinishedRestore(config.dataDir);
  await during(signalled, async (stops) => {
    stops.push(lockDataDir(config.dataDir));
    await endOrphans(paths(config).run, log);
    await assertPortFree(config.host, config.port);
    const keys = await firstKeys(config, log);
    try {
      const port = await startAll(config, log, stops, signalled);
      if (port !== null) console.log(welcome(config, port, keys, await setupLink(config)));
    } catch (error) {
      // A key is shown once, also by a start that fails.
      const made = keysMade(keys);
      if (made !== "") log(made);
      throw error;
    }
    stops.push(() => log("stopping"));
  });
  return 0;
}

/** Makes the folder, for this user alone. Throws TerminalError `data_folder`. */
function makeDataDir(path: string): void {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    chmodSync(path, 0o700);
  } catch (cause) {
    const problem = `The data folder ${path} (WEIR_DATA_DIR) cannot be used: ${describeError(cause)}`;
    throw new TerminalError("data_folder", problem, { cause });
  }
}

/** Makes the records and the first keys, where there are none. */
async function firstKeys(config: Config, log: (message: string) => void): Promise<Bootstrap> {
  const db = await openRecords(config);
  try {
    await checkStore(config, { db, storage: openStorage(config), log });
    return await bootstrap(db, config, Date.now());
  } finally {
    await db.close();
  }
}

/** Where the owner sets its first password; null where it has one. */
async function setupLink(config: Config): Promise<string | null> {
  const db = await openRecords(config);
  try {
    const token = await createOwnerLink(db, Date.now());
    return token === null ? null : setupUrl(config, token);
  } finally {
    await db.close();
  }
}

/** Starts broker and roles; gives the port, or null when a signal came before they were ready. */
async function startAll(
  config: Config,
  log: (message: string) => void,
  stops: Stop[],
  signalled: Promise<void>,
): Promise<number | null> {
  await startOwnBroker(config, log, stops);
  const children = new Children(paths(config).run, log);
  stops.push(() => children.stop());
  // Requests in the front need the other processes, so the front ends first.
  stops.push(() => children.stop(["front"]));
  for (let i = 0; i < config.workers; i++) children.start({ name: `worker-${i}`, args: ["worker"], env: WRITER_ENV });
  children.start({ name: "compactor", args: ["compactor"], env: WRITER_ENV });
  for (let i = 0; i < config.exporters; i++)
    children.start({ name: `exporter-${i}`, args: ["exporter"], env: WRITER_ENV });
  const api = children.start({ name: "api", args: ["api"], mustStart: true });
  // A front that is started again keeps the port that the first one has found.
  const env: Record<string, string> = {};
  const onReady = ({ port }: { port?: number }) => {
    if (port !== undefined) env.WEIR_PORT = String(port);
  };
  const front = children.start({ name: "front", args: ["front"], env, mustStart: true, onReady });
  const ready = Promise.all([front.ready, api.ready]).then(([{ port }]) => port ?? config.port);
  return Promise.race([ready, signalled.then(() => null)]);
}

/** Starts a broker, unless NATS_URL names one; writes its URL down for the other roles. */
async function startOwnBroker(config: Config, log: (message: string) => void, stops: Stop[]): Promise<void> {
  if (config.natsUrl !== null) return;
  const broker = await startBroker({
    dataDir: config.dataDir,
    natsServerPath: findNatsServer(config.natsServerPath),
    syncAlways: config.natsSyncAlways,
    memoryLimitBytes: config.memoryParts.broker,
    maxFileStoreBytes: LANES.reduce((sum, lane) => sum + maxBytesOf(config, lane), BROKER_SPARE_BYTES),
    log,
  });
  stops.push(() => broker.stop());
  const file = paths(config).brokerUrl;
  writeFileSync(file, broker.url, { mode: 0o600 });
  stops.push(() => rmSync(file, { force: true }));
}
