import { existsSync, mkdirSync, statfsSync } from "node:fs";
import { join } from "node:path";
import type { Config } from "../config.ts";
import { LocalStore, type SegmentStore } from "../lake/mod.ts";
import { openDb } from "../schema.ts";
import type { Db } from "../store/mod.ts";
import { TerminalError } from "../types/mod.ts";

/** The paths of the data folder. */
export function paths(config: Config) {
  const { dataDir } = config;
  return {
    records: join(dataDir, "weir.db"),
    lake: join(dataDir, "lake"),
    run: join(dataDir, "run"),
    /** Files of batch exports: of downloads, and of local folders. */
    exports: join(dataDir, "exports"),
    /** Holds the URL of the running broker, for roles started by hand beside `weir start`. */
    brokerUrl: join(dataDir, "run", "nats-url"),
    /** Holds the URL of the running front. */
    frontUrl: join(dataDir, "run", "front-url"),
  };
}

/** Opens the place where segments are kept. */
export function openStorage(config: Config): SegmentStore {
  return new LocalStore(paths(config).lake);
}

/** Opens the store, and makes it where it is missing: for `weir start` alone. */
export function openRecords(config: Config): Promise<Db> {
  mkdirSync(paths(config).lake, { recursive: true });
  return open(config, false);
}

/** Opens the store of a Weir that exists. Throws TerminalError `no_data` where there is none. */
export async function openExistingRecords(config: Config): Promise<Db> {
  const { records, lake } = paths(config);
  const needed = config.databaseUrl === null ? records : lake;
  if (existsSync(needed)) return open(config, true);
  throw new TerminalError(
    "no_data",
    `There is no Weir in ${config.dataDir} (WEIR_DATA_DIR): ${needed} does not exist. \`weir start\` makes one.`,
  );
}

function open(config: Config, mustExist: boolean): Promise<Db> {
  const { databaseUrl, dataDir } = config;
  if (databaseUrl === null) assertLocalDisk(dataDir);
  return openDb({ databaseUrl, sqlitePath: paths(config).records }, { mustExist });
}

/** Kinds of file system, as statfs(2) numbers them, whose locks and write-through cannot be relied on. */
const NETWORK_FILE_SYSTEMS = new Map([
  [0x6969, "NFS"],
  [0xff534d42, "CIFS"],
  [0xfe534d42, "SMB2"],
  [0x517b, "SMB"],
  [0x00c36400, "CephFS"],
  [0x5346414f, "AFS"],
]);

/** Throws TerminalError `network_file_system`: SQLite is for one machine and its own disk (protocol rule 13). */
export function assertLocalDisk(directory: string, typeOf = (path: string) => statfsSync(path).type): void {
  const kind = NETWORK_FILE_SYSTEMS.get(typeOf(directory) >>> 0);
  if (kind === undefined) return;
  throw new TerminalError(
    "network_file_system",
    `${directory} lies on a network file system (${kind}), where SQLite can lose data. Use a local disk, or PostgreSQL (DATABASE_URL)`,
  );
}
