import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Subprocess } from "bun";
import { checkDocumented, documented } from "./documented.ts";
import { MAIN } from "./main.ts";
import { freePort, HANG_MS, isRunning, processesNaming, until } from "./processes.ts";

const REPO = new URL("../..", import.meta.url).pathname;
/** docs/operations.md#processes: a signal stops everything within 21 s. A busy machine takes longer to end what was killed. */
export const STOP_MS = 25_000;
const REQUEST_MS = 90_000;

export interface WeirOptions {
  /** Settings on top of the tests' own. */
  env?: Record<string, string>;
  /** Kept at the end; a temporary folder when absent. */
  dataDir?: string;
  /** Started instead of the built `weir start`. */
  command?: string[];
  cwd?: string;
  /** First keys are left to Weir when false. */
  givenKeys?: boolean;
}

/** For a Weir that exports: without it none of its processes does, unless `command` starts it. */
export const EXPORTING = { WEIR_EXPORTERS: "1" };

/** For a Weir that checks alerts and delivers messages, to receivers on this machine too: without it none does, unless `command` starts it. */
export const ALERTING = { WEIR_ALERTS: "1", WEIR_EXPORT_ALLOW_PRIVATE: "1" };

/** The processes of a Weir, as their pid files name them. */
export type Role =
  | "main"
  | "front"
  | "api"
  | "nats-server"
  | "compactor"
  | `exporter-${number}`
  | `worker-${number}`
  | `query-${number}`;

/** `GET …/ingestion_status/`. */
export interface IngestionStatus {
  accepted: number;
  queued: number;
  stored: number;
  duplicates: number;
  dropped: number;
  dead_letters: number;
  lag_ms: number;
  dropped_by_cause: Record<string, number>;
}

export interface HogQLResult {
  results: unknown[][];
  columns: string[];
  types: unknown[];
}

export interface TrendsSeries {
  data: number[];
  days: string[];
  labels: string[];
  count: number;
}

/** A test process that ends early must not leave a Weir behind; one signal to its main process stops all of it. */
const running = new Set<Subprocess>();
process.on("exit", () => {
  for (const child of running) child.kill("SIGTERM");
});

/** Starts a whole Weir, as a user does, and waits until it is ready. */
export async function startWeir(options: WeirOptions = {}): Promise<Weir> {
  const weir = new Weir(options, await freePort());
  try {
    await weir.start();
  } catch (error) {
    await weir[Symbol.asyncDispose]().catch(() => {});
    throw error;
  }
  return weir;
}

export class Weir {
  readonly dataDir: string;
  readonly url: string;
  projectKey = "phc_test_project_000000000000000000";
  personalKey = "phx_test_personal_00000000000000000";
  /** The project that is asked; `projectKey` is the one that is sent to. */
  environmentId = 1;
  /** What it has printed since its last start. */
  output = "";
  private child: Subprocess | null = null;
  private readonly ownsDataDir: boolean;
  private env: Record<string, string>;

  constructor(
    private readonly options: WeirOptions,
    private readonly port: number,
  ) {
    this.ownsDataDir = options.dataDir === undefined;
    this.dataDir = options.dataDir ?? mkdtempSync(join(tmpdir(), "weir-e2e-"));
    this.url = `http://127.0.0.1:${port}`;
    this.env = options.env ?? {};
  }

  /** Of its record store; null where that is SQLite in the data folder. */
  get databaseUrl(): string | null {
    return this.env.DATABASE_URL ?? null;
  }

  /** Of the process that was started: the main one. */
  get pid(): number {
    return this.child!.pid;
  }

  /** The current process of a role; throws when its pid file is missing. */
  pidOf(role: Role): number {
    if (role === "main") return this.pid;
    const text = readFileSync(this.pidFile(role), "utf8");
    return role === "nats-server" ? (JSON.parse(text) as { pid: number }).pid : Number(text);
  }

  private pidFile(role: Role): string {
    return join(this.dataDir, role === "nats-server" ? "nats" : "run", `${role}.pid`);
  }

