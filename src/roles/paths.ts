import { existsSync, mkdirSync, statfsSync, statSync } from "node:fs";
import { join } from "node:path";
import { assertNoUnfinishedRestore } from "../backup/mod.ts";
import { Bucket, type BucketOptions } from "../bucket/mod.ts";
import type { Config } from "../config.ts";
import { BucketStore, LocalStore, type SegmentStore } from "../lake/mod.ts";
import { openDb } from "../schema.ts";
import type { Db } from "../store/mod.ts";
import { TerminalError } from "../types/mod.ts";

/** The paths of the data folder. */
export function paths(config: Config) {
  const { dataDir } = config;
  return {
    records: join(dataDir, "weir.db"),
    /** Segments, or, where they are elsewhere (WEIR_STORE_URL), what is on its way there. */
    lake: join(dataDir, "lake"),
    /** Files of segments that are in a bucket. */
    cache: join(dataDir, "cache"),
    run: join(dataDir, "run"),
    /** Files of batch exports: of downloads, and of local folders. */
    exports: join(dataDir, "exports"),
    /** Holds the URL of the running broker, for roles started by hand beside `weir start`. */
    brokerUrl: join(dataDir, "run", "nats-url"),
    /** Holds the URL of the running front. */
    frontUrl: join(dataDir, "run", "front-url"),
  };
}

/**
 * Opens the place where segments are kept. What checks or copies the store itself has no use of the cache that others share. Throws
 * TerminalError `store_folder` where there is no shared folder: one that is not mounted would look like an empty one.
 */
export function openStorage(config: Config, { isShared = true, log = () => {} }: StorageUse = {}): SegmentStore {
  const { lake, cache } = paths(config);
  const { storeUrl } = config;
  if (storeUrl === null) return new LocalStore(lake);
  mkdirSync(lake, { recursive: true });
  const bucket = storeBucket(config);
  if (bucket !== null) {
    return new BucketStore({
      bucket,
      workDirectory: lake,
      cache: { directory: cache, maxBytes: config.storeCacheBytes, isShared },
      log,
    });
  }
  if (existsSync(storeUrl)) return new LocalStore(lake, storeUrl);
  throw new TerminalError("store_folder", `There is no folder ${storeUrl} (WEIR_STORE_URL). Mount or make it.`);
}

interface StorageUse {
  /** Of the cache. */
  isShared?: boolean;
  log?(message: string): void;
}

/** Where segments are kept; null where that is no bucket. */
export function storeBucket(config: Config): Bucket | null {
  const { storeUrl } = config;
  return storeUrl?.startsWith("s3://") ? Bucket.at(storeUrl, bucketOptions(config)) : null;
}

function bucketOptions(config: Config): BucketOptions {
  const { storeEndpoint, storeRegion, storeAccessKeyId, storeSecretAccessKey, storeSessionToken } = config;
  return {
    endpoint: storeEndpoint ?? undefined,
    env: {
      AWS_REGION: storeRegion ?? undefined,
      AWS_ACCESS_KEY_ID: storeAccessKeyId ?? undefined,
      AWS_SECRET_ACCESS_KEY: storeSecretAccessKey ?? undefined,
      AWS_SESSION_TOKEN: storeSessionToken ?? undefined,
    },
  };
}

/** Opens the store, and makes it where it is missing: for `weir start` alone. */
export function openRecords(config: Config): Promise<Db> {
  mkdirSync(paths(config).lake, { recursive: true });
  return open(config, false);
}

/**
 * Opens the store of a Weir that exists. Throws TerminalError `no_data` where there is none, `restore_unfinished` where there is a part of one,
 * `data_folder` where this user may not look.
 */
export async function openExistingRecords(config: Config): Promise<Db> {
  assertNoUnfinishedRestore(config.dataDir);
  const { records, lake } = paths(config);
  const needed = config.databaseUrl === null ? records : lake;
  // A machine of many has nothing that the others need.
  const isAnywhere = config.databaseUrl !== null && config.storeUrl !== null;
  if (isAnywhere || isThere(needed)) return open(config, true);
  throw new TerminalError(
    "no_data",
    `There is no Weir in ${config.dataDir} (WEIR_DATA_DIR): ${needed} does not exist. \`weir start\` makes one.`,
  );
}

function isThere(path: string): boolean {
  try {
    statSync(path);
    return true;
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return false;
    const problem = `${path} cannot be looked at: ${message}. Give the command as the user who runs Weir.`;
    throw new TerminalError("data_folder", problem, { cause });
  }
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
