import { join } from "node:path";
import { weirOn } from "../commands/weirProcess.ts";
import { Random } from "../support/random.ts";
import { TEST_SEED } from "../support/seed.ts";
import { Cluster } from "./cluster.ts";
import { FAULTS, type Fault } from "./faults.ts";
import type { Tally } from "./reconciliation.ts";
import { type Recovery, Round } from "./round.ts";
import type { Seen } from "./watch.ts";

/** Of `weir lake verify`. */
const STRAY = / {2}stray: the catalog does not know it$/;

/** What one fault did. */
export interface FaultResult extends Tally, Seen {
  fault: string;
  /** How it was felt. */
  bitten: string;
  /** From its beginning; null where Weir waits for its end. */
  outlived: Recovery | null;
  /** From its end. */
  recovered: Recovery;
  /** Processes of Weir that ended by themselves, and how: they were started again. */
  ended: string[];
}

export interface FaultsReport {
  seed: number;
  processes: number;
  faults: FaultResult[];
  /** All rounds, compared again when all was over. */
  all: Tally;
  /** Times that Weir began anew with other streams: a cluster keeps what it has acknowledged, so there is no reason to. */
  generationsOpened: number;
  /** What `weir lake verify` says. */
  verified: string;
}

/**
 * One fault after the other on one cluster, each under load on a project of its own. `only`: those whose names have this text. Throws where a
 * fault is not felt, where Weir does not recover, and where persons, statuses or answers are not those of the accepted events.
 */
export async function runFaults({ only = "" }: { only?: string } = {}): Promise<FaultsReport> {
  const random = new Random(TEST_SEED);
  await using cluster = await Cluster.start();
  const generation = await cluster.generation();
  const rounds: Round[] = [];
  const faults: FaultResult[] = [];
  for (const fault of FAULTS.filter(({ name }) => name.includes(only))) {
    const round = await Round.begin(cluster, random);
    rounds.push(round);
    try {
      faults.push(await runFault(cluster, round, fault, random));
    } catch (error) {
      await cluster.describe();
      throw new Error(`${fault.name}: ${(error as Error).message}`, { cause: error });
    }
    console.error(JSON.stringify(faults.at(-1)));
  }
  const all = await rounds.reduce<Promise<Tally>>(
    async (sum, round) => added(await sum, await round.again()),
    Promise.resolve({ sent: 0, accepted: 0, stored: 0, lost: 0, twice: 0, foreign: 0, outOfOrder: 0, copies: 0 }),
  );
  const generationsOpened = (await cluster.generation()) - generation;
  return {
    seed: TEST_SEED,
    processes: cluster.members.length,
    faults,
    all,
    generationsOpened,
    verified: await verify(cluster),
  };
}

async function runFault(cluster: Cluster, round: Round, fault: Fault, random: Random): Promise<FaultResult> {
  const endsBefore = cluster.members.map(({ ends }) => ends.length);
  const times = await round.run(async () => {
    await round.steady();
    const beganAtMs = performance.now();
    const struck = await fault.strike(cluster, random);
    const outlive = fault.isOutlived ? round.probe(beganAtMs) : null;
    const [bitten, outlived] = await Promise.all([struck.bitten, outlive]);
    const endedAtMs = performance.now();
    await struck.end();
    const recovered = await round.probe(endedAtMs);
    await cluster.untilWhole();
    await round.steady();
    return { bitten, outlived, recovered };
  });
  const tally = await round.tally();
  const ended = cluster.members.flatMap(({ name, ends }, i) =>
    ends.slice(endsBefore[i]).map((how) => `${name}: ${how}`),
  );
  return { fault: fault.name, ...times, ...tally, ...round.seen, ended };
}

function added(a: Tally, b: Tally): Tally {
  const names = Object.keys(a) as (keyof Tally)[];
  return Object.fromEntries(names.map((name) => [name, a[name] + b[name]])) as unknown as Tally;
}

async function verify(cluster: Cluster): Promise<string> {
  const { folder, bucket } = cluster.parts;
  await bucket.untilStill();
  const { out, error, code } = await weirOn(
    join(folder, "verify"),
    ["lake", "verify"],
    await cluster.settingsOf("verify"),
  );
  const problems = (out + error).trim().split("\n");
  const summary = problems.pop() ?? "";
  if (code === 0) return summary;
  // An upload that was cut off may end after its segment was given up; Weir removes what no catalog knows when it is an hour old.
  if (problems.length > 0 && problems.every((line) => STRAY.test(line)))
    return `but for ${problems.length} strays 0 problems`;
  throw new Error(`weir lake verify ended with ${code}: ${out}${error}\n${await bucket.describe()}`);
}
