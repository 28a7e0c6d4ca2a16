import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { ifMissing } from "../../types/mod.ts";

/** The folder inside a work folder. */
export const SPILL = "spill";

/** A new folder of this process alone: for what DuckDB spills, and for other files that nothing has any use of after it. */
export function spillDirectory(workDirectory: string): string {
  return join(workDirectory, SPILL, `${process.pid}-${crypto.randomUUID().slice(0, 8)}`);
}

/** Removes the spill folders of processes that are gone. */
export async function sweepSpills(workDirectory: string): Promise<void> {
  for (const name of await readdir(join(workDirectory, SPILL)).catch(ifMissing<string[]>([]))) {
    if (isAlive(Number.parseInt(name, 10))) continue;
    await rm(join(workDirectory, SPILL, name), { recursive: true, force: true });
  }
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
