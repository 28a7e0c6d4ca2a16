import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { commandLineOf, notePid, TerminalError } from "../../types/mod.ts";

const ENDING = ".pid";

/** `<dataDir>/run/<name>.pid`: which processes of a Weir run. */
export class PidFiles {
  constructor(private readonly runDir: string) {
    mkdirSync(runDir, { recursive: true });
  }

  /** On a line, so that `cat` keeps the numbers of several files apart. */
  write(name: string, pid: number): void {
    writeFileSync(this.pathOf(name), `${pid}\n`);
  }

  /** The same of a process that works without its file where there is no room. */
  note(name: string, pid: number, log: (message: string) => void): void {
    notePid(this.pathOf(name), pid, log);
  }

  remove(name: string): void {
    rmSync(this.pathOf(name), { force: true });
  }

  /** The process that a file names, or null. It may have ended. */
  read(name: string): number | null {
    try {
      const pid = Number(readFileSync(this.pathOf(name), "utf8"));
      return Number.isSafeInteger(pid) && pid > 0 ? pid : null;
    } catch {
      return null;
    }
  }

  names(): string[] {
    return readdirSync(this.runDir)
      .filter((file) => file.endsWith(ENDING))
      .map((file) => file.slice(0, -ENDING.length));
  }

  private pathOf(name: string): string {
    return join(this.runDir, name + ENDING);
  }
}

/** From the sources, or built. */
const MAIN_SCRIPT = /(^|\/)main\.[jt]s$/;

/** Whether the process with this number runs this role of Weir. Numbers are used again, so the command line decides. */
export function runsRole(pid: number, role: string): boolean {
  const words = commandLineOf(pid);
  return words.some((word) => MAIN_SCRIPT.test(word)) && words.includes(role);
}

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
