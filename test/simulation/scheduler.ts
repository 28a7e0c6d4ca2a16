import { drainMicrotasks } from "bun:jsc";
import type { Random } from "../support/random.ts";

/** A process of the simulated machine: what it waits for goes on when it runs, later when it stands still, never when it is dead. */
export class Process {
  isAlive = true;
  pausedUntilMs = 0;
  /** It dies at so many scheduling points from now; null: it lives on. */
  pointsToLive: number | null = null;
  /** How often it did something or something came to it. */
  stirs = 0;
  private wake: (() => void) | null = null;

  constructor(
    readonly name: string,
    readonly onDeath: (process: Process) => void = () => {},
  ) {}

  /** It does something, or something comes to it: then it sleeps no longer than usual. */
  stir(): void {
    this.stirs++;
    const { wake } = this;
    this.wake = null;
    wake?.();
  }

  /** Calls `wake` at the next stir. */
  onStir(wake: () => void): void {
    this.wake = wake;
  }

  kill(): void {
    if (!this.isAlive) return;
    this.isAlive = false;
    this.onDeath(this);
  }
}

interface Task {
  atMs: number;
  /** Decides between tasks of one moment. */
  draw: number;
  process: Process | null;
  run: () => void;
}

/** Most steps take no time that counts; some take as long as a disk or a network can. */
const DELAYS_MS = [0, 0, 0, 0, 1, 1, 2, 5];
const LONG_DELAY_MS = 60;

/**
 * The only source of order: everything that waits for a fake stands here with a moment drawn from the seed, and one thing
 * at a time goes on. Nothing of it waits for real time, and a run is one synchronous call.
 */
export class Scheduler {
  nowMs: number;
  steps = 0;
  private readonly tasks: Task[] = [];

  constructor(
    private readonly random: Random,
    startMs: number,
  ) {
    this.nowMs = startMs;
  }

  /** Runs something after a while, in a process or (null) outside of all. */
  after(delayMs: number, process: Process | null, run: () => void): void {
    const task = { atMs: this.nowMs + delayMs, draw: this.random.next(), process, run };
    this.insert(task);
  }

  /** Time that passes between two things. */
  delayMs(): number {
    return this.random.chance(0.02) ? this.random.int(5, LONG_DELAY_MS) : this.random.pick(DELAYS_MS);
  }

  /** A scheduling point: others may go first, and the process may die here. */
  point(process: Process | null): Promise<void> {
    return this.sleep(process, this.delayMs());
  }

  sleep(process: Process | null, ms: number): Promise<void> {
    if (process !== null && process.pointsToLive !== null && process.isAlive && process.pointsToLive-- <= 0) {
      process.kill();
    }
    const { promise, resolve } = Promise.withResolvers<void>();
    if (process === null || process.isAlive) this.after(ms, process, resolve);
    return promise;
  }

  /** Sleeps `quietMs` where nothing comes to a process, else `ms` from then on. */
  nap(process: Process, ms: number, quietMs: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.after(quietMs, process, resolve);
    process.onStir(() => this.after(ms, process, resolve));
    return promise;
  }

  /** Lets things happen until `isOver`, at most until `deadlineMs`; gives whether it was over. */
  run(isOver: () => boolean, deadlineMs: number): boolean {
    drainMicrotasks();
    for (let task = this.tasks.pop(); task !== undefined; task = this.tasks.pop()) {
      if (task.atMs > deadlineMs) {
        this.tasks.push(task);
        return false;
      }
      this.nowMs = Math.max(this.nowMs, task.atMs);
      this.steps++;
      const { process } = task;
      if (process?.isAlive === false) continue;
      if (process !== null && process.pausedUntilMs > this.nowMs) {
        this.insert({ ...task, atMs: process.pausedUntilMs });
        continue;
      }
      task.run();
      drainMicrotasks();
      if (isOver()) return true;
    }
    return isOver();
  }

  /** Kept with the next one last. */
  private insert(task: Task): void {
    let low = 0;
    let high = this.tasks.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const other = this.tasks[middle]!;
      if (other.atMs > task.atMs || (other.atMs === task.atMs && other.draw > task.draw)) low = middle + 1;
      else high = middle;
    }
    this.tasks.splice(low, 0, task);
  }
}
