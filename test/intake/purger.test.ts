import { afterEach, beforeEach, expect, setSystemTime, test } from "bun:test";
import { Purger } from "../../src/intake/purger.ts";
import { DAY_MS, LANES } from "../../src/types/mod.ts";
import { event, Rig } from "../runtime/rig.ts";
import { HANG_MS, until } from "../support/processes.ts";

let rig: Rig;
beforeEach(async () => {
  rig = await Rig.open();
});
afterEach(() => rig.close());

test("settled frames are purged one look later, what is not settled stays, and idle partitions hold nothing up", async () => {
  const queue = await rig.bus.queue({ generation: 1, lanes: LANES, fromSequence: () => 0 });
  const purger = new Purger({ bus: rig.bus, catalog: rig.catalog, queue, generation: 1 }, 0);
  const messages = async () => (await rig.bus.streamFacts("live", 1))!.messages;

  // One distinct_id: three of the four partitions never see a frame.
  const worker = await rig.startWorker();
  for (let i = 0; i < 5; i++) await rig.publish([event("purged", "only-one")]);
  await rig.settled(5);
  await rig.stopWorker(worker);
  for (let i = 0; i < 3; i++) await rig.publish([event("kept", `p${i}`)]);
  expect(await messages()).toBe(8);

  await purger.look();
  expect(await messages()).toBe(8);
  await purger.look();
  expect(await messages()).toBe(3);
  await purger.look();
  expect(await messages()).toBe(3);

  await rig.startWorker();
  expect(await rig.settled(8)).toMatchObject({ stored: 8, duplicates: 0 });
  queue.close();
});

test("frames are purged while the clock of the machine is put back", async () => {
  const queue = await rig.bus.queue({ generation: 1, lanes: LANES, fromSequence: () => 0 });
  const purger = new Purger({ bus: rig.bus, catalog: rig.catalog, queue, generation: 1 }, 1);
  await rig.startWorker();
  await rig.publish([event("purged", "only-one")]);
  await rig.settled(1);
  setSystemTime(new Date(Date.now() + DAY_MS));
  const looked = purger.look();
  setSystemTime();
  await looked;
  await until("the frame to be purged", HANG_MS, async () => {
    await purger.look();
    return (await rig.bus.streamFacts("live", 1))!.messages === 0;
  });
  queue.close();
});

test("in a cluster a frame that the queue reader has passed over stays until a worker has settled it", async () => {
  const queue = await rig.bus.queue({ generation: 1, lanes: LANES, fromSequence: () => 0 });
  // It says that everything is settled.
  const blind = { catchUp: () => queue.catchUp(), lowestUnsettled: () => Number.MAX_SAFE_INTEGER };
  const { bus, catalog } = rig;
  const cluster = {
    isCluster: true,
    streamFacts: bus.streamFacts.bind(bus),
    nextSequenceOf: bus.nextSequenceOf.bind(bus),
    purge: bus.purge.bind(bus),
  };
  const purger = new Purger({ bus: cluster, catalog, queue: blind, generation: 1 }, 0);
  const worker = await rig.startWorker();
  for (let i = 0; i < 5; i++) await rig.publish([event("settled", `p${i}`)]);
  await rig.settled(5);
  await rig.stopWorker(worker);
  for (let i = 0; i < 3; i++) await rig.publish([event("waits", `p${i}`)]);
  for (let i = 0; i < 3; i++) await purger.look();
  expect(await bus.streamFacts("live", 1)).toMatchObject({ firstSequence: 6, messages: 3 });
  await rig.startWorker();
  expect(await rig.settled(8)).toMatchObject({ stored: 8, duplicates: 0 });
  await purger.look();
  expect((await bus.streamFacts("live", 1))!.messages).toBe(0);
  queue.close();
});
