import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Elysia } from "elysia";
import { type Config, loadConfig } from "../../src/config.ts";
import { type Lake, openCatalog } from "../../src/lake/mod.ts";
import { type ManageDeps, managePlugin, openQueries, Passwords } from "../../src/manage/mod.ts";
import { bootstrap, createPersonalApiKey, type NewPersonalApiKey, setDemoUntil } from "../../src/metadata/mod.ts";
import { SecretBox } from "../../src/outgoing/mod.ts";
import { ParsedQuery, type QueryContext, runQuery } from "../../src/query/mod.ts";
import { openDb } from "../../src/schema.ts";
import type { Db } from "../../src/store/mod.ts";
import type { Asker, WorkQueue } from "../../src/stream/mod.ts";
import { type JsonObject, personIdOf, RetryableError } from "../../src/types/mod.ts";
import { emptyLake } from "../query/support.ts";
import { checkDocumented } from "./documented.ts";
import { startPostgres } from "./postgres.ts";
import { openFresh } from "./stores.ts";

export interface Reply {
  status: number;
  headers: Headers;
  text: string;
  /** The body read as JSON; null when it is empty. */
  json: never;
}

/** The management API on a free port, on a real record store; what lies behind it is given by the test. */
export interface ManageServer {
  url: string;
  db: Db;
  /** The owner's key, scope `*`. */
  key: string;
  /** What the clock shows, epoch milliseconds. */
  nowMs: number;
  /** Lines that were logged. */
  logged: string[];
  /** What queries read; empty where a test does not replace it. */
  lake: Lake;
  /** The query layer. */
  runQuery: typeof runQuery;
  /** Replaces it by answers that say only what the test is about. */
  answerQueries(by: (node: JsonObject, context: QueryContext) => Promise<object>): void;
  deps: ManageDeps;
  send(
    method: string,
    path: string,
    o?: { key?: string | null; body?: unknown; headers?: Record<string, string>; signal?: AbortSignal },
  ): Promise<Reply>;
  createKey(wish: Partial<NewPersonalApiKey>): Promise<{ id: string; value: string }>;
  stop(): Promise<void>;
}

const START_MS = Date.UTC(2026, 0, 15, 12);

/** A broker that is away: for tests that put nothing into the background. */
const NO_QUEUE: Pick<WorkQueue, "put"> = {
  put: () => Promise.reject(new RetryableError("broker_unavailable", "there is no broker in this test")),
};

const IDLE = { queued: 0, lag_ms: 0 };
/** Of one that was never started. */
const INSTALLATION = {
  generation: null,
  state: "none",
  members: [],
  partitions: [],
  events: null,
  queued: { events: 0, lag_ms: 0 },
  files: [],
  set_aside: [],
  compactions: [],
  compaction_failures: [],
  dead_letters: 0,
  outbox: 0,
  disk: { free_bytes: 1, total_bytes: 2 },
  versions: { weir: "0", bun: "0", broker: null, store: "sqlite" },
};

/** Of memory for a hash of a password: it takes 1 ms instead of 130. */
const LIGHT_HASH_KIB = 512;

