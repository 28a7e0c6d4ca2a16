import { join } from "node:path";
import type { Subprocess } from "bun";
import { scriptOf } from "../../scripts.ts";
import { endsWithTerminal, TerminalError } from "../../types/mod.ts";
import { GARBAGE_ENV } from "./memoryEnv.ts";
import { PidFiles } from "./pidFiles.ts";
import { SilenceWatch } from "./silenceWatch.ts";

interface ChildSpec {
  /** Names the process in logs and in `<dataDir>/run/<name>.pid`. */
  name: string;
  /** Arguments of `weir`. */
  args: string[];
  /** Settings on top of the parent's environment. */
  env?: Record<string, string>;
  /** Its first process must become ready: if it ends before, it is not started again. */
  mustStart?: boolean;
  /** Called each time one of its processes is ready. */
  onReady?: (facts: ReadyFacts) => void;
}

/** What a child says when it is ready. */
interface ReadyFacts {
  /** Where a front listens. */
  port?: number;
}

/** From child to parent: a beat each second, once that it is ready, and as which member of the cluster it works. */
type FromChild = "alive" | { ready: ReadyFacts } | { member: string };

/** From parent to child: members that were processes of this supervisor and have ended. */
interface ToChild {
  ended: string[];
}

/** DuckDB's waits occupy the threads that file access needs; the default is about the number of cores. */
const THREAD_POOL_SIZE = "16";
const BEAT_MS = 1_000;
/** A child that says nothing for this long hangs, and is killed. */
const SILENT_MS = 60_000;
const STOP_MS = 8_000;
const RESTART_FIRST_MS = 100;
const RESTART_LONGEST_MS = 5_000;
/** A child that has lived this long starts again after the shortest pause. */
const STEADY_MS = 30_000;
/** Members whose end the supervisor tells of; the leases of earlier ones have long run out. */
const ENDED_MAX = 64;

/** A child that `Children` started for the first time. */
export interface Started {
  /** Resolves when it is ready; rejects with TerminalError `child_failed` when a child that must start has ended before. */
  ready: Promise<ReadyFacts>;
}

/**
 * Runs other roles of Weir as child processes: started again when they die, killed when they hang, stopped together.
 * A child ends by itself when its parent is gone, because its IPC channel closes.
 */
export class Children {
  private readonly running = new Map<string, Subprocess>();
  /** What running children call themselves as members. */
  private readonly members = new Map<Subprocess, string>();
  private ended: string[] = [];
  private readonly pidFiles: PidFiles;
  private stopping = false;

  constructor(
    runDir: string,
    private readonly log: (message: string) => void,
    private readonly silentMs = SILENT_MS,
    private readonly program: readonly string[] = [
      process.execPath,
      ...process.execArgv,
      scriptOf(join(import.meta.dir, "..", "..", "main.ts")),
    ],
  ) {
    this.pidFiles = new PidFiles(runDir);
  }

  start(spec: ChildSpec): Started {
    const { promise, resolve, reject } = Promise.withResolvers<ReadyFacts>();
    promise.catch(() => {});
    const onReady = (facts: ReadyFacts) => {
      resolve(facts);
      spec.onReady?.(facts);
    };
    this.run({ ...spec, onReady }, RESTART_FIRST_MS, spec.mustStart === true ? reject : null);
    return { ready: promise };
  }

  pidOf(name: string): number | null {
    return this.running.get(name)?.pid ?? null;
  }

  /** Asks these, or all, to end and waits; what does not end in time is killed. None is started again. */
  async stop(names: readonly string[] = [...this.running.keys()]): Promise<void> {
    this.stopping = true;
    const children = names.flatMap((name) => this.running.get(name) ?? []);
    for (const child of children) child.kill("SIGTERM");
    const timer = setTimeout(() => {
      for (const child of children) if (child.exitCode === null) child.kill("SIGKILL");
    }, STOP_MS);
    await Promise.all(children.map((child) => child.exited));
    clearTimeout(timer);
  }

