import { existsSync } from "node:fs";
import { join } from "node:path";

const HERE = import.meta.dir;

/** The program of its process. */
export const CLICKHOUSE_SCRIPT = join(HERE, "engine.ts");

/** ClickHouse is a package of the bench's own: nothing else installs it. */
export function installClickHouse(): void {
  if (existsSync(join(HERE, "node_modules", "chdb"))) return;
  const run = Bun.spawnSync([process.execPath, "install", "--frozen-lockfile", "--ignore-scripts"], {
    cwd: HERE,
    stdout: "ignore",
    stderr: "inherit",
  });
  if (run.exitCode !== 0) throw new Error("chdb could not be installed");
}