/** `WEIR_TEST_STORE=postgres` keeps the records in PostgreSQL instead of SQLite. */
export async function startManage(
  settings: Partial<Config> = {},
  queue: Pick<WorkQueue, "put"> = NO_QUEUE,
  asker: Asker | null = null,
  store = process.env.WEIR_TEST_STORE,
): Promise<ManageServer> {
  const dir = mkdtempSync(join(tmpdir(), "weir-manage-"));
  const postgres = store === "postgres" ? await startPostgres() : null;
  const db =
    postgres === null
      ? await openFresh(join(dir, "weir.db"))
      : await openDb({ databaseUrl: postgres.url, sqlitePath: "" });
  const { personalApiKey } = await bootstrap(db, { projectApiKey: null, personalApiKey: null }, START_MS);
  const base = {
    config: { ...loadConfig({}), dataDir: dir, ...settings },
    db,
    now: () => server.nowMs,
    log: (line: string) => server.logged.push(line),
  };
  const queries = openQueries({
    ...base,
    queue,
    asker,
    runQuery: (node, context) => server.runQuery(node, context),
    lake: { query: (query) => server.lake.query(query), close: async () => {} },
  });
  const deps: ManageDeps = {
    ...base,
    queries,
    people: {
      import: async () => {
        throw new Error("not in this test");
      },
      ensureGroupTypes: openCatalog(db).ensureGroupTypes,
      eraseImport: async () => {},
      eraseGroup: async ({ teamId, key }) => teamId === 1 && key === "acme",
      erasePerson: async ({ teamId, personId }) => personId === personIdOf(teamId, "ada"),
      deadLetters: (teamId, page) => openCatalog(db).readDeadLetters({ teamId, waitingOnly: false }, page),
      redrive: async (teamId, id) => (await openCatalog(db).findDeadLetter(id, teamId)) !== null,
      usage: openCatalog(db).readUsage,
    },
    ingestion: {
      status: async (teamId) => ({
        accepted: 2 + teamId,
        queued: teamId,
        stored: 2,
        duplicates: 0,
        dropped: 0,
        dead_letters: 0,
        dropped_by_cause: {},
        lag_ms: 0,
        lanes: { live: { queued: teamId, lag_ms: 0 }, history: IDLE, overflow: IDLE, identity: IDLE },
        refusal: null,
      }),
      warnings: async () => ({ count: 0, items: [] }),
      arrivals: (teamId, after) => openCatalog(db).arrivalsSince(teamId, after),
      installation: async () => INSTALLATION,
      history: openCatalog(db).readHealth,
    },
    passwords: new Passwords(LIGHT_HASH_KIB),
    exports: {
      secrets: new SecretBox({ dataDir: dir, setting: null }),
      env: { folder: join(dir, "exports"), allowedFolders: [], allowPrivate: true },
    },
    // Without events: there is no front.
    demo:
      () =>
      ({ id }) =>
        db.write((tx) => setDemoUntil(tx, id, 0)),
    health: { ready: async () => null, alive: () => null, metrics: async () => "weir_up 1\n" },
  };
  const app = new Elysia().use(managePlugin(deps)).listen({ port: 0, hostname: "127.0.0.1" });
  const server: ManageServer = {
    url: `http://127.0.0.1:${app.server!.port}`,
    db,
    key: personalApiKey!,
    nowMs: START_MS,
    logged: [],
    lake: emptyLake,
    runQuery,
    answerQueries(by) {
      const answer = by as unknown as typeof runQuery;
      server.runQuery = (asked, context) => answer(asked instanceof ParsedQuery ? asked.node : asked, context);
    },
    deps,
    async send(method, path, o = {}) {
      const headers: Record<string, string> = { ...o.headers };
      const key = o.key === undefined ? server.key : o.key;
      if (key !== null) headers.Authorization = `Bearer ${key}`;
      const body = o.body === undefined || typeof o.body === "string" ? o.body : JSON.stringify(o.body);
      const response = await fetch(server.url + path, { method, headers, body, signal: o.signal });
      const text = await response.text();
      checkDocumented(method, path, { status: response.status, headers: response.headers, text });
      const isJson = response.headers.get("content-type")?.includes("json") ?? false;
      return {
        status: response.status,
        headers: response.headers,
        text,
        json: (isJson && text !== "" ? JSON.parse(text) : null) as never,
      };
    },
    async createKey(wish) {
      const base = { userId: 1, label: "test", scopes: [], scopedTeams: [], level: "owner" as const, nowMs: START_MS };
      const { key, value } = await db.write((tx) => createPersonalApiKey(tx, { ...base, ...wish }));
      return { id: key.id, value };
    },
    async stop() {
      await app.stop(true);
      await db.close();
      await postgres?.stop();
      rmSync(dir, { recursive: true, force: true });
    },
  };
  return server;
}
