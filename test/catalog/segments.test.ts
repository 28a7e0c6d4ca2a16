import { expect, test } from "bun:test";
import type { SegmentFacts } from "../../src/lake/catalog/types.ts";
import { commitOf } from "../support/commits.ts";
import { setTimezone } from "../support/timezones.ts";
import { onEveryStore } from "./everyStore.ts";

function segment(id: string, teamId: number, minMs = 0, maxMs = 1000): SegmentFacts {
  return {
    id,
    kind: "events",
    squashedThrough: 0,
    columns: 0,
    exceptions: [],
    isNumbered: false,
    rollupZone: null,
    hasJourney: false,
    hasPersonRows: false,
    level: 0,
    teamId: null,
    generation: 1,
    rowCount: 2,
    sizeBytes: 10,
    wideBytes: 0,
    checksum: "",
    minMs,
    maxMs,
    teams: [{ teamId, rowStart: 0, rowCount: 2, minMs, maxMs }],
    partitions: [0],
  };
}

onEveryStore("segments", (of) => {
  /** Registers a segment under the epochs of a claim and makes it live. */
  async function store1(facts: SegmentFacts): Promise<void> {
    const [claim] = await of.catalog.claim({ owner: "w", generation: 1, partitions: [1] });
    const epochs = [claim!.epoch];
    await of.catalog.registerPending({ ids: [facts.id], writer: "w", generation: 1, epochs });
    await of.catalog.commit(commitOf({ epochs, segments: [facts] }));
  }

  /** A job that replaces files, and the swap that ends it; its outputs are registered. */
  async function swapOf(inputs: SegmentFacts[], outputs: SegmentFacts[]) {
    const ids = inputs.map(({ id }) => id);
    const jobId = await of.catalog.claimJob({ holder: "k", kind: "events", inputs: ids, beside: [], ttlMs: 60_000 });
    const made = outputs.map((output) => ({ ...output, level: 1 }));
    const pending = { ids: made.map(({ id }) => id), writer: jobId!, generation: 1, epochs: [] };
    await of.catalog.registerPending(pending);
    return { jobId: jobId!, inputs: ids, outputs: made, erasedThrough: 0, erasedRows: 0, duplicatesMet: 0 };
  }

  async function swap(inputs: SegmentFacts[], outputs: SegmentFacts[]): Promise<void> {
    const ready = await swapOf(inputs, outputs);
    await of.catalog.replaceSegments(ready);
    await of.catalog.endJob(ready.jobId);
  }

  test("a segment is seen from its commit on, by its project and time only", async () => {
    const facts = segment(crypto.randomUUID(), 11, 1000, 2000);
    const before = await of.catalog.segmentChanges(0);
    await store1(facts);
    const inRange = await of.catalog.readSnapshot({ teamId: 11, fromMs: 1500, toMs: null });
    expect(inRange.segments.map((s) => s.id)).toEqual([facts.id]);
    const outside = await of.catalog.readSnapshot({ teamId: 11, fromMs: 2001, toMs: null });
    expect(outside.segments).toEqual([]);
    const stranger = await of.catalog.readSnapshot({ teamId: 12, fromMs: null, toMs: null });
    expect(stranger.segments).toEqual([]);
    const changes = await of.catalog.segmentChanges(before.version);
    expect(changes.added.map((s) => s.id)).toEqual([facts.id]);
    expect(changes.added[0]).toMatchObject({ teams: facts.teams, partitions: [1] });
  });

  test("a numbered file without activity by the days of its project's zone is filled in, newest events first", async () => {
    const { catalog, db } = of;
    const ids = [1, 2, 3].map(() => crypto.randomUUID());
    const outputs = ids.map((id, i) => ({
      ...segment(id, 71, 0, 1000 * (i + 1)),
      ...{ teamId: 71, isNumbered: i > 0, rollupZone: i > 0 ? "UTC" : null, hasPersonRows: i > 0 },
    }));
    const inputs = ids.map(() => segment(crypto.randomUUID(), 71));
    for (const input of inputs) await store1(input);
    await swap(inputs, outputs);
    const snapshot = await catalog.readSnapshot({ teamId: 71, fromMs: null, toMs: null });
    expect(snapshot.segments.map(({ rollupZone }) => rollupZone)).toEqual(["UTC", "UTC", null]);
    expect(await catalog.timezonesOf([71, 72])).toEqual(new Map([71, 72].map((teamId) => [teamId, "UTC"])));
    expect(await catalog.dueForBackfill(0)).toBeNull();
    await setTimezone(db, 71, "Asia/Kolkata");
    expect((await catalog.timezonesOf([71])).get(71)).toBe("Asia/Kolkata");
    expect(await catalog.dueForBackfill(0)).toBe(ids[2]!);
    expect(await catalog.dueForBackfill(60_000)).toBeNull();
  });

  test("which segments have a journey is known everywhere; a numbered file from before there were any is filled in", async () => {
    const { catalog, db } = of;
    const ids: string[] = [1, 2, 3].map(() => crypto.randomUUID());
    const outputs = ids.map((id, i) => ({
      ...segment(id, 73, 0, 100_000 * (i + 1)),
      ...{ teamId: 73, isNumbered: i > 0, rollupZone: i > 0 ? "UTC" : null, hasJourney: i === 1, hasPersonRows: i > 0 },
    }));
    const { version } = await catalog.segmentChanges(0);
    const inputs = ids.map(() => segment(crypto.randomUUID(), 73));
    for (const input of inputs) await store1(input);
    await swap(inputs, outputs);
    const withJourney = (files: Iterable<{ id: string; hasJourney: boolean }>) =>
      [...files].flatMap(({ id, hasJourney }) => (hasJourney ? [id] : []));
    const { segments } = await catalog.readSnapshot({ teamId: 73, fromMs: null, toMs: null });
    expect(withJourney(segments)).toEqual([ids[1]!]);
    expect(withJourney((await catalog.segmentChanges(version)).added)).toEqual([ids[1]!]);
    expect(withJourney((await catalog.knownSegments()).values())).toEqual([ids[1]!]);
    // The newest one cannot have any.
    const due = async () => ids.indexOf((await catalog.dueForBackfill(0)) ?? "");
    const before = await due();
    await db.write((tx) => tx`update segments set has_journey = null where id in (${ids[0]!}, ${ids[2]!})`);
    expect([before, await due()]).toEqual([-1, 2]);
    await db.write((tx) => tx`update segments set has_journey = 0 where id = ${ids[2]!}`);
    expect(await due()).toBe(-1);
  });

  test("a pinned reader keeps what compaction replaced; without pins it is collected", async () => {
    const input = segment(crypto.randomUUID(), 21);
    await store1(input);
    const reader = await of.catalog.holdFiles(60_000);
    const output = { ...segment(crypto.randomUUID(), 21), level: 1 };
    await swap([input], [output]);

    const later = await of.catalog.holdFiles(60_000);
    const { segments } = await of.catalog.readSnapshot({ teamId: 21, fromMs: null, toMs: null });
    expect(segments.map((s) => s.id)).toEqual([output.id]);
    expect(await of.catalog.collectable()).not.toContain(input.id);
    await of.catalog.unpin(reader);
    expect(await of.catalog.collectable()).toContain(input.id);
    await of.catalog.unpin(later);
    await of.catalog.forget(await of.catalog.collectable());
    const known = await of.catalog.knownSegments();
    expect(known.has(input.id)).toBe(false);
    expect(known.has(output.id)).toBe(true);
  });

  test("of two compactions of one input the second is refused", async () => {
    const input = segment(crypto.randomUUID(), 31);
    await store1(input);
    const first = await swapOf([input], [segment(crypto.randomUUID(), 31)]);
    const second = { ...(await swapOf([], [segment(crypto.randomUUID(), 31)])), inputs: [input.id] };
    await of.catalog.replaceSegments(first);
    await expect(of.catalog.replaceSegments(second)).rejects.toMatchObject({ code: "compaction_conflict" });
  });

  test("a pending file is abandoned when its writer's epoch is stale, and can then not be committed", async () => {
    const facts = segment(crypto.randomUUID(), 41);
    const [claim] = await of.catalog.claim({ owner: "a", generation: 1, partitions: [0] });
    await of.catalog.registerPending({ ids: [facts.id], writer: "a", generation: 1, epochs: [claim!.epoch] });
    expect(await of.catalog.collectable()).not.toContain(facts.id);
    const [next] = await of.catalog.claim({ owner: "b", generation: 1, partitions: [0] });
    expect(await of.catalog.collectable()).toContain(facts.id);
    const late = commitOf({ epochs: [next!.epoch], segments: [facts] });
    await expect(of.catalog.commit(late)).rejects.toMatchObject({ code: "commit_refused" });
  });

  test("a lease has one holder", async () => {
    expect(await of.catalog.holdLease("compactor", "m", 60_000)).toBe(true);
    expect(await of.catalog.holdLease("compactor", "n", 60_000)).toBe(false);
    await of.catalog.releaseLease("compactor", "m");
    expect(await of.catalog.holdLease("compactor", "n", 60_000)).toBe(true);
  });

  test("a swap that loses events or has some twice is refused whole", async () => {
    const input = segment(crypto.randomUUID(), 81);
    await store1(input);
    const output = segment(crypto.randomUUID(), 81);
    const ready = await swapOf([input], [output]);
    for (const wrong of [{ outputs: [] }, { outputs: [{ ...output, rowCount: 3 }] }, { erasedRows: 1 }]) {
      const refused = of.catalog.replaceSegments({ ...ready, ...wrong });
      await expect(refused).rejects.toMatchObject({ code: "assertion_failed", retryable: false });
    }
    const { segments } = await of.catalog.readSnapshot({ teamId: 81, fromMs: null, toMs: null });
    expect(segments.map(({ id }) => id)).toEqual([input.id]);
    await of.catalog.replaceSegments({ ...ready, outputs: [], erasedRows: 2 });
  });

  test("a snapshot with two rosters is not read", async () => {
    const files = [1, 2].map(() => segment(crypto.randomUUID(), 91));
    for (const file of files) await store1(file);
    const read = () => of.catalog.readSnapshot({ teamId: 91, fromMs: null, toMs: null });
    expect((await read()).segments.length).toBe(2);
    await of.db.write((tx) => tx`update segments set kind = 'roster' where id in (${files[0]!.id}, ${files[1]!.id})`);
    await expect(read()).rejects.toMatchObject({ code: "assertion_failed" });
    await of.db.write((tx) => tx`update segments set kind = 'events' where id in (${files[0]!.id}, ${files[1]!.id})`);
  });
});