  /** Starts it and waits until `probe` answers 200: `/_liveness` for one that is not to become ready. */
  async start(
    env: Record<string, string> = this.env,
    probe: "/_readiness" | "/_liveness" = "/_readiness",
  ): Promise<void> {
    this.env = env;
    this.output = "";
    const keys = { WEIR_PROJECT_API_KEY: this.projectKey, WEIR_PERSONAL_API_KEY: this.personalKey };
    const child = Bun.spawn(this.options.command ?? [process.execPath, MAIN, "start"], {
      cwd: this.options.cwd ?? REPO,
      stdin: "ignore",
      stdout: "pipe",
      stderr: "pipe",
      env: {
        ...process.env,
        // As scripts/start has it.
        MIMALLOC_PURGE_DELAY: "1000",
        // A test's limit is its own concern; a full build machine must not turn it into 503s.
        WEIR_DISK_MIN_FREE_BYTES: "0",
        // Few tests export or have alerts; each exporter takes a part of a second to start.
        ...(this.options.command === undefined ? { WEIR_EXPORTERS: "0", WEIR_ALERTS: "0" } : {}),
        ...(this.options.givenKeys === false ? {} : keys),
        ...env,
        WEIR_PORT: String(this.port),
        WEIR_DATA_DIR: this.dataDir,
      },
    });
    this.child = child;
    running.add(child);
    void child.exited.then(() => running.delete(child));
    void this.collect(child.stdout);
    void this.collect(child.stderr);
    await until("readiness", HANG_MS, async () => {
      if (child.exitCode !== null || child.signalCode !== null) {
        throw new Error(`Weir ended with ${child.exitCode ?? child.signalCode}:\n${this.output}`);
      }
      // A front whose supervisor was killed a moment ago may still answer; what this start has begun has said so.
      return this.output.includes("Weir is ready") && (await this.status(probe)) === 200;
    }).catch((error: Error) => {
      throw new Error(`${error.message}\n${this.output}`, { cause: error });
    });
  }

  private async collect(stream: ReadableStream<Uint8Array>): Promise<void> {
    const decoder = new TextDecoder();
    for await (const chunk of stream) this.output += decoder.decode(chunk, { stream: true });
  }

  /** The status of a GET, or 0 when nothing answers. */
  async status(path: string): Promise<number> {
    return fetch(this.url + path, { signal: AbortSignal.timeout(5_000) }).then(
      async (response) => {
        await response.arrayBuffer();
        return response.status;
      },
      () => 0,
    );
  }

