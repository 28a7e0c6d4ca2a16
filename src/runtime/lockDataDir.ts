import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { TerminalError } from "../types/mod.ts";

/**
 * One `weir start` a data folder. A pid left behind by a killed one is recognised by its command line.
 * Throws TerminalError `already_running`; returns the release.
 */
export function lockDataDir(dataDir: string): () => void {
  const runDir = join(dataDir, "run");
  mkdirSync(runDir, { recursive: true });
  const pidFile = join(runDir, "main.pid");
  if (existsSync(pidFile)) {
    const pid = Number(readFileSync(pidFile, "utf8"));
    if (pid !== process.pid && isWeirStart(pid)) {
      throw new TerminalError("already_running", `Weir is already running on ${dataDir} (process ${pid})`);
    }
  }
  writeFileSync(pidFile, String(process.pid));
  return () => rmSync(pidFile, { force: true });
}

function isWeirStart(pid: number): boolean {
  try {
    const words = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
    return words.some((word) => word.endsWith("main.ts")) && words.includes("start");
  } catch {
    return false;
  }
}
