import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { weirOn } from "../commands/weirProcess.ts";
import { NatsCluster } from "../support/natsCluster.ts";
import { type PostgresServer, startPostgres } from "../support/postgres.ts";
import { freePort, HANG_MS, until } from "../support/processes.ts";
import { startWeir } from "../support/weir.ts";
import { BucketGateway } from "./bucketGateway.ts";
import { Callers } from "./callers.ts";
import { Member } from "./member.ts";
import { Network } from "./network.ts";

/** A front hands requests to the api process of its own machine; nothing else shares a folder. */
const MACHINES = ["a", "b"];
const ALONE = ["worker-0", "worker-1", "worker-2", "compactor-0", "compactor-1", "query-0", "query-1"];
export const WORKERS = ALONE.filter((name) => name.startsWith("worker-"));
const SETTINGS = {
  WEIR_STREAM_REPLICAS: "3",
  // Of a test machine.
  WEIR_DISK_MIN_FREE_BYTES: "0",
  // Merges of files happen within a round.
  WEIR_COMPACT_FANOUT: "4",
  MIMALLOC_PURGE_DELAY: "1000",
};
/** Background queries are for `weir query` alone. */
const OF_API = { WEIR_ALERTS: "0", WEIR_BACKGROUND_QUERIES: "0" };

interface Parts {
  folder: string;
  network: Network;
  brokers: NatsCluster;
  records: PostgresServer;
  database: string;
  bucket: BucketGateway;
}

/** Of a process, shown when something fails. */
const OUTPUT = 4_000;

/**
 * A Weir of many machines, on one: three nats-servers, PostgreSQL, an S3 server, two machines with a front and an api process, three workers,
 * two compactors, two query processes. Each has a folder of its own, and each way between them is a relay of `network`.
 */
export class Cluster implements AsyncDisposable {
  readonly members: Member[] = [];
  private readonly fronts: string[] = [];

  private constructor(readonly parts: Parts) {}

  static async start(): Promise<Cluster> {
    const folder = mkdtempSync(join(tmpdir(), "weir-faults-"));
    const network = new Network();
    const brokers = await NatsCluster.start({ routePort: (from, to, port) => network.way(from, to, port) });
    const records = await startPostgres();
    const bucket = await BucketGateway.start(join(folder, "bucket"));
    const database = await records.createDatabase();
    const cluster = new Cluster({ folder, network, brokers, records, database, bucket });
    try {
      await cluster.begin();
    } catch (error) {
      await cluster.describe();
      await cluster[Symbol.asyncDispose]();
      throw error;
    }
    return cluster;
  }

  member(name: string): Member {
    return this.members.find((member) => member.name === name)!;
  }

  /** Senders and readers that see a project of their own. */
  async callers(): Promise<Callers> {
    const { folder, database } = this.parts;
    const dataDir = join(folder, "nowhere");
    const callers = new Callers({ fronts: this.fronts, dataDir, env: { DATABASE_URL: database } });
    await callers.enterFreshProject();
    return callers;
  }

  /** Settings of a process at a place of its own in the network. */
  async settingsOf(name: string): Promise<Record<string, string>> {
    const { network, brokers, records, database, bucket } = this.parts;
    const ports: number[] = [];
    for (const broker of brokers.names) ports.push(await network.way(name, broker, brokers.portOf(broker)));
    const postgres = await network.way(name, "postgres", records.port);
    const url = new URL(database);
    url.port = String(postgres);
    return { ...SETTINGS, ...bucket.settings, NATS_URL: brokers.urlAt(ports), DATABASE_URL: url.href };
  }

  /** Waits until every process answers, every stream has all its copies, and every worker has partitions. */
  async untilWhole(): Promise<void> {
    const fronts = async () => {
      const answers = await Promise.all(this.fronts.map((url) => fetch(`${url}/_readiness`).catch(() => null)));
      return answers.every((answer) => answer?.status === 200);
    };
    await until("all processes to run", HANG_MS, () => this.members.every((member) => member.isRunning));
    await until("the fronts to be ready", HANG_MS, fronts);
    await until("all copies of the streams", HANG_MS, () => this.parts.brokers.isWhole(), 250);
    const haveWork = async () =>
      (await Promise.all(WORKERS.map((name) => this.partitionsOf(this.member(name).pid)))).every((n) => n > 0);
    await until("all workers to have partitions", HANG_MS, haveWork, 250);
  }

  /** The generation of streams that is open. */
  async generation(): Promise<number> {
    const [row] = await this.ask("select max(generation)::int as n from positions");
    return Number(row!.n);
  }

  async liveStream(): Promise<string> {
    return `WEIR_LIVE_g${await this.generation()}`;
  }

  /** How many partitions a process owns, by the records. */
  async partitionsOf(pid: number): Promise<number> {
    const [row] = await this.ask(`select count(*)::int as n from owners where owner like 'worker-${pid}-%'`);
    return Number(row!.n);
  }

  /** Shows the end of what each process has printed, and what `weir status` says. */
  async describe(): Promise<void> {
    for (const { name, output } of this.members) console.error(`--- ${name}\n${output.slice(-OUTPUT)}`);
    const { out, error } = await weirOn(this.parts.folder, ["status"], await this.settingsOf("status"));
    console.error(`--- weir status\n${out}${error}`);
  }

  private ask(statement: string): Promise<Record<string, unknown>[]> {
    return this.parts.records.ask(this.parts.database, statement);
  }

  private async begin(): Promise<void> {
    const { folder, brokers, database, bucket } = this.parts;
    const direct = { ...SETTINGS, ...bucket.settings, NATS_URL: brokers.url, DATABASE_URL: database };
    // Once: it makes records, streams and keys.
    const none = { ...OF_API, WEIR_WORKERS: "0", WEIR_EXPORTERS: "0" };
    const first = await startWeir({ dataDir: join(folder, "first"), env: { ...direct, ...none } });
    await first.stop();
    for (const machine of MACHINES) {
      const port = await freePort();
      this.fronts.push(`http://127.0.0.1:${port}`);
      await this.add(`front-${machine}`, "front", machine, { WEIR_PORT: String(port) });
      await this.add(`api-${machine}`, "api", machine, OF_API);
    }
    for (const name of ALONE) await this.add(name, name.split("-")[0]!, name, {});
    await this.untilWhole();
  }

  private async add(name: string, role: string, folder: string, env: Record<string, string>): Promise<void> {
    const dataDir = join(this.parts.folder, folder);
    mkdirSync(dataDir, { recursive: true });
    this.members.push(new Member({ name, role, dataDir, env: { ...(await this.settingsOf(name)), ...env } }));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const { folder, network, brokers, records, bucket } = this.parts;
    await Promise.all(this.members.map((member) => member.end("SIGKILL")));
    await brokers[Symbol.asyncDispose]();
    await records.stop();
    await bucket.close();
    await network.close();
    rmSync(folder, { recursive: true, force: true });
  }
}
