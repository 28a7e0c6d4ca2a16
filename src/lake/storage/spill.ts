import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { ifMissing } from "../../types/mod.ts";

/** The folder inside a work folder. */
export const SPILL = "spill";

/** A folder of this process alone for what DuckDB spills. */
export function spillDirectory(workDirectory: string): string {
  return join(workDirectory, SPILL, `${process.pid}-${crypto.randomUUID().slice(0, 8)}`);
}

/** Removes what processes that are gone have left in their spill folders. */
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
