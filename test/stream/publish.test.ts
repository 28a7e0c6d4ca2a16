import { describe, expect, test } from "bun:test";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { partitionOf } from "../../src/stream/mod.ts";
import { type AcceptedEvent, MAX_EVENTS_PER_FRAME } from "../../src/types/mod.ts";
import { until, withBroker } from "../support/broker.ts";
import { eventOf, freeze, MiB, makeStreams, PARTITIONS, PUBLISHER, readEvents, readLane } from "./events.ts";

// Starts real servers; the limit only ends a hang.

const NO_DROPS = {};

/** Text that does not compress. */
function noise(bytes: number): string {
  return JSON.stringify({ noise: Buffer.from(crypto.getRandomValues(new Uint8Array(bytes))).toString("base64") });
}

function codeOf(promise: Promise<unknown>): Promise<string> {
  return promise.then(
    () => "none",
    (error: { code: string }) => error.code,
  );
}

describe("publishing", () => {
  test("brings every event to its partition, in order for each distinct_id, with the counts of its projects", async () => {
    await withBroker(async ({ bus }) => {
      await makeStreams(bus);
      const publisher = bus.publisher(PUBLISHER);
      const sent: AcceptedEvent[] = [];
      for (let round = 0; round < 5; round++) {
        const batches = [1, 2, 3].map((teamId) => ({
          teamId,
          lane: "live" as const,
          events: Array.from({ length: 200 }, (_, i) =>
            eventOf({ teamId, distinctId: `user ${i % 37}`, event: `${round}.${i}`, properties: noise(300) }),
          ),
          dropped: teamId === 2 ? { invalid_uuid: 1 } : NO_DROPS,
        }));
        for (const batch of batches) sent.push(...batch.events);
        await Promise.all(batches.map((batch) => publisher.publish(batch)));
      }
      expect(publisher.inflightBytes).toBe(0);

      const frames = await readLane(bus);
      const keyOf = (event: AcceptedEvent): string => `${event.teamId} ${event.distinctId}`;
      const read = frames.map((partition) => partition.flatMap((frame) => frame.decode()));
      read.forEach((events, partition) => {
        for (const e of events) expect(partitionOf(e.teamId, e.distinctId, PARTITIONS)).toBe(partition);
      });
      expect(Map.groupBy(read.flat(), keyOf)).toEqual(
        new Map([...Map.groupBy(read.flat(), keyOf).keys()].map((key) => [key, sent.filter((e) => keyOf(e) === key)])),
      );
      expect(read.flat()).toHaveLength(sent.length);

      const counts = frames.flat().flatMap((frame) => frame.counts);
      for (const teamId of [1, 2, 3]) {
        const own = counts.filter((count) => count.teamId === teamId);
        expect(own.reduce((sum, count) => sum + count.events, 0)).toBe(1000);
        expect(own.reduce((sum, count) => sum + (count.dropped.invalid_uuid ?? 0), 0)).toBe(teamId === 2 ? 5 : 0);
      }
      publisher.close();
      expect(await codeOf(publisher.publish({ teamId: 1, lane: "live", events: [eventOf()], dropped: {} }))).toBe(
        "broker_unavailable",
      );
    });
  });

  test("brings the warnings of a request once, with or without events, as far as they fit", async () => {
    await withBroker(async ({ bus }) => {
      await makeStreams(bus);
      const publisher = bus.publisher(PUBLISHER);
      const odd = { type: "odd", details: { text: 'héé 🎉 \u2028\r\n"\\', nested: { n: [1, null] } } };
      const events = Array.from({ length: 40 }, (_, i) => eventOf({ distinctId: `user ${i}` }));
      await publisher.publish({ teamId: 1, lane: "live", events, dropped: {}, warnings: [odd] });
      await publisher.publish({ teamId: 2, lane: "live", events: [], dropped: {}, warnings: [odd, odd] });
      const large = [5000, 1, 3900, 2].map((size) => ({ type: "large", details: { text: "x".repeat(size) } }));
      await publisher.publish({ teamId: 3, lane: "live", events: [], dropped: {}, warnings: large });

      const warnings = (await readLane(bus)).flat().flatMap((frame) => frame.warnings);
      const of = (teamId: number) => warnings.filter((warning) => warning.teamId === teamId);
      expect(of(1)).toEqual([{ teamId: 1, ...odd }]);
      expect(of(2)).toEqual([odd, odd].map((warning) => ({ teamId: 2, ...warning })));
      expect(of(3).map(({ details }) => String(details.text).length)).toEqual([1, 3900, 2]);
    });
  });

  test("splits what is larger than a frame, and lets one event be larger than that", async () => {
    await withBroker(async ({ bus }) => {
      await makeStreams(bus);
      const publisher = bus.publisher(PUBLISHER);
      const events = Array.from({ length: 40 }, (_, i) => eventOf({ properties: noise(i === 7 ? MiB : 4_000) }));
      await publisher.publish({ teamId: 1, lane: "history", events, dropped: {} });
      const frames = (await readLane(bus, "history")).flat();
      expect(frames.length).toBeGreaterThan(4);
      expect(frames.flatMap((frame) => frame.decode())).toEqual(events);
      expect(MAX_EVENTS_PER_FRAME).toBe(2 ** 20);
    });
  });

  test("of nothing but dropped events stores their counts in a frame without events", async () => {
    await withBroker(async ({ bus }) => {
      await makeStreams(bus);
      const publisher = bus.publisher(PUBLISHER);
      await publisher.publish({
        teamId: 7,
        lane: "live",
        events: [],
        dropped: { missing_distinct_id: 3, invalid_uuid: 0 },
      });
      await publisher.publish({ teamId: 7, lane: "live", events: [], dropped: {} });
      const frames = (await readLane(bus)).flat();
      expect(frames.map((frame) => [frame.counts, frame.decode()])).toEqual([
        [[{ teamId: 7, events: 0, dropped: { missing_distinct_id: 3 } }], []],
      ]);
    });
  });

  test("shares frames between requests that come together", async () => {
    await withBroker(async ({ bus }) => {
      await makeStreams(bus);
      const publisher = bus.publisher(PUBLISHER);
      const requests = Array.from({ length: 100 }, (_, i) => [eventOf({ distinctId: "ann", event: `${i}` })]);
      await Promise.all(requests.map((events) => publisher.publish({ teamId: 1, lane: "live", events, dropped: {} })));
      const frames = (await readLane(bus)).flat();
      expect(frames.length).toBeLessThan(5);
      expect(frames.flatMap((frame) => frame.decode())).toEqual(requests.flat());
    });
  });
});

