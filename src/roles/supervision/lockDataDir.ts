import { join } from "node:path";
import { TerminalError } from "../../types/mod.ts";
import { PidFiles, runsRole } from "./pidFiles.ts";

const MAIN = "main";

/**
 * One `weir start` a data folder. A pid left behind by a killed one is recognised by its command line.
 * Throws TerminalError `already_running`; returns the release.
 */
export function lockDataDir(dataDir: string): () => void {
  const pidFiles = new PidFiles(join(dataDir, "run"));
  const pid = pidFiles.read(MAIN);
  if (pid !== null && pid !== process.pid && runsRole(pid, "start")) {
    throw new TerminalError("already_running", `Weir is already running on ${dataDir} (process ${pid})`);
  }
  pidFiles.write(MAIN, process.pid);
  return () => pidFiles.remove(MAIN);
}
