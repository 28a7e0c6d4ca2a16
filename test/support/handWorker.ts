import { join } from "node:path";
import type { Subprocess } from "bun";
import { MAIN } from "./main.ts";
import { isRunning } from "./processes.ts";

/** For `command`: a worker that "killer" kills. */
export const KILLER_WORKER = join(import.meta.dir, "killerWorker.ts");

export interface HandWorkerOptions {
  /** The data folder of a Weir that runs. */
  dataDir: string;
  /** What bun runs; `weir worker` when absent. */
  command?: string[];
  env?: Record<string, string>;
}

/** A worker process that is started by hand beside `weir start`, as an operator would. */
export class HandWorker {
  /** What it has printed. */
  output = "";
  private readonly child: Subprocess<"ignore", "pipe", "pipe">;

  constructor({ dataDir, command = [MAIN, "worker"], env = {} }: HandWorkerOptions) {
    this.child = Bun.spawn([process.execPath, ...command], {
      env: { ...process.env, ...env, WEIR_DATA_DIR: dataDir },
      stdin: "ignore",
      stdout: "pipe",
      stderr: "pipe",
    });
    for (const stream of [this.child.stdout, this.child.stderr]) void this.collect(stream);
  }

  get pid(): number {
    return this.child.pid;
  }

  get isRunning(): boolean {
    return isRunning(this.pid);
  }

  /** Its exit code, or the signal that ended it, once it has ended. */
  get ended(): Promise<number | NodeJS.Signals> {
    return this.child.exited.then((code) => this.child.signalCode ?? code);
  }

  kill(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }

  /** Asks it to leave; gives its exit code. */
  stop(): Promise<number | NodeJS.Signals> {
    this.kill("SIGTERM");
    return this.ended;
  }

  private async collect(stream: ReadableStream<Uint8Array>): Promise<void> {
    const decoder = new TextDecoder();
    for await (const chunk of stream) this.output += decoder.decode(chunk, { stream: true });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.kill("SIGKILL");
    await this.ended;
  }
}

/** Starts a worker again whenever it dies, as a supervisor does. */
export class KeptWorker {
  deaths = 0;
  /** The one that runs now. */
  worker: HandWorker;
  private stopping = false;
  private readonly done: Promise<void>;

  constructor(private readonly options: HandWorkerOptions) {
    this.worker = new HandWorker(options);
    this.done = this.watch();
  }

  private async watch(): Promise<void> {
    for (;;) {
      await this.worker.ended;
      if (this.stopping) return;
      this.deaths++;
      this.worker = new HandWorker(this.options);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.stopping = true;
    this.worker.kill("SIGTERM");
    await this.done;
  }
}
