import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Subprocess } from "bun";

export interface ChildSpec {
  /** Names the process in logs and in `<dataDir>/run/<name>.pid`. */
  name: string;
  /** Arguments of `weir`. */
  args: string[];
}

/** DuckDB's waits occupy the threads that file access needs; the default is about the number of cores. */
const THREAD_POOL_SIZE = "16";
/** A child that says nothing for this long hangs, and is killed. */
const SILENT_MS = 60_000;
const STOP_MS = 8_000;
const RESTART_FIRST_MS = 100;
const RESTART_LONGEST_MS = 5_000;
/** A child that has lived this long starts again without a pause. */
const STEADY_MS = 30_000;

/**
 * Runs other roles of Weir as child processes: started again when they die, killed when they hang, stopped together.
 * A child ends by itself when its parent is gone, because its IPC channel closes.
 */
export class Children {
  private readonly running = new Map<string, Subprocess>();
  private stopping = false;

  constructor(
    private readonly runDir: string,
    private readonly log: (message: string) => void,
  ) {
    mkdirSync(runDir, { recursive: true });
  }

  start(spec: ChildSpec, pauseMs = RESTART_FIRST_MS): void {
    if (this.stopping) return;
    const startedAtMs = Date.now();
    let heardAtMs = startedAtMs;
    const child = Bun.spawn([process.execPath, join(import.meta.dir, "..", "main.ts"), ...spec.args], {
      env: { ...process.env, UV_THREADPOOL_SIZE: THREAD_POOL_SIZE },
      stdin: "ignore",
      stdout: "inherit",
      stderr: "inherit",
      ipc: () => {
        heardAtMs = Date.now();
      },
    });
    this.running.set(spec.name, child);
    const pidFile = join(this.runDir, `${spec.name}.pid`);
    writeFileSync(pidFile, String(child.pid));
    const watch = setInterval(() => {
      if (Date.now() - heardAtMs < SILENT_MS) return;
      this.log(`${spec.name} (${child.pid}) hangs, killing it`);
      child.kill("SIGKILL");
    }, 1_000);
    void child.exited.then(async (code) => {
      clearInterval(watch);
      this.running.delete(spec.name);
      rmSync(pidFile, { force: true });
      if (this.stopping) return;
      const livedMs = Date.now() - startedAtMs;
      const nextPauseMs = livedMs > STEADY_MS ? RESTART_FIRST_MS : Math.min(RESTART_LONGEST_MS, pauseMs * 2);
      this.log(`${spec.name} (${child.pid}) ended (${child.signalCode ?? code}), starting it again`);
      await Bun.sleep(pauseMs);
      this.start(spec, nextPauseMs);
    });
  }

  pidOf(name: string): number | null {
    return this.running.get(name)?.pid ?? null;
  }

  get names(): string[] {
    return [...this.running.keys()];
  }

  /** Asks all to end and waits; what does not end in time is killed. */
  async stop(): Promise<void> {
    this.stopping = true;
    const children = [...this.running.values()];
    for (const child of children) child.kill("SIGTERM");
    const timer = setTimeout(() => {
      for (const child of children) if (child.exitCode === null) child.kill("SIGKILL");
    }, STOP_MS);
    await Promise.all(children.map((child) => child.exited));
    clearTimeout(timer);
  }
}

/** In a child: tells the parent that the event loop turns, ends with it, and calls `stop` on a signal. */
export function liveAsChild(stop: () => void): void {
  const send = process.send?.bind(process);
  if (send !== undefined) {
    setInterval(() => {
      try {
        send("alive");
      } catch {
        stop();
      }
    }, 1_000).unref();
    process.on("disconnect", stop);
  }
  process.on("SIGTERM", stop);
  // Ctrl-C reaches the whole process group; the parent decides the order of the end.
  process.on("SIGINT", () => {
    if (send === undefined) stop();
  });
}
