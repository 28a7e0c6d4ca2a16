import { describe, expect, test } from "bun:test";
import { type Bus, connectBus } from "../../src/stream/mod.ts";
import { until, withBroker } from "../support/broker.ts";
import { freeze } from "./events.ts";

const TTL_MS = 900;

describe("members", () => {
  test("see each other come, leave and die", async () => {
    await withBroker(async ({ bus, url }) => {
      let changes = 0;
      const a = await bus.join({ memberId: "a", ttlMs: TTL_MS, onChange: () => changes++ });
      expect(a.members()).toEqual(["a"]);
      expect(a.isLost).toBe(false);
      const b = await bus.join({ memberId: "b", ttlMs: TTL_MS, onChange: () => {} });
      expect(b.members()).toEqual(["a", "b"]);
      await until(() => a.members().length === 2);
      expect(changes).toBe(1);
      await b.leave();
      await until(() => a.members().length === 1);

      const dying = await connectBus(url);
      await dying.join({ memberId: "c", ttlMs: TTL_MS, onChange: () => {} });
      await until(() => a.members().includes("c"));
      await dying.close();
      await until(() => !a.members().includes("c"));
      expect(a.members()).toEqual(["a"]);
      expect(changes).toBe(4);
      await a.leave();
    });
  });

  test("take out at once those that are known to have ended", async () => {
    await withBroker(async ({ bus }) => {
      const aDayMs = 24 * 60 * 60 * 1_000;
      let changes = 0;
      await bus.join({ memberId: "a", ttlMs: aDayMs, onChange: () => {} });
      const b = await bus.join({ memberId: "b", ttlMs: aDayMs, onChange: () => changes++ });
      expect(b.members()).toEqual(["a", "b"]);
      await b.expel(["a"]);
      expect(b.members()).toEqual(["b"]);
      expect(changes).toBe(1);
      const c = await bus.join({ memberId: "c", ttlMs: aDayMs, onChange: () => {} });
      expect(c.members()).toEqual(["b", "c"]);
    });
  });

  test("may be the first all at once", async () => {
    for (let round = 0; round < 5; round++) {
      await withBroker(async ({ url }) => {
        const buses = await Promise.all(Array.from({ length: 8 }, () => connectBus(url)));
        const join = (bus: Bus, i: number) => bus.join({ memberId: `m${i}`, ttlMs: TTL_MS, onChange: () => {} });
        const members = await Promise.all(buses.map(join));
        await until(() => members.every((member) => member.members().length === buses.length));
        await Promise.all(buses.map((bus) => bus.close()));
      });
    }
  });

  test("keep their last view while the broker is away, know that their lease is lost, and join again", async () => {
    await withBroker(async ({ bus, broker }) => {
      const seen: boolean[] = [];
      const a = await bus.join({ memberId: "a", ttlMs: TTL_MS, onChange: () => seen.push(a.isLost) });
      await bus.join({ memberId: "b", ttlMs: TTL_MS, onChange: () => {} });
      await until(() => a.members().length === 2);
      await freeze(broker.pid);
      await until(() => a.isLost && seen.at(-1) === true);
      expect(a.members()).toEqual(["a", "b"]);
      process.kill(broker.pid, "SIGCONT");
      await until(() => !a.isLost && seen.at(-1) === false);
      // It could know all the time.
      expect(a.losses).toBe(0);
      await until(() => a.members().length === 2);
      await a.leave();
    });
  });

  test("learn that they stood still for longer than their lease", async () => {
    await withBroker(async ({ bus }) => {
      const a = await bus.join({ memberId: "a", ttlMs: TTL_MS, onChange: () => {} });
      Bun.sleepSync(TTL_MS + 50);
      expect(a.isLost).toBe(true);
      expect(a.losses).toBe(1);
      await until(() => !a.isLost);
      expect(a.losses).toBe(1);
      await a.leave();
    });
  });

  test("survive a quick restart of the broker without anybody noticing", async () => {
    await withBroker(async ({ bus, broker }) => {
      let changes = 0;
      const a = await bus.join({ memberId: "a", ttlMs: 3_000, onChange: () => changes++ });
      const b = await bus.join({ memberId: "b", ttlMs: 3_000, onChange: () => {} });
      await until(() => a.members().length === 2);
      const { pid } = broker;
      process.kill(pid, "SIGKILL");
      await until(() => broker.pid !== pid && broker.isHealthy && bus.isConnected);
      const c = await bus.join({ memberId: "c", ttlMs: 3_000, onChange: () => {} });
      expect(c.members()).toEqual(["a", "b", "c"]);
      expect([a.isLost, b.isLost]).toEqual([false, false]);
      await until(() => a.members().length === 3);
      expect(changes).toBe(2);
      for (const member of [a, b, c]) await member.leave();
    });
  });

  test("need an id that can be part of a subject", async () => {
    await withBroker(async ({ bus }) => {
      const bad = bus.join({ memberId: "a.b", ttlMs: TTL_MS, onChange: () => {} });
      expect(await bad.catch((error) => error.code)).toBe("invalid_member_id");
    });
  });
});
