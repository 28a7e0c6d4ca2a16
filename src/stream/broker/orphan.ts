import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { commandLineOf, parentOf, RetryableError, TerminalError, untilEnded } from "../../types/mod.ts";
import { configPathOf, pidPathOf } from "./settings.ts";

const STOP_TIMEOUT_MS = 10_000;

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
  if (file === null || !commandLineOf(file.pid).includes(configPathOf(dataDir))) return false;
  if (parentOf(file.pid) === file.supervisorPid) {
    throw new TerminalError("data_folder_in_use", `${dataDir} is used by the running process ${file.supervisorPid}`);
  }
  log(`stopping the nats-server ${file.pid} that an earlier start left behind`);
  for (const signal of ["SIGTERM", "SIGKILL"] as const) {
    process.kill(file.pid, signal);
    if (await untilEnded(file.pid, STOP_TIMEOUT_MS)) return true;
  }
  throw new RetryableError("orphan_remains", `The nats-server ${file.pid} of an earlier start cannot be stopped`);
}

function readPidFile(path: string): PidFile | null {
  try {
    const file = JSON.parse(readFileSync(path, "utf8")) as PidFile;
    return Number.isSafeInteger(file.pid) && file.pid > 1 ? file : null;
  } catch {
    return null;
  }
}
