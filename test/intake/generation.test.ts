import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { checkGeneration } from "../../src/intake/generation.ts";
import { inTurns } from "../../src/intake/mergeTurns.ts";
import { streamName } from "../../src/stream/mod.ts";
import { LANES } from "../../src/types/mod.ts";
import { loseStream } from "../runtime/loseStream.ts";
import { event, Rig } from "../runtime/rig.ts";

let rig: Rig;
beforeEach(async () => {
  rig = await Rig.open();
});
afterEach(() => rig.close());

async function reopen(): Promise<number> {
  for (const giveUpAt = Date.now() + 30_000; Date.now() < giveUpAt; await Bun.sleep(50)) {
    const check = await checkGeneration(rig.bus, rig.catalog, rig.config);
    if (check.state === "draining") continue;
    rig.publisher = rig.bus.publisher({ ...rig.config, ...check.open, inTurns });
    return check.open.generation;
  }
  throw new Error("the generation was never drained");
}

test("a start on unchanged streams goes on with the same generation", async () => {
  await rig.startWorker();
  await rig.publish([event("a")]);
  await rig.settled(1);
  expect(await reopen()).toBe(1);
});

test("a stream made anew opens the next generation; what the other lane holds is drained first", async () => {
  const first = await rig.startWorker();
  await rig.publish(Array.from({ length: 30 }, (_, i) => event("before", `p${i}`)));
  await rig.settled(30);
  await rig.stopWorker(first);
  await rig.publish(
    Array.from({ length: 20 }, (_, i) => event("waiting", `p${i}`)),
    "history",
  );
  await loseStream(rig.broker.url, streamName("live", 1));

  expect((await checkGeneration(rig.bus, rig.catalog, rig.config)).state).toBe("draining");
  await rig.startWorker();
  expect(await reopen()).toBe(2);
  expect((await rig.catalog.settledCounts(1, 2)).stored).toBe(50);

  await rig.publish(Array.from({ length: 10 }, (_, i) => event("after", `p${i}`)));
  expect(await rig.settled(60, 2)).toMatchObject({ stored: 60, duplicates: 0 });
});

test("fronts that open the next generation at once open one, and what is given up takes nothing in any more", async () => {
  const worker = await rig.startWorker();
  await rig.publish([event("before")]);
  await rig.settled(1);
  const late = rig.publisher;
  await loseStream(rig.broker.url, streamName("history", 1));
  await rig.stopWorker(worker);
  await rig.publish([event("waiting")]);
  expect((await checkGeneration(rig.bus, rig.catalog, rig.config)).state).toBe("draining");
  const refused = late.publish({ teamId: 1, lane: "live", events: [event("late")], dropped: {} });
  expect(refused).rejects.toMatchObject({ code: "frame_refused" });
  await refused.catch(() => {});

  await rig.startWorker();
  // The broker counts the room of a stream twice while two make it; a front looks again then.
  const fronts = [1, 2, 3].map(() => reopen().catch(() => reopen()));
  const opened = await Promise.all(fronts);
  expect(opened).toEqual([2, 2, 2]);
  expect((await rig.catalog.currentGeneration())?.generation).toBe(2);
  await rig.publish([event("after")]);
  expect(await rig.settled(3, 2)).toMatchObject({ stored: 3, duplicates: 0 });
});

describe("a server of a cluster that has not caught up yet", () => {
  /** The first `denials` questions after a stream get no stream. */
  function behind(denials: number): Parameters<typeof checkGeneration>[0] {
    const { bus } = rig;
    let asked = 0;
    return {
      isCluster: true,
      streamFacts: async (lane, generation) => (asked++ < denials ? null : await bus.streamFacts(lane, generation)),
      ensureStream: (o) => bus.ensureStream(o),
      lastSequenceOf: (o) => bus.lastSequenceOf(o),
      sealStream: (lane, generation) => bus.sealStream(lane, generation),
      deleteStream: (lane, generation) => bus.deleteStream(lane, generation),
    };
  }

  test("does not end a generation", async () => {
    const check = await checkGeneration(behind(3), rig.catalog, rig.config);
    expect(check).toMatchObject({ state: "open", open: { generation: 1 } });
  });

  test("does not end one that is drained and holds frames", async () => {
    await rig.publish([event("waiting")]);
    await rig.catalog.drainGeneration(1);
    expect(await checkGeneration(behind(LANES.length), rig.catalog, rig.config)).toEqual({ state: "draining" });
    await rig.startWorker();
    await rig.settled(1);
  });

  test("is believed when it goes on", async () => {
    expect(await checkGeneration(behind(Number.POSITIVE_INFINITY), rig.catalog, rig.config)).toMatchObject({
      state: "open",
      open: { generation: 2 },
    });
  });
});

test("duplicates are found across generations", async () => {
  const worker = await rig.startWorker();
  const events = Array.from({ length: 30 }, (_, i) => event("again", `p${i}`));
  await rig.publish(events);
  await rig.settled(30);
  await loseStream(rig.broker.url, streamName("live", 1));
  await loseStream(rig.broker.url, streamName("history", 1));
  expect(await reopen()).toBe(2);
  await rig.publish(events);
  expect(await rig.settled(60, 2)).toMatchObject({ stored: 30, duplicates: 30 });
  await rig.stopWorker(worker);
});
