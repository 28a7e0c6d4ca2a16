import { totalmem } from "node:os";
import { resolve } from "node:path";
import { TerminalError } from "./types/mod.ts";

/**
 * Every setting, once: environment variable, default, meaning. Nothing else reads the environment.
 * Sizes are bytes, times milliseconds. The README's table is made from these comments.
 */
export interface Config {
  /** WEIR_HOST: address to listen on. */
  host: string;
  /** WEIR_PORT: port to listen on; 0 takes a free one. */
  port: number;
  /** WEIR_DATA_DIR: everything Weir keeps on disk. */
  dataDir: string;
  /** NATS_URL: use this broker instead of an own child. */
  natsUrl: string | null;
  /** DATABASE_URL: PostgreSQL instead of SQLite in the data folder. */
  databaseUrl: string | null;
  /** WEIR_NATS_SERVER: path of the nats-server binary; looked up when absent. */
  natsServerPath: string | null;
  /** WEIR_PROJECT_API_KEY: token of the first project, at least 32 characters; made when absent. */
  projectApiKey: string | null;
  /** WEIR_PERSONAL_API_KEY: the first personal key, at least 32 characters; made when absent. */
  personalApiKey: string | null;

  /** WEIR_BATCH_MAX_BYTES: a capture body, as sent or inflated, that is not smaller is answered 413. */
  batchMaxBytes: number;
  /** WEIR_EVENT_BODY_MAX_BYTES: the same for a body as sent to any other path of events than /batch and /i/v1. */
  eventBodyMaxBytes: number;
  /** WEIR_EVENT_MAX_BYTES: one event above this is set aside. */
  eventMaxBytes: number;
  /** WEIR_JSON_MAX_DEPTH: nesting above this is refused. */
  jsonMaxDepth: number;
  /** WEIR_WARNINGS_MAX_PER_REQUEST: different ingestion warnings that one request can cause. */
  warningsMaxPerRequest: number;
  /** WEIR_OVERFLOW_RATE: live events a second of one distinct_id; those beyond wait apart from the others'. 0: no limit. */
  overflowRate: number;
  /** WEIR_OVERFLOW_BURST: live events of one distinct_id at once, before that rate counts. */
  overflowBurst: number;
  /** WEIR_OVERFLOW_IDS_MAX: distinct_ids that send fast, remembered at once in one front; above it some are forgiven. */
  overflowIdsMax: number;
  /** WEIR_PUBLIC_URL: what clients call this service, e.g. `https://weir.example`; links in answers begin with it. Absent: as the request says. */
  publicUrl: string | null;
  /** WEIR_TRUST_PROXY=1: a client's address is the first entry of `X-Forwarded-For`, and links follow `X-Forwarded-Proto` and `X-Forwarded-Host`; only behind a proxy that sets them. */
  trustProxy: boolean;
  /** WEIR_INFLIGHT_MAX_BYTES: bodies being worked on at once in one front; above it 503. */
  inflightMaxBytes: number;
  /** WEIR_UNCHECKED_MAX_BYTES: the same of bodies above 64 KiB whose project key is not checked yet. */
  uncheckedMaxBytes: number;
  /** WEIR_ADDRESS_MAX_BYTES: the same of one client address. 0: no limit. */
  addressMaxBytes: number;
  /** WEIR_ADDRESS_MAX_UPLOADS: bodies of events on their way in at once from one client address, and requests to the management API without an answer yet; above it 503. 0: no limit. */
  addressMaxUploads: number;
  /** WEIR_UPLOAD_MIN_BYTES_PER_SECOND: a body that comes in more slowly is answered 408. 0: no limit. */
  uploadMinBytesPerSecond: number;
  /** WEIR_UPLOAD_GRACE_MS: a body may take so long besides. */
  uploadGraceMs: number;
  /** WEIR_KEY_CACHE_TTL_MS: a project key made or revoked is known to every front after this long. */
  keyCacheTtlMs: number;
  /** WEIR_KEY_CACHE_MAX: project keys remembered in one front. */
  keyCacheMax: number;
  /** WEIR_DISK_MIN_FREE_BYTES: below this much free disk the front answers 503. */
  diskMinFreeBytes: number;

