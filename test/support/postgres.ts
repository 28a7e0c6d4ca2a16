import { spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SQL } from "bun";
import { freePort, HANG_MS, until } from "./processes.ts";

const VERSIONS = "/usr/lib/postgresql";
/** Where `scripts/setup --tests` puts it. */
const UNPACKED = new URL("../../.tools/postgresql/bin", import.meta.url).pathname;

/** The folder with PostgreSQL's programs, or null where it is not installed. */
export function findPostgres(): string | null {
  const inPath = Bun.which("initdb");
  const candidates = [
    ...(inPath === null ? [] : [join(inPath, "..")]),
    UNPACKED,
    ...(existsSync(VERSIONS) ? readdirSync(VERSIONS).map((version) => join(VERSIONS, version, "bin")) : []),
  ];
  return candidates.find((dir) => existsSync(join(dir, "initdb")) && existsSync(join(dir, "postgres"))) ?? null;
}

export interface PostgresServer {
  /** Of its first database. */
  url: string;
  /** Makes a fresh database and gives its URL. */
  createDatabase(): Promise<string>;
  port: number;
  /** One statement on a database, over a connection of its own. */
  ask(database: string, statement: string): Promise<Record<string, unknown>[]>;
  /** Ends it as it is, and keeps its data: SIGINT is its fast shutdown, which does not wait for clients. */
  end(signal: "SIGINT" | "SIGKILL"): Promise<void>;
  /** Starts it again on its data and its port. */
  startAgain(): Promise<void>;
  /** Ends it and removes its data. */
  stop(): Promise<void>;
}

/** A certificate for 127.0.0.1, its key, and the authority `ca.pem` that signed it. */
export const TLS_FILES = new URL("tls", import.meta.url).pathname;

/**
 * Starts an own server (loopback, free port, temporary folder that goes with it), PostgreSQL 15 or newer. `onlyTls`: it answers on all of
 * 127.0.0.0/8, and refuses connections without TLS. `order`: of texts, that of English as in many a database, or that of their bytes.
 * Throws when PostgreSQL is not installed: ask `findPostgres` first.
 */
export async function startPostgres({
  onlyTls = false,
  order = "english" as "english" | "bytes",
} = {}): Promise<PostgresServer> {
  const bin = findPostgres();
  if (bin === null) throw new Error("PostgreSQL is not installed");
  const dir = mkdtempSync(join(tmpdir(), "weir-postgres-"));
  const account = serverAccount();
  if (account !== null) chownSync(dir, account.uid, account.gid);
  const command = (...args: string[]) => [...(account?.prefix ?? []), ...args];
  const init = command(join(bin, "initdb"), "-D", dir, "-U", "weir", "-A", "trust", "-E", "UTF8", "--locale=C", "-N");
  if (order === "english") init.push("--locale-provider=icu", "--icu-locale=en-US");
  const made = spawnSync(init[0]!, init.slice(1), { cwd: "/", encoding: "utf8" });
  if (made.status !== 0) throw new Error(`initdb failed: ${made.stderr}`);
  const port = await freePort();
  const hosts = onlyTls ? "127.0.0.1,127.0.0.2" : "127.0.0.1";
  const options = ["-h", hosts, "-p", String(port), "-k", "", "-c", "fsync=off", "-c", "max_connections=150"];
  if (onlyTls) options.push(...allowOnlyTls(dir, account));
  const start = () =>
    Bun.spawn(command(join(bin, "postgres"), "-D", dir, ...options), { cwd: "/", stdout: "ignore", stderr: "ignore" });
  let child = start();
  const query = onlyTls ? `?sslmode=verify-full&sslrootcert=${join(TLS_FILES, "ca.pem")}` : "";
  const urlOf = (database: string) => `postgres://weir@127.0.0.1:${port}/${database}${query}`;
  const server: PostgresServer = {
    url: urlOf("postgres"),
    async createDatabase() {
      const name = `weir_${crypto.randomUUID().replaceAll("-", "")}`;
      await server.ask(server.url, `create database ${name}`);
      return urlOf(name);
    },
    port,
    async ask(database, statement) {
      const sql = new SQL(database, { max: 1 });
      try {
        return [...(await sql.unsafe(statement))] as Record<string, unknown>[];
      } finally {
        await sql.close();
      }
    },
    async end(signal) {
      child.kill(signal);
      await child.exited;
    },
    async startAgain() {
      // After a SIGKILL it refuses to start until the last of its processes has ended.
      await until("PostgreSQL to run", HANG_MS, async () => {
        child = start();
        return await Promise.race([untilReady(server.url).then(() => true), child.exited.then(() => false)]);
      });
    },
    async stop() {
      await server.end("SIGINT");
      rmSync(dir, { recursive: true, force: true });
    },
  };
  try {
    await untilReady(server.url);
  } catch (error) {
    await server.stop();
    throw error;
  }
  return server;
}

/** Gives the settings of a server that has its certificate in its folder. */
function allowOnlyTls(dir: string, account: ReturnType<typeof serverAccount>): string[] {
  for (const name of ["cert.pem", "key.pem"]) {
    copyFileSync(join(TLS_FILES, name), join(dir, name));
    chmodSync(join(dir, name), 0o600);
    if (account !== null) chownSync(join(dir, name), account.uid, account.gid);
  }
  writeFileSync(join(dir, "pg_hba.conf"), "hostssl all all 127.0.0.0/8 trust\n");
  return ["-c", "ssl=on", "-c", "ssl_cert_file=cert.pem", "-c", "ssl_key_file=key.pem"];
}

/** PostgreSQL refuses to run as root, so root hands over to an account without rights. */
function serverAccount(): { uid: number; gid: number; prefix: string[] } | null {
  if (process.getuid?.() !== 0) return null;
  for (const name of ["postgres", "nobody"]) {
    const entry = spawnSync("getent", ["passwd", name], { encoding: "utf8" }).stdout.split(":");
    const [uid, gid] = [Number(entry[2]), Number(entry[3])];
    if (!Number.isInteger(uid) || !Number.isInteger(gid)) continue;
    return { uid, gid, prefix: ["setpriv", `--reuid=${uid}`, `--regid=${gid}`, "--clear-groups"] };
  }
  throw new Error("root needs an account `postgres` or `nobody` to run PostgreSQL with");
}

async function untilReady(url: string): Promise<void> {
  const giveUpAt = Date.now() + HANG_MS;
  for (;;) {
    const sql = new SQL(url, { max: 1 });
    try {
      await sql`select 1`;
      return;
    } catch (error) {
      if (Date.now() > giveUpAt) throw error;
      await Bun.sleep(50);
    } finally {
      await sql.close();
    }
  }
}
