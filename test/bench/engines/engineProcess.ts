import { readFileSync } from "node:fs";
import { usageOf } from "../report.ts";

/** Which question, in which of an engine's ways. */
export interface Asked {
  question: string;
  variant: string;
}

export interface Answer {
  /** From the call to rows as JavaScript values. */
  ms: number;
  rows: unknown[][];
}

type FromEngine = { kind: "ready" } | { kind: "answer"; answer: Answer } | { kind: "error"; message: string };

/** An engine in a process of its own, which answers one question at a time. */
export class EngineProcess {
  private readonly process: Bun.Subprocess;
  private readonly ready = Promise.withResolvers<void>();
  private waiting: PromiseWithResolvers<Answer> | null = null;

  constructor(script: string, args: readonly string[]) {
    this.process = Bun.spawn([process.execPath, script, ...args], {
      stdin: "ignore",
      stdout: "inherit",
      stderr: "inherit",
      serialization: "advanced",
      ipc: (message: FromEngine) => this.take(message),
      onExit: (_, exitCode) => this.fail(new Error(`${script} ended with ${exitCode}`)),
    });
  }

  async ask(asked: Asked): Promise<Answer> {
    await this.ready.promise;
    this.waiting = Promise.withResolvers();
    this.process.send(asked);
    return this.waiting.promise;
  }

  /** Used so far by the process and those it has started. */
  get cpuMs(): number {
    const { pid } = this.process;
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").filter(Boolean).map(Number);
    return [pid, ...children].reduce((sum, each) => sum + usageOf(each).cpuMs, 0);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.ready.promise.catch(() => {});
    this.process.kill();
    await this.process.exited;
  }

  private take(message: FromEngine): void {
    if (message.kind === "ready") this.ready.resolve();
    else if (message.kind === "answer") this.waiting?.resolve(message.answer);
    else this.fail(new Error(message.message));
  }

  private fail(error: Error): void {
    this.ready.reject(error);
    this.waiting?.reject(error);
  }
}

/** The engine's side: answers until the parent ends it. */
export function serve(ask: (asked: Asked) => Promise<unknown[][]>): void {
  const send = (message: FromEngine) => process.send!(message);
  process.on("message", async (asked: Asked) => {
    try {
      const begun = performance.now();
      const rows = await ask(asked);
      send({ kind: "answer", answer: { ms: performance.now() - begun, rows } });
    } catch (error) {
      send({ kind: "error", message: `${asked.question} ${asked.variant}: ${String(error)}` });
    }
  });
  process.on("disconnect", () => process.exit(0));
  send({ kind: "ready" });
}
