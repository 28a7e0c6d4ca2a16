import { accessSync, constants } from "node:fs";
import { resolve } from "node:path";
import { TerminalError } from "../../types/mod.ts";
import { compareVersions, versionOf } from "./version.ts";

const REPOSITORY = resolve(import.meta.dir, "../../..");

/**
 * The nats-server binary: the path given, else the newest of PATH, `.tools/nats-server` in the repository, /usr/sbin; of several of
 * one version the first. Throws TerminalError `nats_server_missing`.
 */
export function findNatsServer(explicitPath: string | null): string {
  if (explicitPath !== null) {
    if (isExecutable(explicitPath)) return explicitPath;
    throw new TerminalError("nats_server_missing", `WEIR_NATS_SERVER names ${explicitPath}, which is no program`);
  }
  const places = [Bun.which("nats-server"), resolve(REPOSITORY, ".tools/nats-server"), "/usr/sbin/nats-server"];
  const found = [...new Set(places)].filter((place) => place !== null && isExecutable(place)) as string[];
  const [newest] = found.length > 1 ? byVersion(found) : found;
  if (newest !== undefined) return newest;
  throw new TerminalError(
    "nats_server_missing",
    "nats-server was not found. Install it (Debian and Ubuntu: apt-get install nats-server), set WEIR_NATS_SERVER to its path, or set NATS_URL to a running broker.",
  );
}

/** Newest first; a program that tells no version comes last. */
function byVersion(paths: readonly string[]): string[] {
  const versions = new Map(paths.map((path) => [path, versionOf(path) ?? ([0, 0, 0] as const)]));
  return paths.toSorted((a, b) => compareVersions(versions.get(b)!, versions.get(a)!));
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
