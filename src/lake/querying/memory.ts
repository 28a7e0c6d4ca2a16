import { readFileSync, writeFileSync } from "node:fs";
import { constants, setPriority } from "node:os";

/** A process that fills memory as fast as it can gets some 30 MB further between two looks. */
const LOOK_MS = 10;
const PAGE_BYTES = 4096;
/** The kernel ends such a process before any other, where memory is short. */
const FIRST_TO_END = 1000;

/**
 * The signal with which a process ends itself when it has used more memory than it may: its parent knows by it why
 * the process is gone. By default it ends a process without a core file, and nothing here uses it otherwise.
 */
export const MEMORY_SIGNAL = "SIGALRM";

/** The message for the user, whichever limit it was. */
export const MEMORY_MESSAGE = "the query needs more memory than it may use";

/**
 * Ends this process as soon as it holds more memory of its own than `limitBytes`. The engine's own limit covers its
 * buffers only: long texts, lists and the states of aggregates are beyond it. A running statement does not occupy the
 * event loop, so the looks are in time. Returns what ends the watch.
 */
export function watchMemory(limitBytes: number): () => void {
  const timer = setInterval(() => {
    if (ownMemoryBytes() > limitBytes) process.kill(process.pid, MEMORY_SIGNAL);
  }, LOOK_MS);
  return () => clearInterval(timer);
}

/** Puts this process behind others: it yields the processor to those that take events, and is ended first when the machine runs out of memory. */
export function standBehind(): void {
  ignoreMissing(() => setPriority(constants.priority.PRIORITY_BELOW_NORMAL));
  ignoreMissing(() => writeFileSync("/proc/self/oom_score_adj", String(FIRST_TO_END)));
}

/** How many processes the kernel has ended for want of memory since the machine started. */
export function memoryKills(): number {
  const text = ignoreMissing(() => readFileSync("/proc/vmstat", "latin1")) ?? "";
  return Number(/^oom_kill (\d+)$/m.exec(text)?.[1] ?? 0);
}

/** Bytes in memory that are this process's alone; 0 where the system does not tell. */
function ownMemoryBytes(): number {
  const [, resident = 0, shared = 0] = (ignoreMissing(() => readFileSync("/proc/self/statm", "latin1")) ?? "")
    .split(" ")
    .map(Number);
  return (resident - shared) * PAGE_BYTES;
}

/** Systems other than Linux have no /proc. */
function ignoreMissing<T>(body: () => T): T | null {
  try {
    return body();
  } catch {
    return null;
  }
}
