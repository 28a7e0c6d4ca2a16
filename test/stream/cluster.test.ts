import { expect, test } from "bun:test";
import { type Bus, connectBus, plainAddress } from "../../src/stream/mod.ts";
import { type AcceptedEvent, RetryableError } from "../../src/types/mod.ts";
import { NatsCluster } from "../support/natsCluster.ts";
import { HANG_MS, until } from "../support/processes.ts";
import { eventOf, makeStreams, PUBLISHER, readEvents } from "./events.ts";

const STREAMS = 12;
const MAX_BYTES = 1024 * 1024;
const ROOM_BYTES = 4 * MAX_BYTES;

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
});

test("a cluster is told by its server where the address names one server alone", async () => {
  await using cluster = await NatsCluster.start();
  const [name] = cluster.names;
  const bus = await connectBus(cluster.urlAt([cluster.portOf(name!)]));
  try {
    expect(bus.isCluster).toBe(true);
  } finally {
    await bus.close();
  }
});

test("a cluster that refuses the login says so, though its servers tell of each other", async () => {
  await using cluster = await NatsCluster.start();
  const ports = cluster.names.map((name) => cluster.portOf(name));
  await expect(connectBus(ports.map((port) => `nats://wrong@127.0.0.1:${port}`).join(","))).rejects.toMatchObject({
    code: "broker_unavailable",
    message: expect.stringMatching(/authorization violation/i),
  });
});

test("a cluster that is killed after frames were removed keeps all that wait", async () => {
  await using cluster = await NatsCluster.start();
  await using bus = await withStreams(cluster);
  const publisher = bus.publisher(PUBLISHER);
  const sent: AcceptedEvent[] = [];
  const publish = async (event: AcceptedEvent) => {
    await againWhileAway(() => publisher.publish(live(event)));
    sent.push(event);
  };
  for (let round = 0; round < 2; round++) {
    for (let i = 0; i < 40; i++) await publish(eventOf({ event: `${round}.${i}` }));
    const { firstSequence, lastSequence } = (await bus.streamFacts("live", 1))!;
    expect(await againWhileAway(() => bus.purge("live", 1, lastSequence - 19))).toBe(true);
    sent.splice(0, lastSequence - 19 - firstSequence);
    // What was done last is not done again, but what stands before it.
    for (let i = 0; i < 5; i++) await publish(eventOf({ event: `${round}, later ${i}` }));
    await Promise.all(cluster.names.map((name) => cluster.kill(name)));
    for (const name of cluster.names) cluster.startServer(name);
    await until("the cluster to be whole", HANG_MS, () => cluster.isWhole());
    await until("the connection", HANG_MS, () => bus.isConnected);
    let found = new Set<string>();
    // A new leader may answer before it has taken up the end of its log.
    await until("all that wait", HANG_MS, async () => {
      // The cluster may have taken a frame twice.
      found = new Set((await readEvents(bus)).map(({ uuid }) => uuid));
      return found.size >= sent.length;
    }).catch(() => {});
    expect([...found]).toEqual(sent.map(({ uuid }) => uuid));
  }
});

test("readers of a cluster leave no consumer behind, and begin while one of its servers is down", async () => {
  await using cluster = await NatsCluster.start();
  await using bus = await withStreams(cluster);
  const publisher = bus.publisher(PUBLISHER);
  const event = eventOf();
  await againWhileAway(() => publisher.publish(live(event)));
  expect(await readEvents(bus)).toEqual([event]);
  const consumers = () => cluster.consumersOf("WEIR_LIVE_g1").catch(() => "not known yet");
  await until("all consumers to be removed", HANG_MS, async () => (await consumers()) === 0);
  // Not its leader. It answers nothing, and nobody is told.
  const { leader } = await cluster.leaderOf("WEIR_LIVE_g1");
  const stopped = cluster.names.find((name) => name !== leader)!;
  cluster.signal(stopped, "SIGSTOP");
  // Each may be given to any server.
  for (let i = 0; i < 4; i++) expect(await readEvents(bus)).toEqual([event]);
});

test("a cluster is asked to remove no more than is there, and keeps the newest frame", async () => {
  await using cluster = await NatsCluster.start();
  await using bus = await withStreams(cluster);
  const publisher = bus.publisher(PUBLISHER);
  for (let i = 0; i < 5; i++) await againWhileAway(() => publisher.publish(live(eventOf())));
  // As two processes do that look after the streams.
  await Promise.all([bus.purge("live", 1, 3), bus.purge("live", 1, 4)]);
  expect(await bus.streamFacts("live", 1)).toMatchObject({ firstSequence: 4, messages: 2 });
  await bus.purge("live", 1, 1_000);
  expect(await bus.streamFacts("live", 1)).toMatchObject({ firstSequence: 5, messages: 1 });
  // More than one call does.
  const many = bus.publisher({ ...PUBLISHER, partitions: 64, frameLingerMs: 0 });
  const send = (distinctId: string) => againWhileAway(() => many.publish(live(eventOf({ distinctId }))));
  for (let i = 0; i < 50; i++) await Promise.all(Array.from({ length: 100 }, (_, k) => send(`${i}.${k}`)));
  const { lastSequence } = (await bus.streamFacts("live", 1))!;
  expect(lastSequence).toBeGreaterThan(2_000);
  while (!(await bus.purge("live", 1, lastSequence + 1)));
  expect(await bus.streamFacts("live", 1)).toMatchObject({ firstSequence: lastSequence, messages: 1 });
});

test("fronts leave a tenth of a cluster's stream free, so that no server ever refuses a frame for want of room", async () => {
  await using cluster = await NatsCluster.start();
  await using bus = await withStreams(cluster);
  const publisher = bus.publisher(PUBLISHER);
  const noise = () => JSON.stringify(Buffer.from(crypto.getRandomValues(new Uint8Array(30_000))).toString("base64"));
  const publish = () => publisher.publish(live(eventOf({ properties: `{"noise":${noise()}}` })));
  const code = () =>
    publish().then(
      () => "none",
      (error: RetryableError) => error.code,
    );
  await againWhileAway(publish);
  let last = "none";
  while (last === "none") last = await code();
  expect(last).toBe("stream_full");
  const { sizeBytes, lastSequence } = (await bus.streamFacts("live", 1))!;
  expect(sizeBytes).toBeGreaterThan(ROOM_BYTES * 0.85);
  expect(sizeBytes).toBeLessThan(ROOM_BYTES * 0.93);
  // The other lane has room of its own.
  await publisher.publish({ teamId: 1, lane: "history", events: [eventOf()], dropped: {} });
  // One that is gone is no reason to wait.
  await bus.deleteStream("overflow", 1);
  const lost = publisher.publish({ teamId: 1, lane: "overflow", events: [eventOf()], dropped: {} });
  expect(await lost.catch((error: RetryableError) => error.code)).toBe("broker_unavailable");
  await bus.purge("live", 1, lastSequence);
  await until("room to be seen", HANG_MS, async () => (await code()) === "none");
});

const live = (event: AcceptedEvent) => ({ teamId: 1, lane: "live" as const, events: [event], dropped: {} });

/** A connection to a cluster that has all streams, each with room for `ROOM_BYTES`. */
async function withStreams(cluster: NatsCluster): Promise<Bus & AsyncDisposable> {
  const bus = await connectBus({ ...plainAddress(cluster.url), replicas: cluster.names.length });
  await againWhileAway(() => makeStreams(bus, ROOM_BYTES));
  return Object.assign(bus, { [Symbol.asyncDispose]: () => bus.close() });
}

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