  /** WEIR_PARTITIONS: of a new generation of streams; a running one keeps its own. */
  partitions: number;
  /** WEIR_LIVE_STREAM_MAX_BYTES: room reserved for the live stream. */
  liveStreamMaxBytes: number;
  /** WEIR_HISTORY_STREAM_MAX_BYTES: room reserved for the history stream. */
  historyStreamMaxBytes: number;
  /** WEIR_OVERFLOW_STREAM_MAX_BYTES: room reserved for the overflow stream. */
  overflowStreamMaxBytes: number;
  /** WEIR_IDENTITY_STREAM_MAX_BYTES: room reserved for the identity stream. */
  identityStreamMaxBytes: number;
  /** WEIR_FRAME_MAX_BYTES: a frame is sent when it holds this much (before compression). */
  frameMaxBytes: number;
  /** WEIR_FRAME_LINGER_MS: how long a frame waits for more. */
  frameLingerMs: number;
  /** WEIR_PUBLISH_TIMEOUT_MS: a frame not acknowledged within this is given up (503). */
  publishTimeoutMs: number;

  /** WEIR_WORKERS: worker processes that `weir start` runs. */
  workers: number;
  /** WEIR_LEASE_TTL_MS: a worker silent for this long has lost its partitions. */
  leaseTtlMs: number;
  /** WEIR_FLUSH_MS: oldest waiting live event before a flush. */
  flushMs: number;
  /** WEIR_HISTORY_FLUSH_MS: the same for history while more is coming in. */
  historyFlushMs: number;
  /** WEIR_FLUSH_MAX_EVENTS: a flush takes at most about this many. */
  flushMaxEvents: number;
  /** WEIR_FLUSH_MAX_BYTES: and about this much of their text, unpacked. */
  flushMaxBytes: number;
  /** WEIR_MERGES_MAX: a commit of merges takes at most about this many. */
  mergesMax: number;
  /** WEIR_KNOWN_PERSONS_MAX: persons whose newest facts a worker remembers, so as not to write them again. */
  knownPersonsMax: number;
  /** WEIR_DUPLICATE_KEYS_MAX: keys of uncompacted events held in a worker's memory; at least twice what as many flushes as the fan-out hold. */
  duplicateKeysMax: number;
  /** WEIR_WORKER_MEMORY: DuckDB's limit in a worker. */
  workerMemoryBytes: number;

  /** WEIR_COMPACT_TARGET_BYTES: a compacted file grows to about this. */
  compactTargetBytes: number;
  /** WEIR_COMPACT_FANOUT: so many small files of one tier are merged into one. */
  compactFanout: number;
  /** WEIR_COMPACT_MEMORY: DuckDB's limit in the compactor. */
  compactMemoryBytes: number;
  /** WEIR_COMPACT_MS: pause between looks of the compactor. */
  compactMs: number;
  /** WEIR_SQUASH_MS: a file of events stands for so long before merges of persons are worked into it; old events up to 24 times longer. */
  squashMs: number;
  /** WEIR_BACKFILL_MS: a file stands for so long before columns that its project has got since are filled into it. */
  backfillMs: number;
  /** WEIR_BACKFILL_BYTES_PER_MINUTE: files that are rewritten for that, on average; 0: none. */
  backfillBytesPerMinute: number;
  /** WEIR_ERASE_MS: what was deleted is hidden at once and stands in shared files for so long before they are rewritten. */
  eraseMs: number;

