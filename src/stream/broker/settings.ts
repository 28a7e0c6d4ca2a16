import { randomBytes, randomInt } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { TerminalError } from "../../types/mod.ts";

const MiB = 1024 * 1024;
/** A client that has just started on a busy machine may take longer for its first words than the two seconds that nats-server gives it by itself. */
const LOGIN_TIMEOUT_S = 20;
const MAX_PAYLOAD_BYTES = 8 * MiB;
/** A reader that falls this far behind is cut off by the server. */
const MAX_PENDING_BYTES = 256 * MiB;
const PORT_TRIES = 100;
const PORT_MIN = 20_000;

/** Where the broker's files lie, and how to reach it. */
export interface BrokerSettings {
  configPath: string;
  pidPath: string;
  url: string;
}

/**
 * Writes the configuration of a broker in `<dataDir>/nats`. It listens on a free loopback port and asks for a token, so
 * that no other program on the machine writes into the streams. Both are those of the last start where the port is still
 * free: workers started by hand live through a restart of the main process, and must find the broker again.
 */
export function writeSettings(
  dataDir: string,
  { maxFileStoreBytes, syncAlways = false }: { maxFileStoreBytes: number; syncAlways?: boolean },
): BrokerSettings {
  const folder = join(dataDir, "nats");
  mkdirSync(folder, { recursive: true });
  const configPath = configPathOf(dataDir);
  const { port, token } = lastEndpoint(configPath) ?? { port: freePort(), token: randomBytes(16).toString("hex") };
  const settings = {
    server_name: "weir",
    listen: `127.0.0.1:${port}`,
    max_payload: MAX_PAYLOAD_BYTES,
    max_pending: MAX_PENDING_BYTES,
    authorization: { token, timeout: LOGIN_TIMEOUT_S },
    jetstream: {
      ...{ store_dir: join(folder, "store"), max_memory_store: 16 * MiB, max_file_store: maxFileStoreBytes },
      ...(syncAlways ? { sync_interval: "always" } : {}),
    },
  };
  // The server's format takes JSON.
  writeFileSync(configPath, `${JSON.stringify(settings, null, 2)}\n`, { mode: 0o600 });
  return { configPath, pidPath: pidPathOf(dataDir), url: `nats://${token}@127.0.0.1:${port}` };
}

/** Null when there was no start, its port is taken, or the file is not ours. */
function lastEndpoint(configPath: string): { port: number; token: string } | null {
  if (!existsSync(configPath)) return null;
  const [, port, token] =
    /"listen": "127\.0\.0\.1:(\d+)"[\s\S]*"token": "([0-9a-f]{32})"/.exec(readFileSync(configPath, "utf8")) ?? [];
  return port === undefined || token === undefined || !isFree(Number(port)) ? null : { port: Number(port), token };
}

const FREED_WITHIN_MS = 2_000;
const FREED_LOOK_MS = 20;

/** Waits until the port of the last start is free again, for a while: a process that ends may hold it a moment longer. */
export async function lastPortFreed(dataDir: string): Promise<void> {
  for (let waitedMs = 0; waitedMs < FREED_WITHIN_MS; waitedMs += FREED_LOOK_MS) {
    if (lastEndpoint(configPathOf(dataDir)) !== null) return;
    await Bun.sleep(FREED_LOOK_MS);
  }
}

export function configPathOf(dataDir: string): string {
  return join(dataDir, "nats", "nats-server.conf");
}

export function pidPathOf(dataDir: string): string {
  return join(dataDir, "nats", "nats-server.pid");
}

/**
 * A free port below the range from which the kernel takes outgoing ones: while the broker is down its clients dial
 * this port again and again, and one of their own outgoing sockets must not be given it.
 */
function freePort(): number {
  const below = Number(readFileSync("/proc/sys/net/ipv4/ip_local_port_range", "utf8").split(/\s+/)[0]);
  const [min, max] = below > PORT_MIN + PORT_TRIES ? [PORT_MIN, below] : [1024, 65_536];
  for (let i = 0; i < PORT_TRIES; i++) {
    const port = randomInt(min, max);
    if (isFree(port)) return port;
  }
  throw new TerminalError("no_free_port", `No free port between ${min} and ${max} on 127.0.0.1`);
}

function isFree(port: number): boolean {
  try {
    Bun.listen({ hostname: "127.0.0.1", port, socket: { data() {} } }).stop(true);
    return true;
  } catch {
    return false;
  }
}
