import { totalmem } from "node:os";
import { resolve } from "node:path";
import { compactorEngineBytes, defaultBudget, memoryParts, workerMemory } from "./memoryParts.ts";
import { type Environment, settingReaders } from "./settingReaders.ts";
import { TerminalError } from "./types/mod.ts";

const KiB = 1024;
const MiB = 1024 * KiB;
const GiB = 1024 * MiB;

/** Of a generation of streams. */
export const PARTITIONS_MAX = 1024;
/** Timers of Bun that are longer than 2^31 ms end at once; a margin that is added to one fits too. */
const TIMER_MAX_MS = 1_000_000_000;
/** JSON that nests some ten times as deep uses the stack up. */
const JSON_DEPTH_MAX = 1_000;
/** A front takes memory for all of them when it starts. */
const OVERFLOW_IDS_LIMIT = 2 ** 20;
const FRAME_LIMIT_BYTES = 8 * MiB;
/** Less holds no vector of rows. */
const QUERY_PROCESS_MIN_BYTES = 8 * MiB;

export type Config = ReturnType<typeof readSettings>;

/** The settings of this process. Throws TerminalError `invalid_setting` that names the variable. */
export function loadConfig(env: Environment = process.env): Config {
  const config = readSettings(env);
  checkKeys(config);
  checkCluster(config);
  checkQueries(config);
  return config;
}

/**
 * Reads every setting from the environment: variable, meaning, default. What else is read from there are keys for single commands and
 * the memory of runtimes: scripts/lib/otherVariables.ts lists it. Sizes are bytes, times milliseconds. `scripts/docs` writes
 * docs/settings.md from these comments. Throws TerminalError `invalid_setting` that names the variable.
 */
