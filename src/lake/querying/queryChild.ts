import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { Subprocess } from "bun";
import { scriptOf } from "../../scripts.ts";
import { RetryableError, TerminalError, type WeirError } from "../../types/mod.ts";
import { MEMORY_MESSAGE, MEMORY_SIGNAL, memoryKills } from "./memory.ts";
import type {
  FromProcess,
  ProcessSettings,
  QueryErrorCode,
  Statement,
  StatementProgress,
  StatementResult,
  ToProcess,
} from "./messages.ts";

/** The process died under a query, by no doing of ours. */
export class ProcessDied extends RetryableError {
  constructor() {
    super("query_process_died", "the query process died");
  }
}

const SCRIPT = scriptOf(join(import.meta.dir, "queryProcess.ts"));

/** DuckDB waits occupy libuv's pool; with the default size two queries would stop all file access of the process. */
const POOL_THREADS = "16";

/**
 * The last tier of the JavaScript compiler comes some walks later than usual (default 60,000). What it compiles beside the first walk took a third of that walk's
 * CPU, on the same cores; later walks are as fast as ever.
 */
const LAST_TIER_AFTER = "500000";

/** Errors that may pass later: the disk has space again. */
const RETRYABLE: readonly QueryErrorCode[] = ["query_io_failed"];

/** Told now and then while a statement runs long. */
export type OnProgress = (progress: StatementProgress) => void;

interface Running {
  id: number;
  onProgress: OnProgress;
  /** Processes that the kernel had killed for lack of memory when the statement began. */
  memoryKills: number;
  resolve(result: StatementResult): void;
  reject(error: Error): void;
}

/** The parent's side of one query process: at most one statement at a time. */
export class QueryChild {
  private readonly process: Subprocess;
  private running: Running | null = null;
  private lastId = 0;
  /** The project of its last statement. */
  lastTeamId: number | null = null;
  private isDead = false;
  /** Resolves when the process can take a statement; rejects when it died before. */
  readonly ready: Promise<void>;
  readonly exited: Promise<void>;
  /** Resolves when its spilled files are removed. */
  readonly tidied: Promise<void>;

  constructor(settings: ProcessSettings) {
    const becameReady = Promise.withResolvers<void>();
    this.ready = becameReady.promise;
    this.ready.catch(() => {});
    this.process = Bun.spawn([process.execPath, SCRIPT, JSON.stringify(settings)], {
      cwd: settings.workDirectory,
      env: {
        ...process.env,
        UV_THREADPOOL_SIZE: POOL_THREADS,
        BUN_JSC_thresholdForFTLOptimizeAfterWarmUp: LAST_TIER_AFTER,
      },
      stdin: "ignore",
      stdout: "ignore",
      stderr: "inherit",
      serialization: "advanced",
      ipc: (message: FromProcess) => (message.kind === "ready" ? becameReady.resolve() : this.hear(message)),
    });
    this.exited = this.process.exited.then(() => {
      this.isDead = true;
      becameReady.reject(new ProcessDied());
      const running = this.take();
      running?.reject(this.reasonOfDeath(running));
    });
    // Thousands of files, which must hold up neither the loop nor the process that takes this one's place.
    this.tidied = this.exited.then(() => rm(settings.spillDirectory, { recursive: true, force: true })).catch(() => {});
  }

  get pid(): number {
    return this.process.pid;
  }

  /** Rejects with TerminalError or RetryableError; `query_interrupted` after `interrupt`, ProcessDied after `kill`. */
  run(statement: Statement, onProgress: OnProgress): Promise<StatementResult> {
    if (this.isDead) return Promise.reject(new ProcessDied());
    return new Promise((resolve, reject) => {
      const id = ++this.lastId;
      this.running = { id, onProgress, memoryKills: memoryKills(), resolve, reject };
      this.lastTeamId = statement.teamId;
      this.send({ kind: "run", id, statement });
    });
  }

  interrupt(): void {
    if (!this.isDead && this.running !== null) this.send({ kind: "cancel" });
  }

  /** Takes no further statements. */
  get isOver(): boolean {
    return this.isDead;
  }

  kill(): void {
    this.isDead = true;
    this.process.kill("SIGKILL");
  }

  /** A message to a dying process fails; its exit settles what runs. */
  private send(message: ToProcess): void {
    try {
      this.process.send(message);
    } catch {
      this.kill();
    }
  }

  private hear(message: Exclude<FromProcess, { kind: "ready" }>): void {
    if (this.running?.id !== message.id) return;
    if (message.kind === "progress") {
      this.running.onProgress(message.progress);
      return;
    }
    const running = this.take();
    if (running === null) return;
    if (message.kind === "result") running.resolve(message.result);
    else running.reject(errorOf(message));
  }

  /** A statement that took all memory would do so again; other deaths are no fault of it. */
  private reasonOfDeath(running: Running): WeirError {
    const { signalCode } = this.process;
    const byKernel = signalCode === "SIGKILL" && memoryKills() > running.memoryKills;
    return signalCode === MEMORY_SIGNAL || byKernel
      ? new TerminalError("query_memory", MEMORY_MESSAGE)
      : new ProcessDied();
  }

  private take(): Running | null {
    const { running } = this;
    this.running = null;
    return running;
  }
}

/** With the engine's message as its cause, where it is not the user's fault. */
function errorOf({ code, message, detail }: Extract<FromProcess, { kind: "error" }>): WeirError {
  const kind = RETRYABLE.includes(code) ? RetryableError : TerminalError;
  return new kind(code, message, { cause: detail });
}
