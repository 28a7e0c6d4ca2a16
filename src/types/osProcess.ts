import { readFileSync, writeFileSync } from "node:fs";
import { describeError } from "./errors.ts";

/** The words of the command line of a process; none when it has ended. */
export function commandLineOf(pid: number): string[] {
  return readProc(`/proc/${pid}/cmdline`)?.split("\0") ?? [];
}

/** Writes the number of a process into a file, on a line. On a full disk it works without one: the log is told. */
export function notePid(path: string, pid: number, log: (message: string) => void): void {
  try {
    writeFileSync(path, `${pid}\n`);
  } catch (error) {
    log(`the number of process ${pid} cannot be written: ${describeError(error)}`);
  }
}

/** The process that started it, or that took it over when that one ended; null when it has ended itself. */
export function parentOf(pid: number): number | null {
  const line = readProc(`/proc/${pid}/status`)?.match(/^PPid:\s*(\d+)/m);
  return line ? Number(line[1]) : null;
}

/** Whether this process ends with its terminal: `nohup` has it go on. Only before it listens to the signal. */
export function endsWithTerminal(): boolean {
  const ignored = readProc("/proc/self/status")?.match(/^SigIgn:\s*([0-9a-f]+)/m)?.[1] ?? "0";
  return (Number.parseInt(ignored.slice(-1), 16) & SIGHUP_BIT) === 0;
}

const SIGHUP_BIT = 1;

/**
 * Gone, or a zombie with its last thread. Its command line goes earlier, and so does its first thread, while others still
 * hold its port.
 */
function hasEnded(pid: number): boolean {
  const status = readProc(`/proc/${pid}/status`);
  return status === null || (/^State:\s*[ZX]/m.test(status) && /^Threads:\s*[01]$/m.test(status));
}

/** Waits for the end of a process that is not a child of this one. Tells whether it came within the time. */
export async function untilEnded(pid: number, timeoutMs: number): Promise<boolean> {
  for (let waitedMs = 0; waitedMs < timeoutMs; waitedMs += POLL_MS) {
    if (hasEnded(pid)) return true;
    await Bun.sleep(POLL_MS);
  }
  return false;
}

const POLL_MS = 20;

function readProc(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return null;
  }
}
