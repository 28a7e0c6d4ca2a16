import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { RetryableError, TerminalError } from "../../types/mod.ts";
import { configPathOf, pidPathOf } from "./settings.ts";

const STOP_TIMEOUT_MS = 10_000;
const POLL_MS = 20;

/** The pid file of a running broker. */
interface PidFile {
  pid: number;
  /** The process that started it. */
  supervisorPid: number;
}

export function writePidFile(path: string, pid: number): void {
  const file: PidFile = { pid, supervisorPid: process.pid };
  writeFileSync(`${path}.new`, JSON.stringify(file));
  renameSync(`${path}.new`, path);
}

export function removePidFile(path: string): void {
  rmSync(path, { force: true });
}

/**
 * Stops a broker that an earlier start left behind in this folder. It is one only if the process of that number runs
 * with our configuration file (numbers are used again). While its supervisor lives, the folder is in use:
 * TerminalError `data_folder_in_use`. Tells whether there was one.
 */
export async function stopOrphan(dataDir: string, log: (line: string) => void): Promise<boolean> {
  const file = readPidFile(pidPathOf(dataDir));
  if (file === null || !runsWith(file.pid, configPathOf(dataDir))) return false;
  if (parentOf(file.pid) === file.supervisorPid) {
    throw new TerminalError("data_folder_in_use", `${dataDir} is used by the running process ${file.supervisorPid}`);
  }
  log(`stopping the nats-server ${file.pid} that an earlier start left behind`);
  for (const signal of ["SIGTERM", "SIGKILL"] as const) {
    process.kill(file.pid, signal);
    if (await hasGone(file.pid)) return true;
  }
  throw new RetryableError("orphan_remains", `The nats-server ${file.pid} of an earlier start cannot be stopped`);
}

async function hasGone(pid: number): Promise<boolean> {
  for (let waitedMs = 0; waitedMs < STOP_TIMEOUT_MS; waitedMs += POLL_MS) {
    if (hasEnded(pid)) return true;
    await Bun.sleep(POLL_MS);
  }
  return false;
}

function readPidFile(path: string): PidFile | null {
  const text = readProc(path);
  if (text === null) return null;
  try {
    const file = JSON.parse(text) as PidFile;
    return Number.isSafeInteger(file.pid) && file.pid > 1 ? file : null;
  } catch {
    return null;
  }
}

function runsWith(pid: number, configPath: string): boolean {
  return readProc(`/proc/${pid}/cmdline`)?.split("\0").includes(configPath) ?? false;
}

/**
 * Gone, or a zombie with its last thread. Its command line goes earlier, and so does its first thread, while others still
 * hold its port.
 */
function hasEnded(pid: number): boolean {
  const status = readProc(`/proc/${pid}/status`);
  return status === null || (/^State:\s*[ZX]/m.test(status) && /^Threads:\s*[01]$/m.test(status));
}

function parentOf(pid: number): number | null {
  const line = readProc(`/proc/${pid}/status`)?.match(/^PPid:\s*(\d+)/m);
  return line ? Number(line[1]) : null;
}

function readProc(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return null;
  }
}
