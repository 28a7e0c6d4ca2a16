import { describe, expect, test } from "bun:test";
import { jetstream, jetstreamManager } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import { type Bus, connectBus } from "../../src/stream/mod.ts";
import { until, withBroker } from "../support/broker.ts";
import { eventOf, MiB, makeStreams, PARTITIONS, PUBLISHER, readLane } from "./events.ts";

// Starts real servers; the limit only ends a hang.

/** Frames of one event each, all in one partition; gives that partition. */
async function publishFrames(bus: Bus, count: number, sizeBytes = 10, from = 0): Promise<void> {
  const publisher = bus.publisher({ ...PUBLISHER, frameMaxBytes: 1, frameLingerMs: 0 });
  const noise = (): string => Buffer.from(crypto.getRandomValues(new Uint8Array(sizeBytes))).toString("base64");
  const events = Array.from({ length: count }, (_, i) =>
    eventOf({ event: `${from + i}`, properties: JSON.stringify({ noise: noise() }) }),
  );
  await publisher.publish({ teamId: 1, lane: "live", events, dropped: {} });
  publisher.close();
}

const numbers = (count: number, from = 0): string[] => Array.from({ length: count }, (_, i) => `${from + i}`);

async function partitionInUse(bus: Bus): Promise<number> {
  const frames = await readLane(bus);
  return frames.findIndex((partition) => partition.length > 0);
}

/** A consumer like a reader's in its place, which has given the next frame to somebody else: for the reader it has passed that frame over. */
async function passOver(url: string, subject: string, publish: () => Promise<void>): Promise<void> {
  const { host, username } = new URL(url);
  const stranger = await connect({ servers: host, token: username });
  const jsm = await jetstreamManager(stranger);
  const ofSubject = async () =>
    (await jsm.consumers.list("WEIR_LIVE_g1").next()).filter(({ config }) => config.filter_subject === subject);
  // Those of readers that were closed go in a moment.
  await until(async () => (await ofSubject()).length === 1);
  const { name, config } = (await ofSubject())[0]!;
  await jsm.consumers.delete("WEIR_LIVE_g1", name);
  await jsm.consumers.add("WEIR_LIVE_g1", { ...config, name, opt_start_seq: 2 });
  await publish();
  const consumer = await jetstream(stranger).consumers.get("WEIR_LIVE_g1", name);
  expect((await consumer.next({ expires: 10_000 }))?.seq).toBe(2);
  await stranger.close();
}

