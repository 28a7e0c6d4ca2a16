import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Config } from "../../config.ts";

/** The folder of an import: the one that was named, else below the data folder, else below the current folder. */
export function folderOf(id: string, given: string | undefined, config: Config): string {
  if (given !== undefined) return resolve(given);
  return join(existsSync(config.dataDir) ? join(config.dataDir, "imports") : resolve("weir-imports"), id);
}
