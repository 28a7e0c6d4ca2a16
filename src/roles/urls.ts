import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import type { Config } from "../config.ts";
import { type BrokerAddress, plainAddress } from "../stream/mod.ts";
import { TerminalError } from "../types/mod.ts";
import { paths } from "./paths.ts";

/** Of an address that means all addresses of this machine, one by which the machine reaches itself. */
const ANY_ADDRESS: Record<string, string> = { "0.0.0.0": "127.0.0.1", "::": "::1" };

/** A front answers at once. */
const ALIVE_MS = 2_000;

/** The URL by which this machine reaches a server that listens on this host and port. */
export function urlOf(host: string, port: number): string {
  const address = ANY_ADDRESS[host] ?? host;
  return `http://${address.includes(":") ? `[${address}]` : address}:${port}`;
}

/**
 * In a front: writes its URL into the data folder, for commands on this machine, unless another front there takes events already. Gives
 * the function that removes it.
 */
export async function tellFrontUrl(config: Config, port: number): Promise<() => void> {
  const path = paths(config).frontUrl;
  const url = urlOf(config.host, port);
  const told = readIfThere(path);
  if (told !== null && told !== url && (await isAlive(told))) return () => {};
  // Where the front is the first process on this folder.
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  writeFileSync(path, url, { mode: 0o600 });
  return () => {
    if (readIfThere(path) === url) rmSync(path, { force: true });
  };
}

function isAlive(front: string): Promise<boolean> {
  return fetch(`${front}/_liveness`, { signal: AbortSignal.timeout(ALIVE_MS) }).then(
    ({ ok }) => ok,
    () => false,
  );
}

/**
 * The URL of the front of this data folder. After a kill -9 the front may be gone, and another program may have its address.
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

/** Where the pages are: `WEIR_PUBLIC_URL`, else the front on this machine, running or not. Without a slash behind it. */
export function pagesUrl(config: Config): string {
  return config.publicUrl ?? readIfThere(paths(config).frontUrl) ?? urlOf(config.host, config.port);
}

/** The page that a login link opens. */
export function setupUrl(config: Config, token: string): string {
  return `${pagesUrl(config)}/setup/${token}`;
}

function readIfThere(path: string): string | null {
  try {
    return readFileSync(path, "utf8").trim();
  } catch {
    return null;
  }
}

/** The shared broker, or the one that `weir start` runs on this data folder. Throws TerminalError `no_broker`. */
export function brokerAddress(config: Config): BrokerAddress {
  const { natsUrl: url, streamReplicas, natsCa, natsCert, natsKey, natsCredentials } = config;
  if (url === null) return plainAddress(ownBrokerUrl(config));
  const files = { caFile: natsCa, certFile: natsCert, keyFile: natsKey, credentialsFile: natsCredentials };
  return { url, replicas: streamReplicas === 0 ? null : streamReplicas, ...files };
}

function ownBrokerUrl(config: Config): string {
  const file = paths(config).brokerUrl;
  if (!existsSync(file)) {
    throw new TerminalError(
      "no_broker",
      `No Weir is running on ${config.dataDir} (WEIR_DATA_DIR): run \`weir start\` first, or set NATS_URL.`,
    );
  }
  return readFileSync(file, "utf8").trim();
}