function readSettings(env: Environment) {
  const { text, number, oneOf, isOn, url, address, storeUrl, share } = settingReaders(env);
  const workers = number("WEIR_WORKERS", 1);
  const exporters = number("WEIR_EXPORTERS", 1);
  const machine = { memoryBytes: machineMemory(), workers };
  const memoryBytes = number("WEIR_MEMORY", 0) || defaultBudget(machine);
  const parts = memoryParts(memoryBytes, machine);
  const worker = workerMemory(parts, workers);
  return {
    /** WEIR_HOST: address to listen on. */
    host: text("WEIR_HOST") ?? "127.0.0.1",
    /** WEIR_PORT: port to listen on; 0 takes a free one. */
    port: number("WEIR_PORT", 8000, 0, 65_535),
    /** WEIR_DATA_DIR: folder of everything that Weir keeps on disk. */
    dataDir: resolve(text("WEIR_DATA_DIR") ?? "./data"),
    /** NATS_URL: address of a NATS server with JetStream, or addresses of servers of a cluster with `,` between them, `nats://` or `tls://`; without it `weir start` runs a nats-server of its own. */
    natsUrl: address("NATS_URL", ["nats", "tls"], "several"),
    /** WEIR_NATS_SYNC_ALWAYS: 1: the nats-server that `weir start` runs writes each frame through to the disk before it is acknowledged: nothing accepted is lost when the power fails. Needs a nats-server that knows `sync_interval` (2.9 does not); captures take longer. */
    natsSyncAlways: isOn("WEIR_NATS_SYNC_ALWAYS", false),
    /** WEIR_STREAM_REPLICAS: servers of the NATS cluster that have a copy of each stream; streams that are there are changed. 0: new streams have one, others stay as they are. */
    streamReplicas: number("WEIR_STREAM_REPLICAS", 0),
    /** WEIR_NATS_CA: file with the certificates (PEM) by which the NATS servers are checked. */
    natsCa: text("WEIR_NATS_CA"),
    /** WEIR_NATS_CERT: file with this client's certificate (PEM), for NATS servers that ask for one. */
    natsCert: text("WEIR_NATS_CERT"),
    /** WEIR_NATS_KEY: file with the key of WEIR_NATS_CERT. */
    natsKey: text("WEIR_NATS_KEY"),
    /** WEIR_NATS_CREDS: file of NATS credentials (a user's JWT and seed). */
    natsCredentials: text("WEIR_NATS_CREDS"),
    /** DATABASE_URL: address of a PostgreSQL database; without it the record store is SQLite in the data folder. */
    databaseUrl: address("DATABASE_URL", ["postgres", "postgresql"]),
    /** WEIR_STORE_URL: where segments are: a folder that the machines share (a path or `file:///…`), or `s3://BUCKET/PREFIX` of S3 or of what speaks like it; without it they are in the data folder. */
    storeUrl: storeUrl("WEIR_STORE_URL"),
    /** WEIR_STORE_ENDPOINT: address of the S3 server of WEIR_STORE_URL; without it AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL, or Amazon's. */
    storeEndpoint: url("WEIR_STORE_ENDPOINT") ?? url("AWS_ENDPOINT_URL_S3") ?? url("AWS_ENDPOINT_URL"),
    /** WEIR_STORE_REGION: region of the bucket; without it AWS_REGION. */
    storeRegion: text("WEIR_STORE_REGION") ?? text("AWS_REGION"),
    /** WEIR_STORE_ACCESS_KEY_ID: access key for the bucket; without it AWS_ACCESS_KEY_ID. */
    storeAccessKeyId: text("WEIR_STORE_ACCESS_KEY_ID") ?? text("AWS_ACCESS_KEY_ID"),
    /** WEIR_STORE_SECRET_ACCESS_KEY: its secret; without it AWS_SECRET_ACCESS_KEY. */
    storeSecretAccessKey: text("WEIR_STORE_SECRET_ACCESS_KEY") ?? text("AWS_SECRET_ACCESS_KEY"),
    /** WEIR_STORE_SESSION_TOKEN: token of temporary credentials; without it and WEIR_STORE_ACCESS_KEY_ID AWS_SESSION_TOKEN. */
    storeSessionToken:
      text("WEIR_STORE_SESSION_TOKEN") ??
      (text("WEIR_STORE_ACCESS_KEY_ID") === null ? text("AWS_SESSION_TOKEN") : null),
    /** WEIR_STORE_CACHE_BYTES: files of a bucket that are kept on the disk of this machine, below `cache` of the data folder; a process may hold as many again while it reads them. At least 64 MiB. */
    storeCacheBytes: number("WEIR_STORE_CACHE_BYTES", 10 * GiB, 64 * MiB),
    /** WEIR_NATS_SERVER: path of the nats-server binary; without it Weir looks in the PATH and in .tools. */
    natsServerPath: text("WEIR_NATS_SERVER"),
    /** WEIR_PROJECT_API_KEY: project key of the first project, at least 32 characters; without it Weir makes one. */
    projectApiKey: text("WEIR_PROJECT_API_KEY"),
    /** WEIR_PERSONAL_API_KEY: value of the first personal key, at least 32 characters; without it Weir makes one. */
    personalApiKey: text("WEIR_PERSONAL_API_KEY"),

    /** WEIR_MEMORY: memory of all processes of `weir start` together; the parts take theirs from it (docs/operations.md#processes). 0: three quarters of what the machine or its cgroup has, at least 928 MiB and 256 MiB a worker, at most 1,680 MiB, 512 MiB a worker and for queries three eighths of the machine or 4 GiB, whichever is less. 1.5 GB, and what bodies, exports and queries take while they are there, are enough. */
    memoryBytes,
    memoryParts: parts,

    /** WEIR_BATCH_MAX_BYTES: a capture body of this size or more, as sent or inflated, is answered 413. */
    batchMaxBytes: number("WEIR_BATCH_MAX_BYTES", 20 * MiB, 1),
    /** WEIR_EVENT_BODY_MAX_BYTES: a capture body of this size or more, as sent, is answered 413 on paths other than /batch and /i/v1. */
    eventBodyMaxBytes: number("WEIR_EVENT_BODY_MAX_BYTES", 2 * MiB, 1),
    /** WEIR_EVENT_MAX_BYTES: an event larger than this is quarantined. */
    eventMaxBytes: number("WEIR_EVENT_MAX_BYTES", 1_000_000, 1),
    /** WEIR_JSON_MAX_DEPTH: JSON that nests deeper than this is refused. */
    jsonMaxDepth: number("WEIR_JSON_MAX_DEPTH", 200, 3, JSON_DEPTH_MAX),
    /** WEIR_WARNINGS_MAX_PER_REQUEST: number of different ingestion warnings that one request can cause. */
    warningsMaxPerRequest: number("WEIR_WARNINGS_MAX_PER_REQUEST", 10),
    /** WEIR_OVERFLOW_RATE: live events a second of one distinct_id; events beyond it go to the overflow lane. 0: no limit. */
    overflowRate: number("WEIR_OVERFLOW_RATE", 100),
    /** WEIR_OVERFLOW_BURST: live events of one distinct_id that may come at once before WEIR_OVERFLOW_RATE counts. */
    overflowBurst: number("WEIR_OVERFLOW_BURST", 1_000, 1),
    /** WEIR_OVERFLOW_IDS_MAX: fast distinct_ids that one front counts at once; above it the front forgets some of them. */
    overflowIdsMax: number("WEIR_OVERFLOW_IDS_MAX", 16_384, 1, OVERFLOW_IDS_LIMIT),
    /** WEIR_PUBLIC_URL: address by which clients reach Weir, e.g. `https://weir.example`; links in answers begin with it, and browsers may log in at its host. Without it links follow the request, and browsers log in at an address or `localhost` alone. */
    publicUrl: url("WEIR_PUBLIC_URL"),
    /** WEIR_TRUST_PROXY: 1: the first entry of `X-Forwarded-For` is the client address, and links and cookies follow `X-Forwarded-Proto` and `X-Forwarded-Host`. Set it only behind a proxy that sets these headers. */
    trustProxy: isOn("WEIR_TRUST_PROXY", false),
    /** WEIR_INFLIGHT_MAX_BYTES: bytes of capture bodies that one front works on at once; above it 503. 0: its part of WEIR_MEMORY, at most 256 MiB. */
    inflightMaxBytes: share("WEIR_INFLIGHT_MAX_BYTES", parts.bodies),
    /** WEIR_UNCHECKED_MAX_BYTES: of these, bytes of bodies above 64 KiB whose project key is not checked yet; above it 503. */
    uncheckedMaxBytes: number("WEIR_UNCHECKED_MAX_BYTES", 128 * MiB, 1),
    /** WEIR_ADDRESS_MAX_BYTES: of these, bytes of bodies from one client address; above it 503. 0: no limit. */
    addressMaxBytes: number("WEIR_ADDRESS_MAX_BYTES", 96 * MiB),
    /** WEIR_ADDRESS_MAX_UPLOADS: from one client address, capture bodies that are still coming in, and requests to the management API without an answer yet; above it 503. 0: no limit. */
    addressMaxUploads: number("WEIR_ADDRESS_MAX_UPLOADS", 1_000),
    /** WEIR_UPLOAD_MIN_BYTES_PER_SECOND: a body that comes in more slowly is answered 408. 0: no limit. */
    uploadMinBytesPerSecond: number("WEIR_UPLOAD_MIN_BYTES_PER_SECOND", 16 * KiB),
    /** WEIR_UPLOAD_GRACE_MS: time that a body may take beyond WEIR_UPLOAD_MIN_BYTES_PER_SECOND. */
    uploadGraceMs: number("WEIR_UPLOAD_GRACE_MS", 15_000),
    /** WEIR_KEY_CACHE_TTL_MS: every front knows of a new or revoked project key after this time. */
    keyCacheTtlMs: number("WEIR_KEY_CACHE_TTL_MS", 3_000),
    /** WEIR_KEY_CACHE_MAX: project keys that one front remembers. */
    keyCacheMax: number("WEIR_KEY_CACHE_MAX", 10_000, 1),
    /** WEIR_DISK_MIN_FREE_BYTES: with less free disk than this the front answers 503. */
    diskMinFreeBytes: number("WEIR_DISK_MIN_FREE_BYTES", 256 * MiB),

    /** WEIR_PARTITIONS: partitions of a new generation of streams where `weir partitions set` has set no number; an open generation keeps its own. */
    partitions: number("WEIR_PARTITIONS", 16, 1, PARTITIONS_MAX),
    /** WEIR_LIVE_STREAM_MAX_BYTES: disk that is reserved for the live stream. */
    liveStreamMaxBytes: number("WEIR_LIVE_STREAM_MAX_BYTES", 4 * GiB, MiB),
    /** WEIR_HISTORY_STREAM_MAX_BYTES: disk that is reserved for the history stream. */
    historyStreamMaxBytes: number("WEIR_HISTORY_STREAM_MAX_BYTES", 8 * GiB, MiB),
    /** WEIR_OVERFLOW_STREAM_MAX_BYTES: disk that is reserved for the overflow stream. */
    overflowStreamMaxBytes: number("WEIR_OVERFLOW_STREAM_MAX_BYTES", 2 * GiB, MiB),
    /** WEIR_IDENTITY_STREAM_MAX_BYTES: disk that is reserved for the identity stream. */
    identityStreamMaxBytes: number("WEIR_IDENTITY_STREAM_MAX_BYTES", 1 * GiB, MiB),
    /** WEIR_FRAME_MAX_BYTES: the front sends a frame when it holds this much, before compression. */
    frameMaxBytes: number("WEIR_FRAME_MAX_BYTES", 256 * KiB, 1, FRAME_LIMIT_BYTES),
    /** WEIR_FRAME_LINGER_MS: time that a frame waits for more events. */
    frameLingerMs: number("WEIR_FRAME_LINGER_MS", 5, 0, TIMER_MAX_MS),
    /** WEIR_PUBLISH_TIMEOUT_MS: a frame without an acknowledgement for this long is given up, and the request is answered 503. */
    publishTimeoutMs: number("WEIR_PUBLISH_TIMEOUT_MS", 60_000, 1),

    /** WEIR_WORKERS: worker processes that `weir start` runs. */
    workers,
    /** WEIR_LEASE_TTL_MS: a worker that is silent for this long loses its partitions. */
    leaseTtlMs: number("WEIR_LEASE_TTL_MS", 5_000, 500, TIMER_MAX_MS),
    /** WEIR_FLUSH_MS: longest time that a live event waits for a flush. */
    flushMs: number("WEIR_FLUSH_MS", 500),
    /** WEIR_HISTORY_FLUSH_MS: longest time that an event of a migration waits while more of them come in. */
    historyFlushMs: number("WEIR_HISTORY_FLUSH_MS", 2_000),
    /** WEIR_FLUSH_MAX_EVENTS: events that one flush takes, approximately. */
    flushMaxEvents: number("WEIR_FLUSH_MAX_EVENTS", 50_000, 1),
    /** WEIR_FLUSH_MAX_BYTES: bytes of unpacked event text that one flush takes, approximately. 0: a twentieth of a worker's part of WEIR_MEMORY, at most 128 MiB. */
    flushMaxBytes: share("WEIR_FLUSH_MAX_BYTES", worker.flushBytes),
    /** WEIR_MERGES_MAX: merges that one commit takes, approximately. */
    mergesMax: number("WEIR_MERGES_MAX", 30_000, 1),
    /** WEIR_KNOWN_PERSONS_MAX: persons whose newest properties a worker remembers, so that it does not write them again. */
    knownPersonsMax: number("WEIR_KNOWN_PERSONS_MAX", 200_000, 2),
    /** WEIR_DUPLICATE_KEYS_MAX: keys of uncompacted events in the memory of a worker. At least twice WEIR_COMPACT_FANOUT times WEIR_FLUSH_MAX_EVENTS. */
    duplicateKeysMax: number("WEIR_DUPLICATE_KEYS_MAX", 4_000_000, 1000),
    /** WEIR_DUPLICATE_FILTER_BYTES: memory of a worker for filters that say of most new events that no compacted file has them. Two bytes a key serve best. */
    duplicateFilterBytes: number("WEIR_DUPLICATE_FILTER_BYTES", 32 * MiB, 64 * 1024),
    /** WEIR_WORKER_MEMORY: DuckDB's memory limit in a worker. 0: half of a worker's part of WEIR_MEMORY, at least 192 MiB. */
    workerMemoryBytes: share("WEIR_WORKER_MEMORY", worker.engineBytes, 64 * MiB),

    /** WEIR_COMPACT_TARGET_BYTES: approximate size of a compacted file, without its rows in order of person; at most a sixth of the memory that sorts it (WEIR_COMPACT_MEMORY). */
    compactTargetBytes: number("WEIR_COMPACT_TARGET_BYTES", 128 * MiB, 1),
    /** WEIR_COMPACT_FANOUT: small files of one tier that the compactor merges into one. */
    compactFanout: number("WEIR_COMPACT_FANOUT", 8, 2),
    /** WEIR_COMPACT_MEMORY: DuckDB's memory limit in the compactor; each of its threads needs 256 MiB. 0: its part of WEIR_MEMORY. */
    compactMemoryBytes: share("WEIR_COMPACT_MEMORY", compactorEngineBytes(parts), 64 * MiB),
    /** WEIR_COMPACT_PERSON_ROWS: 1: compacted files get a second copy of their rows by person. 0: they get none, events take about two fifths less disk, and to list those of one person takes longer; copies that are there go as their files are merged. */
    compactPersonRows: isOn("WEIR_COMPACT_PERSON_ROWS", true),
    /** WEIR_COMPACT_MS: pause between two looks of the compactor for work. */
    compactMs: number("WEIR_COMPACT_MS", 1_000, 1, TIMER_MAX_MS),
    /** WEIR_SQUASH_MS: minimum age before a file is rewritten with merged person ids; files of old events wait up to 24 times longer. */
    squashMs: number("WEIR_SQUASH_MS", 3_600_000, 0),
    /** WEIR_BACKFILL_MS: minimum age before a file is rewritten with columns that its project has got since; a twelfth of it for the last large flushes of an import. */
    backfillMs: number("WEIR_BACKFILL_MS", 3_600_000, 0),
    /** WEIR_BACKFILL_BYTES_PER_MINUTE: bytes a minute that such rewriting reads, on average. 0: none. */
    backfillBytesPerMinute: number("WEIR_BACKFILL_BYTES_PER_MINUTE", 16 * MiB),
    /** WEIR_ERASE_MS: time after which shared files are rewritten without deleted rows; queries leave the rows out at once. */
    eraseMs: number("WEIR_ERASE_MS", 43_200_000, 0),

    /** WEIR_QUERY_PROCESSES: query processes at most. The first is kept ready, each further one from when a query first has to wait. */
    queryProcesses: number("WEIR_QUERY_PROCESSES", 2, 1),
    /** WEIR_QUERY_MEMORY: DuckDB's memory limit for all query processes together. Beside it they keep properties of walks in at most an eighth as much. 0: their part of WEIR_MEMORY, by default and with one worker 192 MiB on a machine of 1 GiB, 1.1 GiB on one of 4 GiB, 3 GiB on one of 8 GiB, 4 GiB on larger ones than 10 GiB. */
    queryMemoryBytes: share("WEIR_QUERY_MEMORY", parts.queries),
    /** WEIR_QUERY_SPILL: bytes that all query processes together may write to disk when memory is short. */
    querySpillBytes: number("WEIR_QUERY_SPILL", 4 * GiB),
    /** WEIR_QUERY_TIMEOUT_MS: deadline of one query. */
    queryTimeoutMs: number("WEIR_QUERY_TIMEOUT_MS", 60_000, 1, TIMER_MAX_MS),
    /** WEIR_QUERY_QUEUE_MAX: queries that may wait for a query process; above it 429. */
    queryQueueMax: number("WEIR_QUERY_QUEUE_MAX", 200),
    /** WEIR_QUERY_PROJECT_QUEUE_MAX: queries of one project that may wait; above it 429. */
    queryProjectQueueMax: number("WEIR_QUERY_PROJECT_QUEUE_MAX", 50),
    /** WEIR_REMOTE_QUERIES_MAX: questions that one api process lets `weir query` processes calculate at once, and that one of these takes at once; above it the api process calculates itself. 0: none. */
    remoteQueriesMax: number("WEIR_REMOTE_QUERIES_MAX", 200),
    /** WEIR_QUERY_MAX_ROWS / WEIR_QUERY_MAX_RESULT_BYTES: largest result of a query. */
    queryMaxRows: number("WEIR_QUERY_MAX_ROWS", 50_000, 1),
    queryMaxResultBytes: number("WEIR_QUERY_MAX_RESULT_BYTES", 64 * MiB, 1),
    /** WEIR_QUERY_TEXT_MAX_BYTES: longest HogQL text. */
    queryTextMaxBytes: number("WEIR_QUERY_TEXT_MAX_BYTES", 64 * KiB, 1),
    /** WEIR_QUERY_TEXT_MAX_TOKENS: most words, numbers and signs of a HogQL text; those in quotes do not count. */
    queryTextMaxTokens: number("WEIR_QUERY_TEXT_MAX_TOKENS", 20_000, 1),
    /** WEIR_QUERY_TEXT_MAX_DEPTH: levels of brackets, CASE, NOT, lambdas and dots in a HogQL text. Time to parse grows with their square: 32 nested calls take a second. */
    queryTextMaxDepth: number("WEIR_QUERY_TEXT_MAX_DEPTH", 32, 1),
    /** WEIR_QUERY_PARSE_TIMEOUT_MS: longest time to parse one HogQL text, in a thread of its own. */
    queryParseTimeoutMs: number("WEIR_QUERY_PARSE_TIMEOUT_MS", 10_000, 1, TIMER_MAX_MS),

    /** WEIR_BACKGROUND_QUERIES: background queries that one process calculates at once. 0: the process leaves them to others. */
    backgroundQueries: number("WEIR_BACKGROUND_QUERIES", 1),
    /** WEIR_BACKGROUND_PROJECT_MAX: background queries of one project that wait or run; above it 429. */
    backgroundProjectMax: number("WEIR_BACKGROUND_PROJECT_MAX", 500, 1),
    /** WEIR_QUERY_CACHE_MAX_BYTES: bytes of cached results, all projects together. */
    queryCacheMaxBytes: number("WEIR_QUERY_CACHE_MAX_BYTES", 256 * MiB),
    /** WEIR_ANSWERS_MAX_BYTES: bytes of long answers (above 1 MB) that wait in files for slow clients; above it 429. */
    answersMaxBytes: number("WEIR_ANSWERS_MAX_BYTES", 512 * MiB),
    /** WEIR_MANAGE_BODY_MAX_BYTES: largest body of a request to the management API. */
    manageBodyMaxBytes: number("WEIR_MANAGE_BODY_MAX_BYTES", 4 * MiB, 1),
    /** WEIR_UNCHECKED_BODY_MAX_BYTES: largest such body of a request without a key in its header; above it 401. */
    uncheckedBodyMaxBytes: number("WEIR_UNCHECKED_BODY_MAX_BYTES", 64 * KiB),
    /** WEIR_PERSONAL_KEYS_MAX: personal API keys of one user. */
    personalKeysMax: number("WEIR_PERSONAL_KEYS_MAX", 10_000, 1),
    /** WEIR_COHORT_PERSONS_MAX: persons in all static cohorts of one project. */
    cohortPersonsMax: number("WEIR_COHORT_PERSONS_MAX", 100_000),
    /** WEIR_DEFINITIONS_MAX: event definitions, and property definitions, of one project; later names get none. */
    definitionsMax: number("WEIR_DEFINITIONS_MAX", 10_000),
    /** WEIR_LOG: `text`, or `json` for one JSON object a line (`time`, `role`, `message`, and `request_id` where the line is about one). */
    logForm: oneOf("WEIR_LOG", ["text", "json"] as const),
    /** WEIR_METRICS_TOKEN: `/metrics` answers only with `Authorization: Bearer` and this value. Without it everyone may read `/metrics`. */
    metricsToken: text("WEIR_METRICS_TOKEN"),
    /** WEIR_RATE_LIMITS: 1: a key that exceeds PostHog's rates on the management API is answered 429; each process counts for itself. */
    rateLimits: isOn("WEIR_RATE_LIMITS", false),

    /** WEIR_HEALTH_MINUTES_KEEP_MS: time for which the figures of each minute are kept that the page Health shows. */
    healthMinutesKeepMs: number("WEIR_HEALTH_MINUTES_KEEP_MS", 172_800_000, 3_600_000),
    /** WEIR_HEALTH_HOURS_KEEP_MS: time for which those of each hour are kept. */
    healthHoursKeepMs: number("WEIR_HEALTH_HOURS_KEEP_MS", 7_776_000_000, 86_400_000),

    /** WEIR_SHARED_LINK_RATE: requests a minute to one shared link, and ten times as many to the insights of its dashboard, twice as many with other dates. 0: no limit. */
    sharedLinkRate: number("WEIR_SHARED_LINK_RATE", 240),
    /** WEIR_SHARED_ADDRESS_RATE: requests a minute to shared links from one client address, and ten times as many to insights of shared dashboards, twice as many with other dates. 0: no limit. */
    sharedAddressRate: number("WEIR_SHARED_ADDRESS_RATE", 120),

    /** WEIR_EXPORTERS: exporter processes that `weir start` runs. */
    exporters,
    /** WEIR_EXPORT_MEMORY: DuckDB's memory limit in an exporter. 0: its part of WEIR_MEMORY, at most 512 MiB. */
    exportMemoryBytes: share("WEIR_EXPORT_MEMORY", Math.floor(parts.exporters / Math.max(1, exporters)), 64 * MiB),
    /** WEIR_EXPORT_SPILL: bytes that an exporter may write to disk when memory is short. */
    exportSpillBytes: number("WEIR_EXPORT_SPILL", 8 * GiB),
    /** WEIR_EXPORT_FOLDERS: folders, with `:` between them, below which exports to a local folder may write; `exports/folders` of the data folder is always one. */
    exportFolders: (text("WEIR_EXPORT_FOLDERS") ?? "")
      .split(":")
      .flatMap((path) => (path === "" ? [] : [resolve(path)])),
    /** WEIR_EXPORT_ALLOW_PRIVATE: 1: exports and webhooks may connect to hosts on private addresses. */
    exportAllowPrivate: isOn("WEIR_EXPORT_ALLOW_PRIVATE", false),
    /** WEIR_EXPORT_KEY: text of which the key is made that encrypts secrets of export destinations and webhooks; without it Weir makes a key in the data folder. */
    exportKey: text("WEIR_EXPORT_KEY"),
    /** WEIR_EXPORT_KEEP_MS: time after which files that were made for a download are removed. */
    exportKeepMs: number("WEIR_EXPORT_KEEP_MS", 604_800_000),

    /** WEIR_ALERTS: 0: the api process checks no alerts, sends no subscriptions and delivers no messages. */
    alerts: isOn("WEIR_ALERTS", true),
    /** WEIR_SMTP_URL: mail server for alerts and subscriptions, `smtp://user:password@host:587` or `smtps://…:465`; without it Weir sends no e-mail. */
    smtpUrl: address("WEIR_SMTP_URL", ["smtp", "smtps"]),
    /** WEIR_MAIL_FROM: address of e-mail that these letters are from. */
    mailFrom: text("WEIR_MAIL_FROM") ?? "weir@localhost",

    /** WEIR_TEST_CLOCK: 1: the header `X-Weir-Now` sets the clock of a request; for tests. */
    testClock: isOn("WEIR_TEST_CLOCK", false),
  };
}