  /** WEIR_QUERY_PROCESSES: warm query processes. */
  queryProcesses: number;
  /** WEIR_QUERY_MEMORY: DuckDB's limit for all query processes together; 0: three eighths of the machine's memory, at most 4 GiB. */
  queryMemoryBytes: number;
  /** WEIR_QUERY_SPILL: what all query processes together may write to the disk while memory is short. */
  querySpillBytes: number;
  /** WEIR_QUERY_TIMEOUT_MS: deadline of one query. */
  queryTimeoutMs: number;
  /** WEIR_QUERY_QUEUE_MAX: queries waiting for a process; above it 429. */
  queryQueueMax: number;
  /** WEIR_QUERY_PROJECT_QUEUE_MAX: those of one project; above it 429. */
  queryProjectQueueMax: number;
  /** WEIR_QUERY_MAX_ROWS / WEIR_QUERY_MAX_RESULT_BYTES: largest result. */
  queryMaxRows: number;
  queryMaxResultBytes: number;
  /** WEIR_QUERY_TEXT_MAX_BYTES: longest HogQL text. */
  queryTextMaxBytes: number;

  /** WEIR_BACKGROUND_QUERIES: background queries that a process calculates at once; 0 leaves them to others. */
  backgroundQueries: number;
  /** WEIR_BACKGROUND_PROJECT_MAX: background queries of one project that wait or run; above it 429. */
  backgroundProjectMax: number;
  /** WEIR_QUERY_CACHE_MAX_BYTES: calculated results kept, all projects together. */
  queryCacheMaxBytes: number;
  /** WEIR_ANSWERS_MAX_BYTES: rows of long answers (above 1 MB) held in files for those who read them; above it 429. */
  answersMaxBytes: number;
  /** WEIR_MANAGE_BODY_MAX_BYTES: largest body of the management API. */
  manageBodyMaxBytes: number;
  /** WEIR_UNCHECKED_BODY_MAX_BYTES: so much of such a body is read where the header has no key, above it 401. */
  uncheckedBodyMaxBytes: number;
  /** WEIR_PERSONAL_KEYS_MAX: personal API keys that one user can have. */
  personalKeysMax: number;
  /** WEIR_COHORT_PERSONS_MAX: persons on the lists of a project's static cohorts together; they travel with queries. */
  cohortPersonsMax: number;
  /** WEIR_DEFINITIONS_MAX: events, and properties, of which a project can have definitions; later ones get none. */
  definitionsMax: number;
  /** WEIR_METRICS_TOKEN: `/metrics` answers only with `Authorization: Bearer` and this; absent: everyone may read it. */
  metricsToken: string | null;
  /** WEIR_RATE_LIMITS=1: a key that asks the management API too often is answered 429; counted by each process. */
  rateLimits: boolean;

  /** WEIR_SHARED_LINK_RATE: requests a minute that the link to a shared insight answers; 0: no limit. */
  sharedLinkRate: number;
  /** WEIR_SHARED_ADDRESS_RATE: requests a minute to shared insights that one address may make; 0: no limit. */
  sharedAddressRate: number;

  /** WEIR_TEST_CLOCK=1: the header `X-Weir-Now` sets "now" for a request. */
  testClock: boolean;
}

const KiB = 1024;
const MiB = 1024 * KiB;
const GiB = 1024 * MiB;

