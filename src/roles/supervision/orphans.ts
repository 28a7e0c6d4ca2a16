import { parentOf, RetryableError, untilEnded } from "../../types/mod.ts";
import { PidFiles, runsRole } from "./pidFiles.ts";

/** An orphan has noticed by itself that its supervisor is gone, and ends what it has in hand. */
const END_MS = 8_000;
const KILL_MS = 10_000;

/**
 * Waits for the processes that a killed `weir start` has left behind in this folder, while the broker that they hand over by still runs;
 * kills those that do not end. Throws RetryableError `orphan_remains`.
 */
export async function endOrphans(runDir: string, log: (message: string) => void): Promise<void> {
  const files = new PidFiles(runDir);
  await Promise.all(
    files.names().map(async (name) => {
      const pid = files.read(name);
      if (pid === null || !isOrphan(pid, name)) return;
      if (!(await untilEnded(pid, END_MS))) {
        log(`killing ${name} (${pid}) that an earlier start left behind`);
        process.kill(pid, "SIGKILL");
        if (!(await untilEnded(pid, KILL_MS)))
          throw new RetryableError("orphan_remains", `${name} (process ${pid}) of an earlier start cannot be stopped`);
      }
      files.remove(name);
    }),
  );
}

/** Numbers are used again: a process of another Weir has a supervisor above it that runs. */
function isOrphan(pid: number, name: string): boolean {
  if (pid === process.pid || !runsRole(pid, name.replace(/-\d+$/, ""))) return false;
  for (let above = parentOf(pid); above !== null && above > 0; above = parentOf(above)) {
    if (runsRole(above, "start")) return false;
  }
  return true;
}
