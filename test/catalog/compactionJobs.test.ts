import { expect, test } from "bun:test";
import type { SegmentFacts } from "../../src/lake/catalog/types.ts";
import { commitOf } from "../support/commits.ts";
import { onEveryStore } from "./everyStore.ts";

const TTL_MS = 60_000;
let teamId = 500;

function segment(): SegmentFacts {
  return {
    ...{ id: crypto.randomUUID(), kind: "events", level: 0, teamId: null, generation: 1, partitions: [0] },
    ...{ squashedThrough: 0, columns: 0, exceptions: [], isNumbered: false, rollupZone: null },
    ...{ hasJourney: false, hasPersonRows: false, rowCount: 2, sizeBytes: 10, wideBytes: 0, checksum: "" },
    ...{ minMs: 0, maxMs: 1, teams: [{ teamId, rowStart: 0, rowCount: 2, minMs: 0, maxMs: 1 }] },
  };
}

onEveryStore("jobs of compactors", (of) => {
  async function stored(count: number): Promise<SegmentFacts[]> {
    teamId++;
    const files = Array.from({ length: count }, segment);
    for (const file of files) {
      const [claim] = await of.catalog.claim({ owner: "w", generation: 1, partitions: [1] });
      const epochs = [claim!.epoch];
      await of.catalog.registerPending({ ids: [file.id], writer: "w", generation: 1, epochs });
      await of.catalog.commit(commitOf({ epochs, segments: [file] }));
    }
    return files;
  }

  const idsOf = (files: readonly SegmentFacts[]) => files.map(({ id }) => id);
  const claim = (inputs: SegmentFacts[], beside: SegmentFacts[] = []) =>
    of.catalog.claimJob({ holder: "k", kind: "events", inputs: idsOf(inputs), beside: idsOf(beside), ttlMs: TTL_MS });
  const expire = (id: string) => of.db.write((tx) => tx`update compaction_jobs set expires_at_ms = 0 where id = ${id}`);

  async function output(jobId: string): Promise<SegmentFacts> {
    const made = { ...segment(), level: 1 };
    await of.catalog.registerPending({ ids: [made.id], writer: jobId, generation: 1, epochs: [] });
    return made;
  }

  const swap = (jobId: string, inputs: SegmentFacts[], outputs: SegmentFacts[], erasedRows = 0) =>
    of.catalog.replaceSegments({
      ...{ jobId, inputs: idsOf(inputs), outputs, erasedThrough: 0, erasedRows, duplicatesMet: 0 },
    });

  test("of many that ask for a file at once one gets it", async () => {
    const files = await stored(2);
    const asked = await Promise.all(Array.from({ length: 8 }, () => claim(files)));
    const [jobId, ...others] = asked.filter((id) => id !== null);
    expect(others).toEqual([]);
    const [job] = (await of.catalog.runningJobs()).filter(({ id }) => id === jobId);
    expect(job).toMatchObject({ holder: "k", kind: "events", inputs: idsOf(files).sort() });
    expect(await claim(files.slice(1))).toBeNull();
    await of.catalog.endJob(jobId!);
    expect(await claim(files.slice(1))).not.toBeNull();
  });

  test("a file that is only read may be read by others, and is no input of theirs", async () => {
    const [log, first, second] = await stored(3);
    expect(await claim([first!], [log!])).not.toBeNull();
    expect(await claim([second!], [log!])).not.toBeNull();
    expect(await claim([log!])).not.toBeNull();
  });

  test("a file that has gone meanwhile is not claimed", async () => {
    const [gone, other] = await stored(2);
    const jobId = await claim([gone!]);
    await swap(jobId!, [gone!], [], 2);
    await of.catalog.endJob(jobId!);
    expect(await claim([gone!])).toBeNull();
    expect(await claim([other!], [gone!])).toBeNull();
    expect(await claim([other!])).not.toBeNull();
  });

  test("what a job reads stays until it ends, though another job has replaced it", async () => {
    const [log, input] = await stored(2);
    const reading = await claim([input!], [log!]);
    const merging = await claim([log!]);
    await swap(merging!, [log!], [], 2);
    await of.catalog.endJob(merging!);
    expect(await of.catalog.collectable()).not.toContain(log!.id);
    await of.catalog.endJob(reading!);
    expect(await of.catalog.collectable()).toContain(log!.id);
  });

  test("a job whose claim has run out cannot swap, and what it wrote is removed", async () => {
    const [input] = await stored(1);
    const jobId = await claim([input!]);
    const made = await output(jobId!);
    await expire(jobId!);
    // Nobody has noticed: it goes on.
    expect(await of.catalog.renewJob(jobId!, TTL_MS)).toBe(true);
    await expire(jobId!);
    expect(await of.catalog.collectable()).toContain(made.id);
    expect(await of.catalog.renewJob(jobId!, TTL_MS)).toBe(false);
    await expect(swap(jobId!, [input!], [made])).rejects.toMatchObject({
      code: "compaction_conflict",
      retryable: true,
    });
    await expect(swap(jobId!, [input!], [await output(jobId!)])).rejects.toThrow("claim");
    const { segments } = await of.catalog.readSnapshot({ teamId, fromMs: null, toMs: null });
    expect(idsOf(segments as never)).toEqual([input!.id]);
  });

  test("files of a job that did not end are in quarantine; of one that ended they are not", async () => {
    const [killer, harmless] = await stored(2);
    const dead = await claim([killer!]);
    await of.catalog.endJob((await claim([harmless!]))!);
    await expire(dead!);
    await of.catalog.collectable();
    const aside = await of.catalog.quarantined();
    expect([killer!, harmless!].map(({ id }) => aside.includes(id))).toEqual([true, false]);
    expect(await claim([killer!])).toBeNull();
    // It comes back, and ends: that changes nothing any more.
    await of.catalog.endJob(dead!);
    const { added } = await of.catalog.segmentChanges(0);
    const failuresOf = (id: string) => added.find((file) => file.id === id)?.failures;
    expect([killer!, harmless!].map(({ id }) => failuresOf(id))).toEqual([1, 0]);
  });

  test("what is due is not named while a job has it", async () => {
    const [file] = await stored(1);
    await of.db.write((tx) => tx`update segments set team_id = ${teamId} where id = ${file!.id}`);
    await of.db.write((tx) => tx`update segments set is_numbered = 1, has_journey = null where id = ${file!.id}`);
    expect(await of.catalog.dueForBackfill(0)).toBe(file!.id);
    const jobId = await claim([file!]);
    expect(await of.catalog.dueForBackfill(0)).toBeNull();
    await of.catalog.endJob(jobId!);
    expect(await of.catalog.dueForBackfill(0)).toBe(file!.id);
  });
});
