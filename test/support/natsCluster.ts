import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type JetStreamManager, jetstreamManager, type StreamInfo } from "@nats-io/jetstream";
import { connect, type NatsConnection } from "@nats-io/transport-node";
import { natsServerPath } from "./broker.ts";
import { freePort, HANG_MS, until } from "./processes.ts";

const GiB = 1024 ** 3;
const TOKEN = "cluster-test-token";

interface Server {
  name: string;
  port: number;
  config: string;
  store: string;
  process: Bun.Subprocess | null;
}

export interface NatsClusterOptions {
  size?: number;
  /** The port by which one server reaches another, whose own port is given; without it they reach each other directly. */
  routePort?: (from: string, to: string, port: number) => Promise<number>;
}

/** Nobody listens there: so no server finds a way to another one but those that `routePort` gives. */
const NOWHERE = "127.0.0.1:1";

/** Several nats-servers with JetStream that are one cluster, on loopback, in a temporary folder. */
export class NatsCluster {
  private constructor(
    private readonly folder: string,
    private readonly servers: Server[],
  ) {}

  /** Starts them and waits until they take streams. */
  static async start({ size = 3, routePort }: NatsClusterOptions = {}): Promise<NatsCluster> {
    const folder = mkdtempSync(join(tmpdir(), "weir-nats-cluster-"));
    const ports: { name: string; client: number; route: number }[] = [];
    for (let i = 0; i < size; i++) ports.push({ name: `n${i}`, client: await freePort(), route: await freePort() });
    const servers: Server[] = [];
    for (const { name, client, route } of ports) {
      const store = join(folder, name);
      mkdirSync(store);
      const routes: string[] = [];
      for (const to of ports) {
        if (to.name === name) continue;
        routes.push(`nats://127.0.0.1:${(await routePort?.(name, to.name, to.route)) ?? to.route}`);
      }
      const settings = {
        ...{ server_name: name, listen: `127.0.0.1:${client}`, max_payload: 8 * 1024 * 1024 },
        authorization: { token: TOKEN },
        jetstream: { store_dir: store, max_memory_store: GiB, max_file_store: 64 * GiB },
        cluster: {
          ...{ name: "test", listen: `127.0.0.1:${route}`, routes },
          ...(routePort && { advertise: NOWHERE, no_advertise: true }),
        },
      };
      const config = join(folder, `${name}.conf`);
      writeFileSync(config, JSON.stringify(settings));
      servers.push({ name, port: client, config, store, process: null });
    }
    const cluster = new NatsCluster(folder, servers);
    for (const { name } of servers) cluster.startServer(name);
    await until("the servers to take streams", HANG_MS, () => cluster.isUp());
    return cluster;
  }

  get url(): string {
    return this.urlAt(this.servers.map(({ port }) => port));
  }

  /** For a client that reaches the servers at ports of its own. */
  urlAt(ports: readonly number[]): string {
    return ports.map((port) => `nats://${TOKEN}@127.0.0.1:${port}`).join(",");
  }

  portOf(name: string): number {
    return this.of(name).port;
  }

  /** The folder of all that a server keeps. */
  storeOf(name: string): string {
    return this.of(name).store;
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

  /** The server that leads a stream, and how many others are not behind, as one of `asked` sees it: all when absent. */
  async leaderOf(stream: string, asked?: readonly string[]): Promise<{ leader: string; current: number }> {
    return stateOf(await this.withManager((jsm) => jsm.streams.info(stream), asked));
  }

  /** Whether every stream has a leader, and copies that are not behind on all other servers. */
  isWhole(): Promise<boolean> {
    return this.withManager(async (jsm) => {
      const streams = (await jsm.streams.list().next()).map(stateOf);
      return streams.every(({ leader, current }) => leader !== "" && current === this.servers.length - 1);
    }).catch(() => false);
  }

  /** The highest sequence of a stream. */
  lastSequenceOf(stream: string): Promise<number> {
    return this.withManager(async (jsm) => (await jsm.streams.info(stream)).state.last_seq);
  }

  /** How many consumers a stream has, on all servers. */
  consumersOf(stream: string): Promise<number> {
    return this.withManager(async (jsm) => (await jsm.consumers.list(stream).next()).length);
  }

  private withManager<T>(body: (jsm: JetStreamManager) => Promise<T>, asked?: readonly string[]): Promise<T> {
    return this.connected(async (nc) => body(await jetstreamManager(nc, { checkAPI: false, timeout: 5_000 })), asked);
  }

  /** Whether they have a leader, and streams find a place on all of them. */
  private isUp(): Promise<boolean> {
    return this.withManager(async (jsm) => {
      await jsm.streams.add({ name: "UP", subjects: ["up"], num_replicas: this.servers.length });
      return await jsm.streams.delete("UP");
    }).catch(() => false);
  }

  private async connected<T>(
    body: (nc: NatsConnection) => Promise<T>,
    asked: readonly string[] = this.names,
  ): Promise<T> {
    const servers = asked.map((name) => `127.0.0.1:${this.portOf(name)}`);
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

function stateOf({ cluster }: StreamInfo): { leader: string; current: number } {
  const current = cluster?.replicas?.filter(({ current, offline }) => current && offline !== true).length ?? 0;
  return { leader: cluster?.leader ?? "", current };
}
