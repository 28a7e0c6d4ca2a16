import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { jetstreamManager } from "@nats-io/jetstream";
import { connect, type NatsConnection } from "@nats-io/transport-node";
import { natsServerPath } from "./broker.ts";
import { freePort, until } from "./processes.ts";

const GiB = 1024 ** 3;
const READY_MS = 60_000;
const TOKEN = "cluster-test-token";

interface Server {
  name: string;
  port: number;
  config: string;
  process: Bun.Subprocess | null;
}

/** Several nats-servers with JetStream that are one cluster, on loopback, in a temporary folder. */
export class NatsCluster {
  private constructor(
    private readonly folder: string,
    private readonly servers: Server[],
  ) {}

  /** Starts them and waits until JetStream has a leader. */
  static async start(size = 3): Promise<NatsCluster> {
    const folder = mkdtempSync(join(tmpdir(), "weir-nats-cluster-"));
    const ports: { client: number; route: number }[] = [];
    for (let i = 0; i < size; i++) ports.push({ client: await freePort(), route: await freePort() });
    const routes = ports.map(({ route }) => `nats://127.0.0.1:${route}`);
    const servers = ports.map(({ client, route }, i): Server => {
      const name = `n${i}`;
      const store = join(folder, name);
      mkdirSync(store);
      const settings = {
        ...{ server_name: name, listen: `127.0.0.1:${client}`, max_payload: 8 * 1024 * 1024 },
        authorization: { token: TOKEN },
        jetstream: { store_dir: store, max_memory_store: GiB, max_file_store: 64 * GiB },
        cluster: { name: "test", listen: `127.0.0.1:${route}`, routes },
      };
      const config = join(folder, `${name}.conf`);
      writeFileSync(config, JSON.stringify(settings));
      return { name, port: client, config, process: null };
    });
    const cluster = new NatsCluster(folder, servers);
    for (const { name } of servers) cluster.startServer(name);
    await until("a leader of JetStream", READY_MS, () => cluster.isUp());
    return cluster;
  }

  get url(): string {
    return this.servers.map(({ port }) => `nats://${TOKEN}@127.0.0.1:${port}`).join(",");
  }

  get names(): string[] {
    return this.servers.map(({ name }) => name);
  }

  startServer(name: string): void {
    const server = this.of(name);
    server.process = Bun.spawn([natsServerPath(), "-c", server.config], { stdout: "ignore", stderr: "ignore" });
  }

  signal(name: string, signal: NodeJS.Signals): void {
    this.of(name).process!.kill(signal);
  }

  /** Without warning. */
  async kill(name: string): Promise<void> {
    this.signal(name, "SIGKILL");
    await this.of(name).process!.exited;
  }

  /** The server that leads a stream, and how many others are not behind. */
  leaderOf(stream: string): Promise<{ leader: string; current: number }> {
    return this.connected(async (nc) => {
      const { cluster } = await (await jetstreamManager(nc, { checkAPI: false })).streams.info(stream);
      const current = cluster?.replicas?.filter(({ current, offline }) => current && offline !== true).length ?? 0;
      return { leader: cluster?.leader ?? "", current };
    });
  }

  private isUp(): Promise<boolean> {
    return this.connected(async (nc) => {
      const answer = await nc.request("$JS.API.INFO", "", { timeout: 1_000 });
      return (answer.json() as { error?: unknown }).error === undefined;
    }).catch(() => false);
  }

  private async connected<T>(body: (nc: NatsConnection) => Promise<T>): Promise<T> {
    const servers = this.servers.map(({ port }) => `127.0.0.1:${port}`);
    const nc = await connect({ servers, token: TOKEN, timeout: 2_000, maxReconnectAttempts: 0 });
    try {
      return await body(nc);
    } finally {
      await nc.close();
    }
  }

  private of(name: string): Server {
    return this.servers.find((server) => server.name === name)!;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { process } of this.servers) {
      process?.kill("SIGCONT");
      process?.kill("SIGKILL");
      await process?.exited;
    }
    rmSync(this.folder, { recursive: true, force: true });
  }
}
