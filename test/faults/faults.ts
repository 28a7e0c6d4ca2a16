import { cpSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { isRunning, isStopped, until } from "../support/processes.ts";
import type { Random } from "../support/random.ts";
import type { BucketFault } from "./bucketGateway.ts";
import { type Cluster, WORKERS } from "./cluster.ts";

const BITE_MS = 60_000;
/** Requests that a fault of the bucket meets, uploads among them, and how long it lasts: longer than a request is tried again by itself. */
const MET = 12;
const MET_UPLOADS = 3;
const BUCKET_MS = 12_000;
const AWAY_MS = 3_000;

/** A fault that has begun. */
interface Struck {
  /** That it is felt, in words; rejects when it is not. */
  bitten: Promise<string>;
  end(): Promise<void>;
}

export interface Fault {
  name: string;
  /** Whether Weir goes on while it lasts: then that is what is timed first. */
  isOutlived: boolean;
  strike(cluster: Cluster, random: Random): Promise<Struck>;
}

/** In their order: the copy that is put back is one that an earlier fault has left. */
export const FAULTS: readonly Fault[] = [
  { name: "the stream's leader is killed", isOutlived: true, strike: killLeader },
  { name: "one nats-server is cut off from all", isOutlived: true, strike: cutOffLeader },
  { name: "a worker is cut off from NATS", isOutlived: true, strike: cutOffWorker },
  { name: "a worker is paused beyond its lease", isOutlived: true, strike: pauseWorker },
  { name: "a nats-server gets back an older copy of its store", isOutlived: true, strike: putBackStore },
  { name: "PostgreSQL is restarted", isOutlived: false, strike: restartRecords },
  bucketFault("S3 answers 503", "busy"),
  { ...bucketFault("S3 is slow", "slow"), isOutlived: true },
  bucketFault("S3 ends uploads and downloads half-way", "cut off"),
  bucketFault("S3 is full", "full"),
  { name: "everything is killed at once", isOutlived: false, strike: killAll },
];

/** Stores of nats-servers as they once were, each in a folder with the server's name. */
const olderCopies = ({ parts: { folder } }: Cluster) => join(folder, "older");

/** What it has on disk then is the older copy of a later fault. */
async function killLeader(cluster: Cluster): Promise<Struck> {
  const { brokers } = cluster.parts;
  const live = await cluster.liveStream();
  const { leader } = await brokers.leaderOf(live);
  await brokers.kill(leader);
  const others = brokers.names.filter((name) => name !== leader);
  cpSync(brokers.storeOf(leader), join(olderCopies(cluster), leader), { recursive: true });
  return {
    bitten: newLeader(brokers, { live, former: leader, others }),
    end: async () => brokers.startServer(leader),
  };
}

async function cutOffLeader(cluster: Cluster): Promise<Struck> {
  const { brokers, network } = cluster.parts;
  const live = await cluster.liveStream();
  const { leader } = await brokers.leaderOf(live);
  const others = brokers.names.filter((name) => name !== leader);
  const ways = network.of(leader);
  for (const relay of ways) relay.stall();
  return {
    bitten: newLeader(brokers, { live, former: leader, others }),
    async end() {
      for (const relay of ways) relay.heal();
    },
  };
}

async function newLeader(
  brokers: Cluster["parts"]["brokers"],
  { live, former, others }: { live: string; former: string; others: readonly string[] },
): Promise<string> {
  const leader = await until("another leader", BITE_MS, async () => {
    const { leader } = await brokers.leaderOf(live, others).catch(() => ({ leader: "" }));
    return leader !== former && leader !== "" ? leader : null;
  });
  return `${leader} leads in place of ${former}`;
}

async function cutOffWorker(cluster: Cluster, random: Random): Promise<Struck> {
  const { brokers, network } = cluster.parts;
  const name = random.pick(WORKERS);
  const { pid } = cluster.member(name);
  const ways = network.of(name, brokers.names);
  for (const relay of ways) relay.stall();
  return {
    bitten: partitionsLost(cluster, pid),
    async end() {
      for (const relay of ways) relay.heal();
    },
  };
}

async function pauseWorker(cluster: Cluster, random: Random): Promise<Struck> {
  const member = cluster.member(random.pick(WORKERS));
  const { pid } = member;
  member.signal("SIGSTOP");
  await until("it to stand still", BITE_MS, () => isStopped(pid));
  return {
    bitten: partitionsLost(cluster, pid),
    end: async () => member.signal("SIGCONT"),
  };
}

/** Of a worker's process, which goes on or not. */
async function partitionsLost(cluster: Cluster, pid: number): Promise<string> {
  const before = await cluster.partitionsOf(pid);
  if (before === 0) throw new Error("it had no partitions");
  await until("others to take its partitions", BITE_MS, async () => (await cluster.partitionsOf(pid)) === 0);
  return `others own its ${before} partitions`;
}

/** The server was killed and starts again at once, with less than it has acknowledged. */
async function putBackStore(cluster: Cluster): Promise<Struck> {
  const { brokers } = cluster.parts;
  const [victim] = readdirSync(olderCopies(cluster));
  if (victim === undefined) throw new Error("there is no older copy of a store");
  await brokers.kill(victim);
  const store = brokers.storeOf(victim);
  const [had, has] = [newestChange(store), newestChange(join(olderCopies(cluster), victim))];
  rmSync(store, { recursive: true });
  cpSync(join(olderCopies(cluster), victim), store, { recursive: true });
  brokers.startServer(victim);
  const seconds = Math.round((had - has) / 1_000);
  if (seconds < 1) throw new Error("the copy is no older");
  return { bitten: Promise.resolve(`${victim} lacks its last ${seconds} s`), end: async () => {} };
}

/** When a file of a store was last written. */
function newestChange(store: string): number {
  const files = readdirSync(store, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return Math.max(...files.map(({ parentPath, name }) => statSync(join(parentPath, name)).mtimeMs));
}

async function restartRecords({ parts: { records } }: Cluster): Promise<Struck> {
  await records.end("SIGINT");
  const bitten = async () => {
    await Bun.sleep(AWAY_MS);
    const isAway = await records.ask(records.url, "select 1").then(
      () => false,
      () => true,
    );
    if (!isAway) throw new Error("PostgreSQL still answers");
    return `nobody listened for ${AWAY_MS / 1_000} s`;
  };
  return { bitten: bitten(), end: () => records.startAgain() };
}

function bucketFault(name: string, fault: BucketFault): Fault {
  const strike = async ({ parts: { bucket } }: Cluster): Promise<Struck> => {
    bucket.set(fault);
    const bitten = async () => {
      await Bun.sleep(BUCKET_MS);
      const met = () => Object.values(bucket.met).reduce((sum, n) => sum + n, 0);
      await until("requests to meet it", BITE_MS, () => met() >= MET && (bucket.met.PUT ?? 0) >= MET_UPLOADS);
      return `${met()} requests met it, ${bucket.met.PUT} uploads`;
    };
    return { bitten: bitten(), end: async () => bucket.set(null) };
  };
  return { name, isOutlived: false, strike };
}

/** As when a machine loses power and all comes back at once, in no order. */
async function killAll({ parts: { brokers, records, bucket }, members }: Cluster): Promise<Struck> {
  const pids = members.map(({ pid }) => pid);
  await Promise.all([
    ...members.map((member) => member.end("SIGKILL")),
    ...brokers.names.map((name) => brokers.kill(name)),
    records.end("SIGKILL"),
    bucket.killServer(),
  ]);
  const left = pids.filter(isRunning);
  if (left.length > 0) throw new Error(`${left.length} processes run on`);
  return {
    bitten: Promise.resolve(`${pids.length} processes of Weir, ${brokers.names.length} of NATS, PostgreSQL and S3`),
    async end() {
      for (const name of brokers.names) brokers.startServer(name);
      for (const member of members) member.startAgain();
      await Promise.all([records.startAgain(), bucket.startServer()]);
    },
  };
}