describe("publishing fails", () => {
  test("with stream_full when there is no room, and works again once settled frames are purged", async () => {
    await withBroker(async ({ bus }) => {
      await makeStreams(bus, 2 * MiB);
      const publisher = bus.publisher(PUBLISHER);
      const publish = (): Promise<void> =>
        publisher.publish({ teamId: 1, lane: "live", events: [eventOf({ properties: noise(300_000) })], dropped: {} });
      let code = "none";
      let stored = 0;
      while (code === "none") {
        code = await codeOf(publish());
        if (code === "none") stored++;
      }
      expect(code).toBe("stream_full");
      expect(await readEvents(bus)).toHaveLength(stored);
      // The other lane has room of its own.
      await publisher.publish({ teamId: 1, lane: "history", events: [eventOf()], dropped: {} });
      await bus.purge("live", 1, stored + 1);
      await publish();
      expect(await readEvents(bus)).toHaveLength(1);
    });
  });

  test("at once with broker_unavailable while the broker is away", async () => {
    await withBroker(async ({ bus, broker }) => {
      await makeStreams(bus);
      const publisher = bus.publisher(PUBLISHER);
      await broker.stop();
      await until(() => !bus.isConnected);
      expect(await codeOf(publisher.publish({ teamId: 1, lane: "live", events: [eventOf()], dropped: {} }))).toBe(
        "broker_unavailable",
      );
      expect(publisher.inflightBytes).toBe(0);
    });
  });

  test("with broker_unavailable when there is no such stream", async () => {
    await withBroker(async ({ bus }) => {
      const publisher = bus.publisher(PUBLISHER);
      expect(await codeOf(publisher.publish({ teamId: 1, lane: "live", events: [eventOf()], dropped: {} }))).toBe(
        "broker_unavailable",
      );
    });
  });

  test("with publish_timeout when a broker hangs, together with what the same request has queued behind", async () => {
    await withBroker(async ({ bus, broker }) => {
      await makeStreams(bus);
      const publisher = bus.publisher({ ...PUBLISHER, publishTimeoutMs: 400 });
      const many = Array.from({ length: 30 }, () => eventOf({ properties: noise(8_000) }));
      await freeze(broker.pid);
      const big = codeOf(publisher.publish({ teamId: 1, lane: "live", events: many, dropped: {} }));
      const other = codeOf(publisher.publish({ teamId: 1, lane: "live", events: [eventOf()], dropped: {} }));
      expect(await Promise.all([big, other])).toEqual(["publish_timeout", "publish_timeout"]);
      expect(publisher.inflightBytes).toBe(0);
      process.kill(broker.pid, "SIGCONT");
      const after = eventOf();
      await publisher.publish({ teamId: 1, lane: "live", events: [after], dropped: {} });
      const read = await readEvents(bus);
      expect(read.at(-1)).toEqual(after);
      // Only the frame that was on its way may have been stored.
      expect(read.length).toBeLessThan(10);
    });
  });

  test("not, but waits after a reconnect until the streams have been looked at, and then sends what was under way", async () => {
    await withBroker(async ({ bus, broker }) => {
      await makeStreams(bus);
      const publisher = bus.publisher({ ...PUBLISHER, waitsForLook: true });
      const [lost, free] = [eventOf({ event: "under way" }), eventOf({ event: "of another publisher" })];
      const { pid } = broker;
      await freeze(pid);
      const held = publisher.publish({ teamId: 1, lane: "live", events: [lost], dropped: {} });
      process.kill(pid, "SIGKILL");
      await until(() => broker.pid !== pid && broker.isHealthy && bus.isConnected);
      // By the time that this one is stored, the other would have been.
      await bus.publisher(PUBLISHER).publish({ teamId: 1, lane: "live", events: [free], dropped: {} });
      expect((await readEvents(bus)).map((event) => event.event)).toEqual([free.event]);
      publisher.resume();
      await held;
      expect((await readEvents(bus)).map((event) => event.event).sort()).toEqual([free.event, lost.event]);
    });
  });

  test("when the broker calls the first copy of a frame a duplicate: it was not stored", async () => {
    await withBroker(async ({ bus }) => {
      await makeStreams(bus);
      const [first, second] = [0, 1].map(() => bus.publisher({ ...PUBLISHER, instanceId: "the-same" }));
      await first!.publish({ teamId: 1, lane: "live", events: [eventOf({ event: "first" })], dropped: {} });
      const again = second!.publish({ teamId: 1, lane: "live", events: [eventOf({ event: "second" })], dropped: {} });
      expect(await codeOf(again)).toBe("frame_refused");
      expect((await readEvents(bus)).map((event) => event.event)).toEqual(["first"]);
    });
  });

  test("for good with sequence_went_back when the stream counts anew", async () => {
    await withBroker(async ({ bus, broker, dataDir }) => {
      await makeStreams(bus);
      const publisher = bus.publisher(PUBLISHER);
      const publish = (): Promise<void> =>
        publisher.publish({
          teamId: 1,
          lane: "live",
          events: [eventOf({ distinctId: crypto.randomUUID() })],
          dropped: {},
        });
      for (let i = 0; i < 5; i++) await publish();
      process.kill(broker.pid, "SIGKILL");
      rmSync(join(dataDir, "nats", "store"), { recursive: true });
      await until(() => !bus.isConnected);
      await until(() => bus.isConnected);
      await makeStreams(bus);
      expect(await codeOf(publish())).toBe("sequence_went_back");
      for (let i = 0; i < 10; i++) expect(await codeOf(publish())).toBe("sequence_went_back");
      // The other lane had nothing acknowledged before.
      await publisher.publish({ teamId: 1, lane: "history", events: [eventOf()], dropped: {} });
    });
  });
});
