import { accessSync, constants } from "node:fs";
import { resolve } from "node:path";
import { TerminalError } from "../../types/mod.ts";

const REPOSITORY = resolve(import.meta.dir, "../../..");

/**
 * The nats-server binary: the path given, else the first of PATH, `.tools/nats-server` in the repository, /usr/sbin.
 * Throws TerminalError `nats_server_missing`.
 */
export function findNatsServer(explicitPath: string | null): string {
  if (explicitPath !== null) {
    if (isExecutable(explicitPath)) return explicitPath;
    throw new TerminalError("nats_server_missing", `WEIR_NATS_SERVER names ${explicitPath}, which is no program`);
  }
  const places = [Bun.which("nats-server"), resolve(REPOSITORY, ".tools/nats-server"), "/usr/sbin/nats-server"];
  const found = places.find((place) => place !== null && isExecutable(place));
  if (found) return found;
  throw new TerminalError(
    "nats_server_missing",
    "nats-server was not found. Install it (Debian and Ubuntu: apt-get install nats-server), set WEIR_NATS_SERVER to its path, or set NATS_URL to a running broker.",
  );
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