  /** A member that has just begun may still find those that ended before it. */
  private hearMember(child: Subprocess, member: string): void {
    this.members.set(child, member);
    if (this.ended.length > 0) child.send({ ended: this.ended } satisfies ToChild);
  }

  /** The others need not wait until its lease runs out. */
  private tellEnded(child: Subprocess): void {
    const member = this.members.get(child);
    if (member === undefined) return;
    this.members.delete(child);
    this.ended = [...this.ended, member].slice(-ENDED_MAX);
    for (const other of this.members.keys()) {
      if (other.exitCode === null && other.signalCode === null) other.send({ ended: [member] } satisfies ToChild);
    }
  }

  /** `failed`: called, instead of a new start, when the process ends before it was ready. */
  private run(spec: ChildSpec, pauseMs: number, failed: ((error: Error) => void) | null): void {
    if (this.stopping) return;
    const startedAtMs = Date.now();
    let isReady = false;
    const silence = new SilenceWatch({ beatMs: BEAT_MS, silentMs: this.silentMs }, () => {
      this.log(`${spec.name} (${child.pid}) hangs, killing it`);
      child.kill("SIGKILL");
    });
    const child = Bun.spawn([...this.program, ...spec.args], {
      env: { ...childEnvironment(process.env), ...GARBAGE_ENV, UV_THREADPOOL_SIZE: THREAD_POOL_SIZE, ...spec.env },
      stdin: "ignore",
      stdout: "inherit",
      stderr: "inherit",
      ipc: (message: FromChild) => {
        silence.hear();
        if (message === "alive") return;
        if ("member" in message) return this.hearMember(child, message.member);
        isReady = true;
        spec.onReady?.(message.ready);
      },
    });
    this.running.set(spec.name, child);
    this.pidFiles.note(spec.name, child.pid, this.log);
    void child.exited.then(async (code) => {
      silence.end();
      this.running.delete(spec.name);
      this.pidFiles.remove(spec.name);
      this.tellEnded(child);
      if (failed !== null && !isReady) {
        failed(new TerminalError("child_failed", `the ${spec.name} process ended before it was ready`));
        return;
      }
      if (this.stopping) return;
      const wasSteady = Date.now() - startedAtMs > STEADY_MS;
      const pauseNowMs = wasSteady ? RESTART_FIRST_MS : pauseMs;
      this.log(`${spec.name} (${child.pid}) ended (${child.signalCode ?? code}), starting it again`);
      await Bun.sleep(pauseNowMs);
      this.run(spec, Math.min(RESTART_LONGEST_MS, pauseNowMs * 2), null);
    });
  }
}

/** In a child: sends beats to the parent, and calls `stop` on a signal and when the parent is gone. */
export function liveAsChild(stop: () => void): void {
  if (process.send !== undefined) {
    setInterval(() => tellParent("alive") || stop(), BEAT_MS).unref();
    process.on("disconnect", stop);
  }
  process.on("SIGTERM", stop);
  // Ctrl-C and the end of a terminal reach the whole process group; the parent decides the order of the end.
  const stopAlone = () => {
    if (process.send === undefined) stop();
  };
  if (endsWithTerminal()) process.on("SIGHUP", stopAlone);
  process.on("SIGINT", stopAlone);
}

/** In a child: tells the parent that this process can take requests. */
export function tellReady(facts: ReadyFacts = {}): void {
  tellParent({ ready: facts });
}

/** In a child: tells the parent as which member it works, and calls `onEnded` with members that are known to have ended. */
export function liveAsMember(member: string, onEnded: (members: readonly string[]) => void): void {
  process.on("message", ({ ended }: ToChild) => onEnded(ended));
  tellParent({ member });
}

/** False when the parent is gone. */
function tellParent(message: FromChild): boolean {
  try {
    process.send?.(message);
    return true;
  } catch {
    return false;
  }
}

/** Keys in the clear, which only the start of a data folder needs. */
const SECRETS = ["WEIR_PROJECT_API_KEY", "WEIR_PERSONAL_API_KEY"];

/** The environment for a child process: everything but the first keys. */
function childEnvironment(env: Record<string, string | undefined>): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !SECRETS.includes(name)));
}
