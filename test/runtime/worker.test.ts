import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { join } from "node:path";
import type { Actor } from "../../actors/contract.ts";
import { ACTORS } from "../../actors/mod.ts";
import { type Catalog, Compactor, LocalStore } from "../../src/lake/mod.ts";
import { Fenced, realWorld, shareOf } from "../../src/runtime/mod.ts";
import { DAY_MS, RetryableError, TerminalError } from "../../src/types/mod.ts";
import { HANG_MS, until } from "../support/processes.ts";
import { event, Rig } from "./rig.ts";

describe("a worker", () => {
  let rig: Rig;
  beforeEach(async () => {
    rig = await Rig.open();
  });
  afterEach(() => rig.close());

  test("stores what is published, in order for each distinct_id, on both lanes", async () => {
    await rig.startWorker();
    for (let round = 0; round < 20; round++) {
      const batch = Array.from({ length: 50 }, (_, i) => event("tick", `person-${i % 7}`));
      await rig.publish(batch, round % 2 === 0 ? "live" : "history");
    }
    expect((await rig.settled(1000)).stored).toBe(1000);
    const rows = await rig.rows();
    expect(new Set(rows.map((row) => row.uuid)).size).toBe(1000);
    for (const lane of [0, 1]) {
      for (let person = 0; person < 7; person++) {
        const serials = rows.filter((r) => r.lane === lane && r.distinctId === `person-${person}`).map((r) => r.serial);
        expect(serials.length).toBeGreaterThan(60);
        expect(serials).toEqual(serials.toSorted((a, b) => a - b));
      }
    }
  });

  test("stores on while the clock of its machine is put back", async () => {
    let aheadMs = 2 * DAY_MS;
    await rig.startWorker({ world: { ...realWorld, nowMs: () => Date.now() + aheadMs } });
    await rig.publish([event("tick", "before")]);
    await rig.settled(1);
    aheadMs = 0;
    await rig.publish([event("tick", "after")]);
    expect((await rig.settled(2)).stored).toBe(2);
  });

  test("counts a resent event once: within a batch, later, across lanes, and after a restart", async () => {
    const first = await rig.startWorker();
    const original = Array.from({ length: 100 }, (_, i) => event("buy", `p${i}`));
    await rig.publish([...original, ...original.slice(0, 10)]);
    expect(await rig.settled(110)).toMatchObject({ stored: 100, duplicates: 10 });
    await rig.publish(original, "history");
    expect(await rig.settled(210)).toMatchObject({ stored: 100, duplicates: 110 });
    await rig.stopWorker(first);
    await rig.startWorker();
    await rig.publish(original);
    expect(await rig.settled(310)).toMatchObject({ stored: 100, duplicates: 210 });
    expect(await rig.rows()).toHaveLength(100);
  });

  test("lets history wait while its memory of keys is full, and goes on when compaction has made room", async () => {
    await rig.close();
    rig = await Rig.open({ WEIR_FLUSH_MAX_EVENTS: "50" });
    await rig.startWorker({ maxKeys: 200 });
    for (let batch = 0; batch < 12; batch++) {
      await rig.publish(
        Array.from({ length: 50 }, (_, i) => event("old", `person-${i}`)),
        "history",
      );
    }
    await rig.settled(200);
    await Bun.sleep(1_000);
    // Two flushes may have been under way when it became full.
    expect((await rig.settled(200)).stored).toBeLessThan(450);
    const compactor = new Compactor({
      config: { ...rig.config, compactFanout: 2, compactMs: 10 },
      catalog: rig.catalog,
      storage: new LocalStore(join(rig.dataDir, "lake")),
      holder: "test",
      log: () => {},
    });
    const compacting = compactor.run();
    expect((await rig.settled(600)).stored).toBe(600);
    compactor.stop();
    await compacting;
  });

  test("stores large events in small flushes, however little is left of them when they are packed", async () => {
    await rig.close();
    const flushMaxBytes = 4 * 2 ** 20;
    rig = await Rig.open({ WEIR_FLUSH_MAX_BYTES: String(flushMaxBytes) });
    const large = 900_000;
    for (let i = 0; i < 60; i++) {
      const properties = JSON.stringify({ serial: i, text: "lorem ipsum ".repeat(large / 12) });
      await rig.publish([{ ...event("large", `person-${i % 7}`), properties }]);
    }
    await rig.startWorker();
    expect((await rig.settled(60)).stored).toBe(60);
    const { added } = await rig.catalog.segmentChanges(0);
    const events = added.filter(({ kind }) => kind === "events");
    expect(events.reduce((sum, { rowCount }) => sum + rowCount, 0)).toBe(60);
    for (const { wideBytes } of events) expect(wideBytes).toBeLessThan(flushMaxBytes + 2 * large);
  });

  test("commits the warnings of a request once, whatever becomes of its events", async () => {
    const first = await rig.startWorker();
    const warnings = [{ type: "odd", details: { distinct_id: "p1", event: "buy" } }];
    const batch = { teamId: 1, lane: "live" as const, events: [event("buy", "p1")], dropped: {}, warnings };
    await rig.publisher.publish(batch);
    await rig.publisher.publish({ ...batch, warnings: [{ type: "other", details: {}, count: 3 }] });
    await rig.publisher.publish({ ...batch, events: [], dropped: { invalid_event: 1 } });
    await rig.settled(2);
    await rig.stopWorker(first);
    await rig.startWorker();
    await rig.publish([event("after")]);
    expect(await rig.settled(3)).toMatchObject({ stored: 2, duplicates: 1 });
    const { items: stored } = await rig.catalog.readWarnings(1, { limit: 10, offset: 0 });
    const total = (type: string) =>
      stored.filter((w) => w.type === type).reduce((sum, { occurrences }) => sum + occurrences, 0);
    expect([total("odd"), total("other")]).toEqual([2, 3]);
    expect(stored.find((w) => w.type === "odd")).toMatchObject({ source: "capture", details: warnings[0]!.details });
  });

  test("warns once of a merge that is refused, however often it is sent and by whomever it is worked off", async () => {
    const identify = (anon: string, user: string) => {
      return { ...event("$identify", user), properties: JSON.stringify({ $anon_distinct_id: anon }) };
    };
    const refused = [identify("u1", "u2"), identify("u1", "u3")];
    const first = await rig.startWorker();
    await rig.publish([identify("a", "u1")]);
    await rig.publish(refused);
    await rig.publish(refused);
    await rig.merged();
    await rig.stopWorker(first);
    await rig.startWorker();
    await rig.publish(refused);
    await rig.publish([identify("u1", "u2")]);
    await rig.merged();
    const { items } = await rig.catalog.readWarnings(1, { limit: 10, offset: 0 });
    const told = items.map(({ type, details, occurrences }) => [type, details.targetPersonDistinctId, occurrences]);
    expect(told.sort()).toEqual([
      ["cannot_merge_already_identified", "u2", 2],
      ["cannot_merge_already_identified", "u3", 1],
    ]);
  });

  test("counts what an actor leaves out under the cause that it gives, else as dropped by it", async () => {
    const choosy: Actor = {
      name: "choosy",
      step: (batch) => ({
        pass: batch.filter((at) => at.event.event !== "unwanted"),
        warnings: batch.map((at) => ({ at, type: "seen", details: {} })),
      }),
    };
    await rig.startWorker({ actors: [choosy, ...ACTORS] });
    const describe = (key: string) => {
      const properties = JSON.stringify({ $group_type: "company", $group_key: key });
      return { ...event("$groupidentify"), properties };
    };
    await rig.publish([describe("k".repeat(401)), event("unwanted"), describe("k".repeat(400)), event("buy")]);
    expect(await rig.settled(2)).toMatchObject({
      stored: 2,
      dropped: { group_key_too_long: 1, dropped_by_actor: 1 },
    });
    const { items } = await rig.catalog.readWarnings(1, { limit: 10, offset: 0 });
    expect(items.filter(({ source }) => source === "groups")).toMatchObject([{ type: "group_key_too_long" }]);
  });

  test("sets the event aside that an actor cannot take, and nothing else", async () => {
    const picky: Actor = {
      name: "picky",
      step(batch) {
        if (batch.some((at) => at.event.event === "poison")) throw new TerminalError("poison", "cannot take this");
        return { rows: [] };
      },
    };
    await rig.startWorker({ actors: [picky, ...ACTORS] });
    const good = Array.from({ length: 30 }, (_, i) => event("good", `p${i}`));
    await rig.publish([...good.slice(0, 17), event("poison", "p3"), ...good.slice(17)]);
    expect(await rig.settled(31)).toMatchObject({ stored: 30, deadLetters: 1 });
    const letters = await rig.db.read((tx) => tx`select reason, detail, event from dead_letters`);
    expect(letters).toHaveLength(1);
    expect(letters[0]).toMatchObject({ reason: "actor_failed", detail: "cannot take this" });
    expect(JSON.parse(letters[0].event)).toMatchObject({ event: "poison", distinctId: "p3" });
  });

  test("tries again what may pass later", async () => {
    let failures = 3;
    const moody: Actor = {
      name: "moody",
      step() {
        if (failures-- > 0) throw new RetryableError("moody", "not now");
        return { rows: [] };
      },
    };
    await rig.startWorker({ actors: [moody, ...ACTORS] });
    await rig.publish([event("patience")]);
    expect(await rig.settled(1)).toMatchObject({ stored: 1, deadLetters: 0 });
  });

  test("two workers share the partitions, and one takes over what the other leaves", async () => {
    const [one] = [await rig.startWorker({ id: "worker-a" }), await rig.startWorker({ id: "worker-b" })];
    const send = () => rig.publish(Array.from({ length: 200 }, (_, i) => event("shared", `p${i}`)));
    await send();
    await rig.settled(200);
    await rig.stopWorker(one);
    await send();
    expect(await rig.settled(400)).toMatchObject({ stored: 400, duplicates: 0, deadLetters: 0 });
    expect(new Set((await rig.rows()).map((row) => row.uuid)).size).toBe(400);
  });

  test("a worker that was passed by cannot commit: what it wrote is never seen", async () => {
    const gate = Promise.withResolvers<void>();
    const reached = Promise.withResolvers<void>();
    let held = false;
    const slow: Catalog = {
      ...rig.catalog,
      commit: async (facts) => {
        if (!held) {
          held = true;
          reached.resolve();
          await gate.promise;
        }
        return rig.catalog.commit(facts);
      },
    };
    await rig.startWorker({ id: "worker-slow", catalog: slow });
    await rig.publish(Array.from({ length: 40 }, (_, i) => event("raced", `p${i}`)));
    await reached.promise;
    // Another owner takes everything over while the first is about to commit.
    await rig.catalog.claim({ owner: "usurper", generation: 1, partitions: [0, 1, 2, 3] });
    gate.resolve();
    expect(await rig.settled(40)).toMatchObject({ stored: 40, duplicates: 0, deadLetters: 0 });
    expect(await rig.rows()).toHaveLength(40);
    expect(rig.log.some((line) => line.includes("lost a partition"))).toBe(true);
  });

  test("what another has claimed and given back is owned again, without an event that tells of it", async () => {
    const worker = await rig.startWorker();
    await until("its share", HANG_MS, () => worker.partitions.length === 4);
    const generation = 1;
    await rig.catalog.claim({ owner: "hasty", generation, partitions: [1, 2] });
    await rig.catalog.handOver({ owner: "hasty", generation, partitions: [1, 2], untouched: [] });
    await until("all partitions to have an owner", HANG_MS, async () => {
      const owners = (await rig.catalog.owners()).map(({ owner }) => owner);
      return new Set(owners).size === 1 && owners[0] !== null;
    });
    await rig.publish(Array.from({ length: 40 }, (_, i) => event("after", `user-${i}`)));
    await rig.settled(40);
  });

  test("what it loses by standing still ends it, at whatever step it stood", async () => {
    let standing = false;
    const catalog: Catalog = {
      ...rig.catalog,
      currentGeneration: async () => {
        const current = await rig.catalog.currentGeneration();
        if (standing) {
          standing = false;
          await rig.catalog.claim({ owner: "heir", generation: 1, partitions: [1, 2] });
          Bun.sleepSync(2 * rig.config.leaseTtlMs);
        }
        return current;
      },
    };
    const worker = await rig.startWorker({ catalog });
    await until("its share", HANG_MS, () => worker.partitions.length === 4);
    standing = true;
    await expect(rig.endOf(worker)).rejects.toBeInstanceOf(Fenced);
  });

  test("starts at rest do not add up to suspicion", async () => {
    for (let i = 0; i < 6; i++)
      await rig.catalog.claim({ owner: `dead-${i}`, generation: 1, partitions: [0, 1, 2, 3] });
    await rig.startWorker();
    const attempts = async () => {
      const rows = await rig.db.read((tx) => tx`select max(attempts) as most from positions`);
      return Number(rows[0].most);
    };
    for (const giveUpAt = Date.now() + 30_000; (await attempts()) > 0 && Date.now() < giveUpAt; ) await Bun.sleep(20);
    expect(await attempts()).toBe(0);
  });

  for (const happened of [true, false]) {
    test(`a commit whose outcome is unknown and which ${happened ? "happened" : "did not happen"} counts once`, async () => {
      let failures = 2;
      const forgetful: Catalog = {
        ...rig.catalog,
        commit: async (facts) => {
          if (failures-- <= 0) return rig.catalog.commit(facts);
          if (happened) await rig.catalog.commit(facts);
          throw new Error("connection lost");
        },
      };
      await rig.startWorker({ catalog: forgetful });
      await rig.publish(Array.from({ length: 25 }, (_, i) => event("unsure", `p${i}`)));
      expect(await rig.settled(25)).toMatchObject({ stored: 25, duplicates: 0, deadLetters: 0 });
      await rig.publish([event("after")]);
      expect(await rig.settled(26)).toMatchObject({ stored: 26 });
      expect(await rig.rows()).toHaveLength(26);
    });
  }
});

test("every partition belongs to exactly one member", () => {
  for (let members = 1; members <= 20; members++) {
    const ids = Array.from({ length: members }, (_, i) => `w${String(i).padStart(2, "0")}`);
    const all = ids.flatMap((id) => [...shareOf(id, ids, 16)]);
    expect(all.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 16 }, (_, i) => i));
  }
  expect(shareOf("stranger", ["w00"], 16).size).toBe(0);
});