describe("a frame reader", () => {
  test("stops asking when its buffer is full, and goes on in order as frames are dropped", async () => {
    await withBroker(async ({ bus }) => {
      await makeStreams(bus);
      await publishFrames(bus, 200, 40_000);
      const partition = await partitionInUse(bus);
      const maxBufferBytes = MiB;
      const reader = bus.reader({ lane: "live", generation: 1, partition, fromSequence: 1, maxBufferBytes });
      const read: string[] = [];
      let largest = 0;
      while (read.length < 200) {
        await until(() => reader.buffered.length > 0);
        // Lets it run into its limit.
        await Bun.sleep(10);
        largest = Math.max(
          largest,
          reader.buffered.reduce((sum, frame) => sum + frame.sizeBytes, 0),
        );
        if (read.length + reader.buffered.length < 200) expect(reader.caughtUp).toBe(false);
        const [first] = reader.buffered;
        read.push(...first!.decode().map((event) => event.event));
        reader.drop(first!.sequence);
        const rest = reader.buffered.slice(0, 9);
        read.push(...rest.flatMap((frame) => frame.decode().map((event) => event.event)));
        if (rest.length > 0) reader.drop(rest.at(-1)!.sequence);
      }
      expect(read).toEqual(numbers(200));
      expect(largest).toBeLessThanOrEqual(maxBufferBytes);
      expect(largest).toBeGreaterThan(maxBufferBytes / 2);
      await until(() => reader.caughtUp && reader.buffered.length === 0);
      reader.close();
    });
  });

  test("takes a frame that is larger than its whole buffer", async () => {
    await withBroker(async ({ bus }) => {
      await makeStreams(bus);
      await publishFrames(bus, 3, 200_000);
      const partition = await partitionInUse(bus);
      const reader = bus.reader({ lane: "live", generation: 1, partition, fromSequence: 1, maxBufferBytes: 1 });
      for (let i = 0; i < 3; i++) {
        await until(() => reader.buffered.length > 0);
        expect(reader.buffered.map((frame) => frame.decode()[0]!.event)).toEqual([`${i}`]);
        reader.drop(reader.buffered[0]!.sequence);
      }
      reader.close();
    });
  });

  test("begins where it is told, is told of new frames, and survives restarts of the broker without gap or copy", async () => {
    await withBroker(async ({ bus, broker }) => {
      await makeStreams(bus);
      await publishFrames(bus, 50);
      const partition = await partitionInUse(bus);
      const heard: string[] = [];
      const reader = bus.reader({
        lane: "live",
        generation: 1,
        partition,
        fromSequence: 21,
        maxBufferBytes: MiB,
        onFrame: (frame) => heard.push(...frame.decode().map((event) => event.event)),
      });
      for (let round = 0; round < 3; round++) {
        await until(() => reader.caughtUp && heard.length === 30 + round * 50);
        const { pid } = broker;
        process.kill(pid, "SIGKILL");
        await until(() => broker.pid !== pid && broker.isHealthy && bus.isConnected);
        await publishFrames(bus, 50, 10, 50 + round * 50);
      }
      await until(() => heard.length === 180);
      expect(heard).toEqual(numbers(180, 20));
      expect(reader.buffered.map((frame) => frame.sequence)).toEqual(Array.from({ length: 180 }, (_, i) => 21 + i));
      reader.close();
      expect(reader.buffered).toEqual([]);
    });
  });

  test("of a cluster does not believe a consumer that has passed a frame over", async () => {
    await withBroker(async ({ bus, url }) => {
      await makeStreams(bus);
      await publishFrames(bus, 1);
      const partition = await partitionInUse(bus);
      // Two addresses: for the reader it is a cluster.
      const clusterBus = await connectBus(`${url},${url}`);
      // Room for one frame, so that it asks for none meanwhile.
      const reader = clusterBus.reader({ lane: "live", generation: 1, partition, fromSequence: 1, maxBufferBytes: 1 });
      await until(() => reader.buffered.length === 1);
      await passOver(url, `events.live.g1.${partition}`, () => publishFrames(bus, 1, 10, 1));
      reader.drop(1);
      await until(() => reader.buffered.length === 1);
      expect(reader.buffered[0]!.decode()[0]!.event).toBe("1");
      await clusterBus.close();
    });
  });

  test("goes on with a new consumer when the broker loses its own", async () => {
    await withBroker(async ({ bus, url }) => {
      await makeStreams(bus);
      await publishFrames(bus, 5);
      const partition = await partitionInUse(bus);
      const reader = bus.reader({ lane: "live", generation: 1, partition, fromSequence: 1, maxBufferBytes: MiB });
      await until(() => reader.caughtUp);
      const { host, username } = new URL(url);
      const stranger = await connect({ servers: host, token: username });
      const jsm = await jetstreamManager(stranger);
      for (const consumer of await jsm.consumers.list("WEIR_LIVE_g1").next()) {
        await jsm.consumers.delete("WEIR_LIVE_g1", consumer.name);
      }
      await stranger.close();
      await publishFrames(bus, 5, 10, 5);
      await until(() => reader.buffered.length === 10);
      expect(reader.buffered.map((frame) => frame.decode()[0]!.event)).toEqual(numbers(10));
      reader.close();
    });
  });

  test("waits for a stream that does not exist yet, and passes over what was purged", async () => {
    await withBroker(async ({ bus }) => {
      const readers = Array.from({ length: PARTITIONS }, (_, partition) =>
        bus.reader({ lane: "live", generation: 1, partition, fromSequence: 1, maxBufferBytes: MiB }),
      );
      expect(readers.some((reader) => reader.caughtUp)).toBe(false);
      await makeStreams(bus);
      await until(() => readers.every((reader) => reader.caughtUp));
      await publishFrames(bus, 20);
      await until(() => readers.some((reader) => reader.buffered.length === 20));
      for (const reader of readers) reader.close();

      await bus.purge("live", 1, 11);
      expect((await readLane(bus)).flat().map((frame) => frame.sequence)).toEqual([
        11, 12, 13, 14, 15, 16, 17, 18, 19, 20,
      ]);
      expect(await bus.streamFacts("live", 1)).toMatchObject({ firstSequence: 11, lastSequence: 20, messages: 10 });
    });
  });

  test("reports a message that is no frame as corrupt, and reads on", async () => {
    await withBroker(async ({ bus, url }) => {
      await makeStreams(bus);
      await publishFrames(bus, 1);
      const partition = await partitionInUse(bus);
      const { connect } = await import("@nats-io/transport-node");
      const { host, username } = new URL(url);
      const stranger = await connect({ servers: host, token: username });
      stranger.publish(`events.live.g1.${partition}`, "hello");
      await stranger.drain();
      await publishFrames(bus, 1, 10, 1);
      const frames = (await readLane(bus))[partition]!;
      expect(frames).toHaveLength(3);
      expect(frames[0]!.decode()).toHaveLength(1);
      expect(() => frames[1]!.decode()).toThrow(expect.objectContaining({ code: "corrupt_frame" }));
      expect(frames[2]!.decode()).toHaveLength(1);
      expect(frames[2]!.storedAtMs).toBeGreaterThanOrEqual(frames[0]!.storedAtMs);
      expect(await bus.lastSequenceOf({ lane: "live", generation: 1, partition })).toBe(3);
      expect(await bus.lastSequenceOf({ lane: "history", generation: 1, partition })).toBe(0);
    });
  });
});
