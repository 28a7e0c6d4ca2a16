import { readFileSync, rmSync, writeFileSync } from "node:fs";
import type { Config } from "../config.ts";
import { TerminalError } from "../types/mod.ts";
import { paths } from "./paths.ts";

/** An address to listen on that stands for all addresses of this machine, as one of them. */
const ANY_ADDRESS: Record<string, string> = { "0.0.0.0": "127.0.0.1", "::": "::1" };

/** Where this machine reaches a server that listens on this host and port. */
export function urlOf(host: string, port: number): string {
  const address = ANY_ADDRESS[host] ?? host;
  return `http://${address.includes(":") ? `[${address}]` : address}:${port}`;
}

/** In a front that listens: says so in the data folder, for commands on this machine; gives the end of that. */
export function tellFrontUrl(config: Config, port: number): () => void {
  const path = paths(config).frontUrl;
  const url = urlOf(config.host, port);
  writeFileSync(path, url, { mode: 0o600 });
  return () => {
    if (readIfThere(path) === url) rmSync(path, { force: true });
  };
}

/**
 * Where the front of this data folder listens; after a kill -9 it may be gone, and its address another program's.
 * Throws TerminalError `not_running`.
 */
export function frontUrl(config: Config): string {
  const url = readIfThere(paths(config).frontUrl);
  if (url !== null) return url;
  throw new TerminalError(
    "not_running",
    `No Weir is running on ${config.dataDir} (WEIR_DATA_DIR): run \`weir start\` first.`,
  );
}

function readIfThere(path: string): string | null {
  try {
    return readFileSync(path, "utf8").trim();
  } catch {
    return null;
  }
}