/** Names of the variables that settings are read from. */
export function settingNames(): string[] {
  const names = new Set<string>();
  readSettings(new Proxy({}, { get: (_, name) => void names.add(String(name)) }));
  return [...names];
}

/** What the machine has, or the cgroup that this process is in. */
export function machineMemory(): number {
  return Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY);
}

/** The nats-server of `weir start` is one, and takes its clients by a token. */
function checkCluster({ natsUrl, streamReplicas, natsCa, natsCert, natsKey, natsCredentials }: Config): void {
  if (natsUrl !== null) return;
  const given = {
    ...{ WEIR_STREAM_REPLICAS: streamReplicas > 1, WEIR_NATS_CA: natsCa !== null, WEIR_NATS_CERT: natsCert !== null },
    ...{ WEIR_NATS_KEY: natsKey !== null, WEIR_NATS_CREDS: natsCredentials !== null },
  };
  const [name] = Object.entries(given).find(([, isGiven]) => isGiven) ?? [];
  if (name !== undefined) throw new TerminalError("invalid_setting", `${name} needs NATS_URL, and there is none`);
}

/** They share it evenly with the one that takes the place of one that ended. */
function checkQueries({ queryMemoryBytes, queryProcesses }: Config): void {
  const least = QUERY_PROCESS_MIN_BYTES * (queryProcesses + 1);
  if (queryMemoryBytes >= least) return;
  const memory = `${queryMemoryBytes} bytes of query memory (WEIR_QUERY_MEMORY, WEIR_MEMORY)`;
  const need = `WEIR_QUERY_PROCESSES of ${queryProcesses} needs ${least}`;
  throw new TerminalError("invalid_setting", `${memory} are too few: ${need}`);
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
