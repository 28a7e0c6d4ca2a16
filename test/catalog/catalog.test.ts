import { expect, test } from "bun:test";
import type { Commit } from "../../src/lake/catalog/types.ts";
import { commitOf } from "../support/commits.ts";
import { onEveryStore } from "./everyStore.ts";

onEveryStore("catalog", (of) => {
  test("a claim raises the epoch, and the older owner's commit is refused whole", async () => {
    const [first] = await of.catalog.claim({ owner: "a", generation: 1, partitions: [0] });
    const [second] = await of.catalog.claim({ owner: "b", generation: 1, partitions: [0] });
    expect(second!.epoch.epoch).toBe(first!.epoch.epoch + 1);

    const move = { lane: "live" as const, partition: 0, from: 0, to: 7, lastMs: 0 };
    const counts = [{ teamId: 1, stored: 0, duplicates: 3, dropped: {} }];
    const stale = commitOf({ epochs: [first!.epoch], moves: [move], counts });
    await expect(of.catalog.commit(stale)).rejects.toMatchObject({ code: "commit_refused" });
    expect(await of.catalog.isCommitted(stale.id)).toBe(false);
    expect((await of.catalog.settledCounts(1, 1)).duplicates).toBe(0);

    const good = commitOf({ epochs: [second!.epoch], moves: [move], counts });
    await of.catalog.commit(good);
    expect(await of.catalog.isCommitted(good.id)).toBe(true);
    const settled = await of.catalog.settledCounts(1, 1);
    expect(settled.duplicates).toBe(3);
    expect(settled.positions).toContainEqual({ lane: "live", partition: 0, position: 7 });
  });

  test("a position moves from exactly where the owner found it, once", async () => {
    const [claim] = await of.catalog.claim({ owner: "c", generation: 1, partitions: [1] });
    const moves = [{ lane: "live" as const, partition: 1, from: 0, to: 4, lastMs: 0 }];
    const counts = [{ teamId: 2, stored: 0, duplicates: 2, dropped: { invalid_uuid: 3 } }];
    const once = commitOf({ epochs: [claim!.epoch], moves, counts });
    await of.catalog.commit(once);
    await expect(of.catalog.commit(once)).rejects.toMatchObject({ code: "commit_refused" });
    const settled = await of.catalog.settledCounts(2, 1);
    expect(settled).toMatchObject({ stored: 0, duplicates: 2, dropped: { invalid_uuid: 3 }, deadLetters: 0 });
  });

  test("a commit that breaks a rule of its own is refused whole, and says which", async () => {
    const [claim] = await of.catalog.claim({ owner: "r", generation: 1, partitions: [1] });
    const position = claim!.positions.find((p) => p.lane === "history")!.position;
    const move = {
      lane: "history" as const,
      partition: claim!.epoch.partition,
      from: position,
      to: position + 1,
      lastMs: 0,
    };
    const wrong: [Partial<Commit>, string][] = [
      [{ counts: [{ teamId: 3, stored: 1, duplicates: 0, dropped: {} }] }, "counts 1 events as stored and has 0"],
      [{ moves: [{ ...move, to: position - 1 }] }, "moves back"],
      [{ moves: [move], epochs: [] }, "without an epoch"],
      [{ moves: [move, move] }, "twice"],
    ];
    for (const [part, rule] of wrong) {
      const refused = of.catalog.commit(commitOf({ epochs: [claim!.epoch], ...part }));
      await expect(refused).rejects.toMatchObject({ code: "assertion_failed", message: expect.stringContaining(rule) });
    }
    await of.catalog.commit(commitOf({ epochs: [claim!.epoch], moves: [move] }));
  });

  test("attempts and the event in hand are known to the next owner, and a commit clears them", async () => {
    const [begun] = await of.catalog.claim({ owner: "a", generation: 1, partitions: [0] });
    let { epoch } = begun!;
    const takeInHand = (ordinal: number) => of.catalog.takeInHand({ generation: 1, lane: "history", epoch, ordinal });
    await takeInHand(42);
    const byNextOwner = async () => {
      const [claim] = await of.catalog.claim({ owner: "b", generation: 1, partitions: [0] });
      epoch = claim!.epoch;
      return { claim, history: claim!.positions.find((p) => p.lane === "history")! };
    };
    // Two deaths while it was tried may be chance; so may be another event's.
    const first = await byNextOwner();
    expect(first.history.poisoned).toEqual([]);
    expect(first.history.attempts).toBeGreaterThan(1);
    for (const ordinal of [41, 42]) {
      await takeInHand(ordinal);
      expect((await byNextOwner()).history.poisoned).toEqual([]);
    }
    await takeInHand(42);
    const { claim, history } = await byNextOwner();
    expect(history.poisoned).toEqual([42]);
    const moves = [{ lane: "history" as const, partition: 0, from: 0, to: 1, lastMs: 0 }];
    await of.catalog.commit(commitOf({ epochs: [claim!.epoch], moves }));
    const [next] = await of.catalog.claim({ owner: "c", generation: 1, partitions: [0] });
    expect(next!.positions.find((p) => p.lane === "history")).toMatchObject({
      attempts: 1,
      poisoned: [],
      position: 1,
    });
  });

  test("an owner that has lost its partition puts nothing into the hand of the next one, and takes nothing out of it", async () => {
    const place = { generation: 1, lane: "history" as const };
    const claimBy = async (owner: string) => (await of.catalog.claim({ owner, generation: 1, partitions: [0] }))[0]!;
    const { epoch: lost } = await claimBy("a");
    for (const _ of Array(3)) {
      const { epoch } = await claimBy("b");
      await of.catalog.takeInHand({ ...place, epoch, ordinal: 7 });
      for (const ordinal of [8, null]) {
        const late = of.catalog.takeInHand({ ...place, epoch: lost, ordinal });
        await expect(late).rejects.toMatchObject({ code: "commit_refused" });
      }
    }
    const { positions } = await claimBy("c");
    expect(positions.find(({ lane }) => lane === "history")!.poisoned).toEqual([7]);
  });

  test("what a living owner hands over is free, and nothing in it is suspected", async () => {
    const [first] = await of.catalog.claim({ owner: "a", generation: 1, partitions: [0] });
    const before = first!.positions.find((p) => p.lane === "live")!.attempts;
    await of.catalog.takeInHand({ generation: 1, lane: "live", epoch: first!.epoch, ordinal: 42 });
    const untouched = first!.positions.map(({ lane }) => ({ lane, epoch: first!.epoch }));
    const given = { owner: "a", generation: 1, partitions: [0], untouched };
    await of.catalog.handOver(given);
    expect((await of.catalog.owners()).find(({ partition }) => partition === 0)).toMatchObject({ owner: null });
    const [second] = await of.catalog.claim({ owner: "b", generation: 1, partitions: [0] });
    const live = { attempts: before, poisoned: [] };
    expect(second!.positions.find((p) => p.lane === "live")).toMatchObject(live);
    // It is b's now.
    await of.catalog.handOver(given);
    expect((await of.catalog.owners()).find(({ partition }) => partition === 0)).toMatchObject({ owner: "b" });
    const [third] = await of.catalog.claim({ owner: "c", generation: 1, partitions: [0] });
    expect(third!.positions.find((p) => p.lane === "live")).toMatchObject({ ...live, attempts: before + 1 });
  });

  test("concurrent commits of one owner's position: exactly one wins", async () => {
    const [claim] = await of.catalog.claim({ owner: "a", generation: 1, partitions: [1] });
    const from = claim!.positions.find((p) => p.lane === "live")!.position;
    const tries = Array.from({ length: 10 }, () =>
      of.catalog
        .commit(
          commitOf({
            epochs: [claim!.epoch],
            moves: [{ lane: "live", partition: 1, from, to: from + 1, lastMs: 0 }],
            counts: [{ teamId: 51, stored: 0, duplicates: 1, dropped: {} }],
          }),
        )
        .then(
          () => 1,
          () => 0,
        ),
    );
    const won = (await Promise.all(tries)).reduce<number>((a, b) => a + b, 0);
    expect(won).toBe(1);
    expect((await of.catalog.settledCounts(51, 1)).duplicates).toBe(1);
  });

  test("of an event that is warned of once a copy is not counted, at once and later", async () => {
    const atMs = Date.now();
    const warning = (teamId: number, onceUuid: string) => {
      return { teamId, type: "refused", key: "a", details: {}, source: "identity", atMs, onceUuid };
    };
    const commitWarnings = (warnings: Commit["warnings"]) => of.catalog.commit(commitOf({ warnings }));
    const total = async (teamId: number) =>
      (await of.catalog.readWarnings(teamId, { limit: 10, offset: 0 })).items.map(({ occurrences }) => occurrences);
    await commitWarnings([warning(65, "x"), warning(65, "x"), warning(65, "y"), warning(66, "x")]);
    await commitWarnings([warning(65, "x"), warning(66, "x"), warning(66, "z")]);
    await commitWarnings([warning(65, "y")]);
    expect([await total(65), await total(66)]).toEqual([[2], [2]]);
  });

  test("equal warnings of an hour are counted, and what a project keeps is bounded", async () => {
    const hour = 3_600_000;
    const base = Math.floor(Date.now() / hour) * hour;
    const warning = (teamId: number, key: string, atMs: number, n = 0) => ({
      teamId,
      type: "message_size_too_large",
      key,
      details: { n },
      source: "capture",
      atMs,
    });
    const commitWarnings = (warnings: Commit["warnings"]) => of.catalog.commit(commitOf({ warnings }));
    const read = (teamId: number, limit = 10, offset = 0) => of.catalog.readWarnings(teamId, { limit, offset });

    await commitWarnings([warning(61, "a", base + 5, 1), warning(61, "a", base + 2, 2), warning(61, "b", base + 1)]);
    await commitWarnings([warning(61, "a", base + 9, 3), warning(62, "a", base), warning(61, "a", base - 1)]);
    const { count, items: warnings } = await read(61);
    expect(count).toBe(3);
    expect(warnings[0]).toEqual({
      type: "message_size_too_large",
      source: "capture",
      details: { n: 3 },
      occurrences: 3,
      firstAtMs: base + 2,
      lastAtMs: base + 9,
    });
    expect(warnings.map((w) => [w.occurrences, w.lastAtMs - base])).toEqual([
      [3, 9],
      [1, 1],
      [1, -1],
    ]);
    expect((await read(61, 1, 1)).items).toEqual(warnings.slice(1, 2));
    expect((await read(62)).count).toBe(1);

    await commitWarnings([warning(62, "old", base - 31 * 24 * hour)]);
    expect((await read(62)).count).toBe(1);
    for (let i = 0; i < 12; i++) {
      const some = Array.from({ length: 150 }, (_, k) => warning(63, `${i}/${k}`, base - 1000 + i));
      await commitWarnings(some);
    }
    const kept = await read(63, 2000);
    expect([kept.count, kept.items.length]).toEqual([1000, 1000]);
    expect(kept.items.at(-1)!.lastAtMs).toBe(base - 1000 + 2);
  });
});