  /** A request to the management API with the owner's key. */
  async manage(method: string, path: string, body?: unknown): Promise<{ status: number; json: never }> {
    const response = await fetch(this.url + path, {
      method,
      headers: { authorization: `Bearer ${this.personalKey}`, "content-type": "application/json" },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    const text = await response.text();
    checkDocumented(method, path, { status: response.status, headers: response.headers, text });
    return { status: response.status, json: (text === "" ? null : JSON.parse(text)) as never };
  }

  /** Stops it by one signal; throws when anything of it is left after `STOP_MS`. */
  async stop(signal: "SIGINT" | "SIGTERM" = "SIGTERM"): Promise<{ exitCode: number | null; tookMs: number }> {
    const child = this.child!;
    const begun = performance.now();
    child.kill(signal);
    await until("the main process to end", STOP_MS, () => !isRunning(child.pid)).catch((error: Error) => {
      throw new Error(`${error.message}\n${this.output}`, { cause: error });
    });
    await child.exited;
    const left = processesNaming(this.dataDir);
    if (left.length > 0) throw new Error(`left running after ${signal}: ${JSON.stringify(left)}\n${this.output}`);
    return { exitCode: child.exitCode, tookMs: performance.now() - begun };
  }

  /** Kills one process without warning, and gives the pid it had. */
  kill9(role: Role): number {
    const pid = this.pidOf(role);
    process.kill(pid, "SIGKILL");
    return pid;
  }

  async restart(...how: Parameters<Weir["start"]>): Promise<void> {
    if (isRunning(this.pid)) await this.stop();
    await this.start(...how);
  }

  /** The end of a test: stops what runs, by its own pids, and removes the temporary folder. */
  async [Symbol.asyncDispose](): Promise<void> {
    try {
      if (this.child !== null && isRunning(this.pid)) await this.stop();
    } finally {
      for (const { pid } of processesNaming(this.dataDir)) process.kill(pid, "SIGKILL");
      if (this.ownsDataDir) rmSync(this.dataDir, { recursive: true, force: true });
    }
  }

  /** POST as it is. */
  post(
    path: string,
    body: string | Uint8Array<ArrayBuffer>,
    headers: Record<string, string> = {},
    signal: AbortSignal = AbortSignal.timeout(REQUEST_MS),
  ): Promise<Response> {
    return fetch(this.url + path, {
      method: "POST",
      body,
      headers: { "content-type": "application/json", ...headers },
      signal,
    });
  }

  capture(event: object): Promise<Response> {
    return this.post("/capture/", JSON.stringify({ api_key: this.projectKey, ...event }));
  }

  batch(events: readonly object[], options: { historical?: boolean } = {}): Promise<Response> {
    return this.post("/batch/", this.batchBody(events, options));
  }

  batchBody(events: readonly object[], options: { historical?: boolean } = {}): string {
    return JSON.stringify({
      api_key: this.projectKey,
      historical_migration: options.historical ?? false,
      batch: events,
    });
  }

  /** As a client that gives up on nothing but a refusal: retries lost connections and 5xx. Gives the number of tries. */
  async deliver(
    events: readonly object[],
    options: { historical?: boolean; onTry?: () => void } = {},
  ): Promise<number> {
    const body = this.batchBody(events, options);
    let last = "";
    for (let tries = 1, giveUpAt = Date.now() + HANG_MS; ; tries++) {
      options.onTry?.();
      const response = await this.post("/batch/", body).catch((error: Error) => {
        last = error.message;
        return null;
      });
      const text = await response?.text().catch(() => null);
      if (response?.status === 200 && text !== null) return tries;
      if (response) last = `${response.status} ${text}`;
      if (response && response.status < 500) throw new Error(`the batch was refused: ${last}`);
      if (Date.now() > giveUpAt)
        throw new Error(`the batch was not accepted within ${HANG_MS} ms: ${last}\n${this.output}`);
      await Bun.sleep(50);
    }
  }

  /** A request to the management API with the first personal key. */
  api(path: string, init: { method?: string; body?: unknown } = {}): Promise<Response> {
    return fetch(`${this.url}/api/environments/${this.environmentId}${path}`, {
      method: init.method ?? (init.body === undefined ? "GET" : "POST"),
      headers: { authorization: `Bearer ${this.personalKey}`, "content-type": "application/json" },
      body: init.body === undefined ? undefined : JSON.stringify(init.body),
      signal: AbortSignal.timeout(REQUEST_MS),
    });
  }

  /** Makes a project of its own and goes on with that one, for tests that share a Weir. */
  async enterFreshProject(): Promise<void> {
    const response = await fetch(`${this.url}/api/projects/`, {
      method: "POST",
      headers: { authorization: `Bearer ${this.personalKey}`, "content-type": "application/json" },
      body: JSON.stringify({ name: crypto.randomUUID() }),
    });
    if (!response.ok) throw new Error(`no project was made: ${response.status} ${await response.text()}`);
    const project = (await response.json()) as { id: number; api_token: string };
    this.environmentId = project.id;
    this.projectKey = project.api_token;
  }

  private async json<T>(path: string, body?: unknown): Promise<T> {
    const response = await documented(body === undefined ? "GET" : "POST", await this.api(path, { body }));
    const text = await response.text();
    if (response.status !== 200) throw new Error(`${path}: ${response.status} ${text}`);
    return JSON.parse(text) as T;
  }

  query(hogql: string): Promise<HogQLResult> {
    return this.json("/query/", { query: { kind: "HogQLQuery", query: hogql } });
  }

  /** The first value of the first row, as a number. */
  async number(hogql: string): Promise<number> {
    return Number((await this.query(hogql)).results[0]?.[0]);
  }

  /** `refresh` as the API has it; Weir's own default when absent. */
  async trends(node: Record<string, unknown>, refresh?: "force_blocking"): Promise<TrendsSeries[]> {
    const body = { query: { kind: "TrendsQuery", ...node }, refresh };
    return (await this.json<{ results: TrendsSeries[] }>("/query/", body)).results;
  }

  ingestionStatus(): Promise<IngestionStatus> {
    return this.json("/ingestion_status/");
  }

  /** Waits until nothing accepted is queued any more; a 503 says to ask again, and is printed: it should not be. */
  waitStored(timeoutMs = HANG_MS): Promise<IngestionStatus> {
    return until("an empty queue", timeoutMs, async () => {
      const response = await documented("GET", await this.api("/ingestion_status/"));
      if (response.status === 503) {
        console.log(`ingestion_status: 503 ${await response.text()}\n${this.output}`);
        return null;
      }
      if (response.status !== 200) throw new Error(`ingestion_status: ${response.status} ${await response.text()}`);
      const status = (await response.json()) as IngestionStatus;
      return status.queued === 0 ? status : null;
    });
  }

  isRunning(role: Role): boolean {
    const pid = this.pidIfAny(role);
    return pid !== null && isRunning(pid);
  }

  /** True when the process of a role has been replaced by a running one. */
  isReplaced(role: Role, formerPid: number): boolean {
    const pid = this.pidIfAny(role);
    return pid !== null && pid !== formerPid && isRunning(pid);
  }

  /** `pidOf`, or null without a pid file. The file goes at any moment while its process is replaced. */
  private pidIfAny(role: Role): number | null {
    try {
      return this.pidOf(role);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
      throw error;
    }
  }
}
