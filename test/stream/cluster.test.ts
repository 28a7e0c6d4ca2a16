import { expect, test } from "bun:test";
import { type Bus, connectBus, plainAddress } from "../../src/stream/mod.ts";
import { RetryableError } from "../../src/types/mod.ts";
import { NatsCluster } from "../support/natsCluster.ts";

const STREAMS = 12;
const MAX_BYTES = 1024 * 1024;

test("a cluster tells of one time of creation of a stream, also while it makes the copies", async () => {
  await using cluster = await NatsCluster.start();
  const open = (name: string) =>
    connectBus({ ...plainAddress(cluster.urlAt([cluster.portOf(name)])), replicas: cluster.names.length });
  const buses = await Promise.all(cluster.names.map(open));
  try {
    const all: { told: Set<string>; looks: Promise<void>[] }[] = [];
    for (let generation = 1; generation <= STREAMS; generation++) {
      const told = new Set<string>();
      let isMade = false;
      const looks = buses.map(async (bus) => {
        while (!isMade) await note(bus, generation, told);
      });
      all.push({ told, looks });
      const asked = { lane: "live", generation, maxBytes: MAX_BYTES } as const;
      told.add((await againWhileAway(() => buses[generation % buses.length]!.ensureStream(asked))).created);
      isMade = true;
    }
    // Some servers do not answer at such a moment: those that asked them wait for seconds.
    for (const { looks } of all) await Promise.all(looks);
    expect(all.map(({ told }) => told.size)).toEqual(all.map(() => 1));
  } finally {
    await Promise.all(buses.map((bus) => bus.close()));
  }
}, 120_000);

test("a cluster is told by its server where the address names one server alone", async () => {
  await using cluster = await NatsCluster.start();
  const [name] = cluster.names;
  const bus = await connectBus(cluster.urlAt([cluster.portOf(name!)]));
  try {
    expect(bus.isCluster).toBe(true);
  } finally {
    await bus.close();
  }
}, 120_000);

async function note(bus: Bus, generation: number, told: Set<string>): Promise<void> {
  const facts = await againWhileAway(() => bus.streamFacts("live", generation));
  if (facts !== null) told.add(facts.created);
  await Bun.sleep(1);
}

async function againWhileAway<T>(ask: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof RetryableError)) throw error;
      await Bun.sleep(1);
    }
  }
}