/** Reads the environment; throws TerminalError `invalid_setting` that names the variable. */
export function loadConfig(env: Record<string, string | undefined> = process.env): Config {
  const text = (name: string): string | null => {
    const value = env[name];
    return value === undefined || value === "" ? null : value;
  };
  const number = (name: string, fallback: number, min = 0): number => {
    const value = text(name);
    if (value === null) return fallback;
    const parsed = Number(value);
    if (!Number.isSafeInteger(parsed) || parsed < min) {
      throw new TerminalError("invalid_setting", `${name} must be an integer of at least ${min}, not "${value}"`);
    }
    return parsed;
  };
  const url = (name: string): string | null => {
    const value = text(name);
    if (value === null) return null;
    const parsed = URL.parse(value);
    if (parsed?.protocol === "http:" || parsed?.protocol === "https:") {
      return (parsed.origin + parsed.pathname).replace(/\/+$/, "");
    }
    throw new TerminalError("invalid_setting", `${name} must begin with http:// or https://, not "${value}"`);
  };
  const config: Config = {
    host: text("WEIR_HOST") ?? "127.0.0.1",
    port: number("WEIR_PORT", 8000),
    dataDir: resolve(text("WEIR_DATA_DIR") ?? "./data"),
    natsUrl: text("NATS_URL"),
    databaseUrl: text("DATABASE_URL"),
    natsServerPath: text("WEIR_NATS_SERVER"),
    projectApiKey: text("WEIR_PROJECT_API_KEY"),
    personalApiKey: text("WEIR_PERSONAL_API_KEY"),

    batchMaxBytes: number("WEIR_BATCH_MAX_BYTES", 20 * MiB, 1),
    eventBodyMaxBytes: number("WEIR_EVENT_BODY_MAX_BYTES", 2 * MiB, 1),
    eventMaxBytes: number("WEIR_EVENT_MAX_BYTES", 1_000_000, 1),
    jsonMaxDepth: number("WEIR_JSON_MAX_DEPTH", 200, 3),
    warningsMaxPerRequest: number("WEIR_WARNINGS_MAX_PER_REQUEST", 10),
    overflowRate: number("WEIR_OVERFLOW_RATE", 100),
    overflowBurst: number("WEIR_OVERFLOW_BURST", 1_000, 1),
    overflowIdsMax: number("WEIR_OVERFLOW_IDS_MAX", 16_384, 1),
    publicUrl: url("WEIR_PUBLIC_URL"),
    trustProxy: text("WEIR_TRUST_PROXY") === "1",
    inflightMaxBytes: number("WEIR_INFLIGHT_MAX_BYTES", 256 * MiB, 1),
    uncheckedMaxBytes: number("WEIR_UNCHECKED_MAX_BYTES", 128 * MiB, 1),
    addressMaxBytes: number("WEIR_ADDRESS_MAX_BYTES", 96 * MiB),
    addressMaxUploads: number("WEIR_ADDRESS_MAX_UPLOADS", 1_000),
    uploadMinBytesPerSecond: number("WEIR_UPLOAD_MIN_BYTES_PER_SECOND", 16 * KiB),
    uploadGraceMs: number("WEIR_UPLOAD_GRACE_MS", 15_000),
    keyCacheTtlMs: number("WEIR_KEY_CACHE_TTL_MS", 3_000),
    keyCacheMax: number("WEIR_KEY_CACHE_MAX", 10_000, 1),
    diskMinFreeBytes: number("WEIR_DISK_MIN_FREE_BYTES", 256 * MiB),

    partitions: number("WEIR_PARTITIONS", 16, 1),
    liveStreamMaxBytes: number("WEIR_LIVE_STREAM_MAX_BYTES", 4 * GiB, MiB),
    historyStreamMaxBytes: number("WEIR_HISTORY_STREAM_MAX_BYTES", 8 * GiB, MiB),
    overflowStreamMaxBytes: number("WEIR_OVERFLOW_STREAM_MAX_BYTES", 2 * GiB, MiB),
    identityStreamMaxBytes: number("WEIR_IDENTITY_STREAM_MAX_BYTES", 1 * GiB, MiB),
    frameMaxBytes: number("WEIR_FRAME_MAX_BYTES", 256 * KiB, 1),
    frameLingerMs: number("WEIR_FRAME_LINGER_MS", 5),
    publishTimeoutMs: number("WEIR_PUBLISH_TIMEOUT_MS", 60_000, 1),

    workers: number("WEIR_WORKERS", 1),
    leaseTtlMs: number("WEIR_LEASE_TTL_MS", 5_000, 500),
    flushMs: number("WEIR_FLUSH_MS", 500),
    historyFlushMs: number("WEIR_HISTORY_FLUSH_MS", 2_000),
    flushMaxEvents: number("WEIR_FLUSH_MAX_EVENTS", 50_000, 1),
    flushMaxBytes: number("WEIR_FLUSH_MAX_BYTES", 128 * MiB, 1),
    mergesMax: number("WEIR_MERGES_MAX", 10_000, 1),
    knownPersonsMax: number("WEIR_KNOWN_PERSONS_MAX", 200_000, 2),
    duplicateKeysMax: number("WEIR_DUPLICATE_KEYS_MAX", 4_000_000, 1000),
    workerMemoryBytes: number("WEIR_WORKER_MEMORY", 2 * GiB, 64 * MiB),

    compactTargetBytes: number("WEIR_COMPACT_TARGET_BYTES", 128 * MiB, 1),
    compactFanout: number("WEIR_COMPACT_FANOUT", 8, 2),
    compactMemoryBytes: number("WEIR_COMPACT_MEMORY", 1 * GiB, 64 * MiB),
    compactMs: number("WEIR_COMPACT_MS", 1_000, 1),
    squashMs: number("WEIR_SQUASH_MS", 3_600_000, 0),
    backfillMs: number("WEIR_BACKFILL_MS", 3_600_000, 0),
    backfillBytesPerMinute: number("WEIR_BACKFILL_BYTES_PER_MINUTE", 16 * MiB),
    eraseMs: number("WEIR_ERASE_MS", 43_200_000, 0),

    queryProcesses: number("WEIR_QUERY_PROCESSES", 2, 1),
    queryMemoryBytes: number("WEIR_QUERY_MEMORY", 0) || ownQueryMemory(),
    querySpillBytes: number("WEIR_QUERY_SPILL", 4 * GiB),
    queryTimeoutMs: number("WEIR_QUERY_TIMEOUT_MS", 60_000, 1),
    queryQueueMax: number("WEIR_QUERY_QUEUE_MAX", 200),
    queryProjectQueueMax: number("WEIR_QUERY_PROJECT_QUEUE_MAX", 50),
    queryMaxRows: number("WEIR_QUERY_MAX_ROWS", 50_000, 1),
    queryMaxResultBytes: number("WEIR_QUERY_MAX_RESULT_BYTES", 64 * MiB, 1),
    queryTextMaxBytes: number("WEIR_QUERY_TEXT_MAX_BYTES", 64 * KiB, 1),
    backgroundQueries: number("WEIR_BACKGROUND_QUERIES", 1),
    backgroundProjectMax: number("WEIR_BACKGROUND_PROJECT_MAX", 500, 1),
    queryCacheMaxBytes: number("WEIR_QUERY_CACHE_MAX_BYTES", 256 * MiB),
    answersMaxBytes: number("WEIR_ANSWERS_MAX_BYTES", 512 * MiB),
    manageBodyMaxBytes: number("WEIR_MANAGE_BODY_MAX_BYTES", 4 * MiB, 1),
    uncheckedBodyMaxBytes: number("WEIR_UNCHECKED_BODY_MAX_BYTES", 64 * KiB),
    personalKeysMax: number("WEIR_PERSONAL_KEYS_MAX", 10_000, 1),
    cohortPersonsMax: number("WEIR_COHORT_PERSONS_MAX", 100_000),
    definitionsMax: number("WEIR_DEFINITIONS_MAX", 10_000),
    metricsToken: text("WEIR_METRICS_TOKEN"),
    rateLimits: text("WEIR_RATE_LIMITS") === "1",
    sharedLinkRate: number("WEIR_SHARED_LINK_RATE", 240),
    sharedAddressRate: number("WEIR_SHARED_ADDRESS_RATE", 120),

    testClock: text("WEIR_TEST_CLOCK") === "1",
  };
  checkKeys(config);
  return config;
}

/** Beside it there must be room for the workers, the compactor and what the system caches of files. */
function ownQueryMemory(): number {
  const machine = Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY);
  return Math.min(4 * GiB, Math.floor((machine * 3) / 8 / MiB) * MiB);
}

/** Two tiers of flushes, each one short of being merged, must fit: else history would wait for keys to be freed for ever. */
function checkKeys({ duplicateKeysMax, flushMaxEvents, compactFanout }: Config): void {
  const least = 2 * compactFanout * flushMaxEvents;
  if (duplicateKeysMax >= least) return;
  throw new TerminalError(
    "invalid_setting",
    `WEIR_DUPLICATE_KEYS_MAX must be at least ${least} (2 * WEIR_COMPACT_FANOUT * WEIR_FLUSH_MAX_EVENTS), not ${duplicateKeysMax}`,
  );
}
