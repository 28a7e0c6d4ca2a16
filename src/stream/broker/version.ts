import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { TerminalError } from "../../types/mod.ts";

/** In the order of their importance. */
type Version = readonly [major: number, minor: number, patch: number];

/** Null where a program tells none: then it is no nats-server, and its start says more. */
export function versionOf(natsServerPath: string): Version | null {
  return parsed(Bun.spawnSync([natsServerPath, "--version"]).stdout.toString());
}

/**
 * Refuses a nats-server that is older than the one that wrote the folder last, and notes this one. 2.9.10 takes frames that 2.15.2
 * has purged for present ones, and no reader gets past them. Throws TerminalError `broker_too_old`.
 */
export function noteVersion(dataDir: string, natsServerPath: string): void {
  const version = versionOf(natsServerPath);
  if (version === null) return;
  const path = join(dataDir, "nats", "server-version");
  const last = existsSync(path) ? parsed(readFileSync(path, "utf8")) : null;
  if (last !== null && isOlder(version, last)) {
    throw new TerminalError(
      "broker_too_old",
      `nats-server ${last.join(".")} has written ${join(dataDir, "nats")}, and ${version.join(".")} (${natsServerPath}) would read it wrongly. Use ${last[0]}.${last[1]} or newer: put it on the PATH, or name it in WEIR_NATS_SERVER.`,
    );
  }
  writeFileSync(path, `${version.join(".")}\n`);
}

/** As for `sort`. */
export function compareVersions(one: Version, other: Version): number {
  return one[0] - other[0] || one[1] - other[1] || one[2] - other[2];
}

/** Patches of one minor version read each other's files. */
const isOlder = ([major, minor]: Version, last: Version): boolean => compareVersions([major, minor, last[2]], last) < 0;

function parsed(text: string): Version | null {
  const [, major, minor, patch] = /\bv?(\d+)\.(\d+)\.(\d+)/.exec(text) ?? [];
  return patch === undefined ? null : [Number(major), Number(minor), Number(patch)];
}
