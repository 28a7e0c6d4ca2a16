import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Elysia } from "elysia";
import { type Config, loadConfig } from "../../src/config.ts";
import { openCatalog } from "../../src/lake/mod.ts";
import { type ManageDeps, managePlugin } from "../../src/manage/mod.ts";
import { bootstrap, createPersonalApiKey, type Db, type NewPersonalApiKey, openDb } from "../../src/metadata/mod.ts";

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
  /** Replaces the query layer. */
  runQuery: ManageDeps["runQuery"];
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

export async function startManage(settings: Partial<Config> = {}): Promise<ManageServer> {
  const dir = mkdtempSync(join(tmpdir(), "weir-manage-"));
  const db = await openDb({ databaseUrl: null, sqlitePath: join(dir, "weir.db") });
  const { personalApiKey } = await bootstrap(db, { projectApiKey: null, personalApiKey: null }, START_MS);
  const deps: ManageDeps = {
    config: { ...loadConfig({}), ...settings },
    db,
    now: () => server.nowMs,
    runQuery: (node, context) => server.runQuery(node, context),
    lake: { query: () => Promise.reject(new Error("no lake in this test")), close: async () => {} },
    people: {
      importPerson: async () => {
        throw new Error("not in this test");
      },
      deadLetters: (teamId, page) => openCatalog(db).readDeadLetters({ teamId, waitingOnly: false }, page),
      redrive: async () => {
        throw new Error("not in this test");
      },
      usage: openCatalog(db).readUsage,
    },
    ingestion: {
      status: async (teamId) => ({ team: teamId, accepted: 3, queued: 1, stored: 2 }),
      warnings: async () => ({ count: 0, warnings: [] }),
    },
    health: { ready: async () => null, alive: () => null, metrics: async () => "weir_up 1\n" },
    log: (line) => server.logged.push(line),
  };
  const app = new Elysia().use(managePlugin(deps)).listen({ port: 0, hostname: "127.0.0.1" });
  const server: ManageServer = {
    url: `http://127.0.0.1:${app.server!.port}`,
    db,
    key: personalApiKey!,
    nowMs: START_MS,
    logged: [],
    runQuery: () => Promise.reject(new Error("no query in this test")),
    deps,
    async send(method, path, o = {}) {
      const headers: Record<string, string> = { ...o.headers };
      const key = o.key === undefined ? server.key : o.key;
      if (key !== null) headers.Authorization = `Bearer ${key}`;
      const body = o.body === undefined || typeof o.body === "string" ? o.body : JSON.stringify(o.body);
      const response = await fetch(server.url + path, { method, headers, body, signal: o.signal });
      const text = await response.text();
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
      rmSync(dir, { recursive: true, force: true });
    },
  };
  return server;
}
