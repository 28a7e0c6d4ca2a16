import { expect, test } from "bun:test";
import { streamName } from "../../src/stream/mod.ts";
import { Relay } from "../faults/relay.ts";
import { NatsCluster } from "../support/natsCluster.ts";
import { HANG_MS, until } from "../support/processes.ts";
import { Random } from "../support/random.ts";
import { TEST_SEED } from "../support/seed.ts";
import { startWeir, type Weir } from "../support/weir.ts";
import { Client } from "./chaos/client.ts";
import { Ledger, type SentEvent } from "./chaos/ledger.ts";
import { People } from "./chaos/people.ts";
import { expectPeople, expectStoredOnce } from "./chaos/reconcile.ts";

const CLIENTS = 3;
const PROBES = 96;

test("three servers of NATS lose one, then another is cut off: all that was accepted is stored once, in order", async () => {
  await using cluster = await NatsCluster.start();
  await using weir = await startWeir({ env: { NATS_URL: cluster.url, WEIR_STREAM_REPLICAS: "3", WEIR_WORKERS: "2" } });
  const leaderOfLive = () => cluster.leaderOf(streamName("live", 1));
  const random = new Random(TEST_SEED);
  const ledger = new Ledger();
  const people = new People();
  let over = false;
  const clients = Array.from(
    { length: CLIENTS },
    (_, i) => new Client(weir, `c${i}`, random.int(0, 2 ** 31), ledger, people),
  );
  const load = Promise.all(clients.map((client) => client.run(() => over)));
  const disturb = async () => {
    await probe(weir, ledger, "begin");
    // Not the one that leads: after it the other faults would find two servers.
    const killed = (await leaderOfLive()).leader;
    expect(cluster.names).toContain(killed);
    await cluster.kill(killed);
    await probe(weir, ledger, "one is dead");
    cluster.startServer(killed);
    await until("all to be up to date", HANG_MS, async () => (await leaderOfLive().catch(() => null))?.current === 2);
    const cutOff = (await leaderOfLive()).leader;
    cluster.signal(cutOff, "SIGSTOP");
    await probe(weir, ledger, "one is cut off");
    cluster.signal(cutOff, "SIGCONT");
    await probe(weir, ledger, "end");
  };
  await Promise.race([disturb(), load]).finally(() => {
    over = true;
  });
  await load;
  expect(ledger.accepted.size).toBeGreaterThan(4 * PROBES);
  await expectStoredOnce(weir, ledger);
  await expectPeople(weir, people);
});

test("a frame that a cluster has twice counts once, also where the server made the uuid", async () => {
  await using cluster = await NatsCluster.start();
  const relay = await Relay.to(cluster.portOf(cluster.names[0]!));
  try {
    const env = { NATS_URL: cluster.urlAt([relay.port]), WEIR_STREAM_REPLICAS: "3", WEIR_WORKERS: "1" };
    await using weir = await startWeir({ env });
    const stored = () => cluster.lastSequenceOf(streamName("live", 1));
    // After this one the front knows what room there is, and asks only now and then.
    expect((await weir.capture({ event: "first", distinct_id: "ann" })).status).toBe(200);
    const before = await stored();
    relay.holdAnswers();
    const answer = weir.capture({ event: "sent once", distinct_id: "ann" });
    await until("the frame to be stored", HANG_MS, async () => (await stored()) === before + 1);
    // The acknowledgement is lost with the connection.
    relay.cut();
    relay.heal();
    expect((await answer).status).toBe(200);
    expect(await weir.waitStored()).toMatchObject({ accepted: 3, stored: 2, duplicates: 1 });
    expect(await weir.number("SELECT count() FROM events WHERE event = 'sent once'")).toBe(1);
  } finally {
    await relay.close();
  }
});

/** Events of all partitions that are sent now become visible. */
async function probe(weir: Weir, ledger: Ledger, name: string): Promise<void> {
  const beganAtMs = performance.now();
  const events: SentEvent[] = Array.from({ length: PROBES }, (_, i) => ({
    ...{ uuid: crypto.randomUUID(), event: name, distinct_id: `probe-${i}`, timestamp: new Date().toISOString() },
    properties: { serial: Math.round(beganAtMs) },
  }));
  await weir.deliver(events, { onTry: () => ledger.onTry(events) });
  ledger.onAnswered(events);
  const acceptedMs = Math.round(performance.now() - beganAtMs);
  await until(`"${name}" to be queryable`, HANG_MS, async () => {
    return (await weir.number(`SELECT count() FROM events WHERE event = '${name}'`).catch(() => 0)) === PROBES;
  });
  console.log(JSON.stringify({ cluster: name, acceptedMs, storedMs: Math.round(performance.now() - beganAtMs) }));
}
