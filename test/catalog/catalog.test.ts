import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Catalog, openCatalog } from "../../src/lake/catalog/catalog.ts";
import { DATA_TABLES } from "../../src/lake/catalog/erasing.ts";
import { eraseProjects } from "../../src/lake/catalog/erasures.ts";
import type { Commit, SegmentFacts } from "../../src/lake/catalog/types.ts";
import { type Db, openDb } from "../../src/metadata/mod.ts";
import { commitOf } from "../support/commits.ts";
import { startPostgres } from "../support/postgres.ts";
import { withSqlite } from "../support/stores.ts";

const LANES = ["live", "history"] as const;

function segment(id: string, teamId: number, minMs = 0, maxMs = 1000): SegmentFacts {
  return {
    id,
    kind: "events",
    squashedThrough: 0,
    columns: 0,
    exceptions: [],
    isNumbered: false,
    level: 0,
    teamId: null,
    generation: 1,
    rowCount: 2,
    sizeBytes: 10,
    checksum: "",
    minMs,
    maxMs,
    teams: [{ teamId, rowStart: 0, rowCount: 2, minMs, maxMs }],
    partitions: [0],
  };
}

for (const store of ["sqlite", "postgres"] as const) {
  describe(`catalog on ${store}`, () => {
    let db: Db;
    let catalog: Catalog;
    let close: () => Promise<void>;

    beforeAll(async () => {
      const directory = mkdtempSync(join(tmpdir(), "weir-catalog-"));
      const postgres = store === "postgres" ? await startPostgres() : null;
      db = await openDb({ databaseUrl: postgres?.url ?? null, sqlitePath: join(directory, "weir.db") });
      catalog = openCatalog(db);
      close = async () => {
        await db.close();
        await postgres?.stop();
        rmSync(directory, { recursive: true, force: true });
      };
      const streams = LANES.map((lane) => ({ lane, created: "2026-01-01T00:00:00Z" }));
      await catalog.openGeneration({ generation: 1, after: null, partitions: 2, streams, nowMs: 0 });
    });
    afterAll(() => close());

    /** Registers a segment under the epochs of a claim and makes it live. */
    async function store1(facts: SegmentFacts): Promise<void> {
      const [claim] = await catalog.claim({ owner: "w", generation: 1, partitions: [1] });
      const epochs = [claim!.epoch];
      await catalog.registerPending({ ids: [facts.id], writer: "w", generation: 1, epochs });
      await catalog.commit(commitOf({ epochs, segments: [facts] }));
    }

    test("a claim raises the epoch, and the older owner's commit is refused whole", async () => {
      const [first] = await catalog.claim({ owner: "a", generation: 1, partitions: [0] });
      const [second] = await catalog.claim({ owner: "b", generation: 1, partitions: [0] });
      expect(second!.epoch.epoch).toBe(first!.epoch.epoch + 1);

      const move = { lane: "live" as const, partition: 0, from: 0, to: 7, lastMs: 0 };
      const counts = [{ teamId: 1, stored: 3, duplicates: 0, dropped: {} }];
      const stale = commitOf({ epochs: [first!.epoch], moves: [move], counts });
      await expect(catalog.commit(stale)).rejects.toMatchObject({ code: "commit_refused" });
      expect(await catalog.isCommitted(stale.id)).toBe(false);
      expect((await catalog.settledCounts(1, 1)).stored).toBe(0);

      const good = commitOf({ epochs: [second!.epoch], moves: [move], counts });
      await catalog.commit(good);
      expect(await catalog.isCommitted(good.id)).toBe(true);
      const settled = await catalog.settledCounts(1, 1);
      expect(settled.stored).toBe(3);
      expect(settled.positions).toContainEqual({ lane: "live", partition: 0, position: 7 });
    });

    test("a position moves from exactly where the owner found it, once", async () => {
      const [claim] = await catalog.claim({ owner: "c", generation: 1, partitions: [1] });
      const moves = [{ lane: "live" as const, partition: 1, from: 0, to: 4, lastMs: 0 }];
      const counts = [{ teamId: 2, stored: 1, duplicates: 2, dropped: { invalid_uuid: 3 } }];
      const once = commitOf({ epochs: [claim!.epoch], moves, counts });
      await catalog.commit(once);
      await expect(catalog.commit(once)).rejects.toMatchObject({ code: "commit_refused" });
      const settled = await catalog.settledCounts(2, 1);
      expect(settled).toMatchObject({ stored: 1, duplicates: 2, dropped: { invalid_uuid: 3 }, deadLetters: 0 });
    });

    test("attempts and the event in hand are known to the next owner, and a commit clears them", async () => {
      await catalog.claim({ owner: "a", generation: 1, partitions: [0] });
      await catalog.takeInHand({ generation: 1, lane: "history", partition: 0, ordinal: 42 });
      const [claim] = await catalog.claim({ owner: "b", generation: 1, partitions: [0] });
      const history = claim!.positions.find((p) => p.lane === "history")!;
      expect(history.poisoned).toEqual([42]);
      expect(history.attempts).toBeGreaterThan(1);
      const moves = [{ lane: "history" as const, partition: 0, from: 0, to: 1, lastMs: 0 }];
      await catalog.commit(commitOf({ epochs: [claim!.epoch], moves }));
      const [next] = await catalog.claim({ owner: "c", generation: 1, partitions: [0] });
      expect(next!.positions.find((p) => p.lane === "history")).toMatchObject({
        attempts: 1,
        poisoned: [],
        position: 1,
      });
    });

    test("what a living owner hands over is free, and nothing in it is suspected", async () => {
      const [first] = await catalog.claim({ owner: "a", generation: 1, partitions: [0] });
      const before = first!.positions.find((p) => p.lane === "live")!.attempts;
      await catalog.takeInHand({ generation: 1, lane: "live", partition: 0, ordinal: 42 });
      const untouched = first!.positions.map(({ lane }) => ({ lane, epoch: first!.epoch }));
      const given = { owner: "a", generation: 1, partitions: [0], untouched };
      await catalog.handOver(given);
      expect((await catalog.owners()).find(({ partition }) => partition === 0)).toMatchObject({ owner: null });
      const [second] = await catalog.claim({ owner: "b", generation: 1, partitions: [0] });
      const live = { attempts: before, poisoned: [] };
      expect(second!.positions.find((p) => p.lane === "live")).toMatchObject(live);
      // It is b's now.
      await catalog.handOver(given);
      expect((await catalog.owners()).find(({ partition }) => partition === 0)).toMatchObject({ owner: "b" });
      const [third] = await catalog.claim({ owner: "c", generation: 1, partitions: [0] });
      expect(third!.positions.find((p) => p.lane === "live")).toMatchObject({ ...live, attempts: before + 1 });
    });

    test("a segment is seen from its commit on, by its project and time only", async () => {
      const facts = segment(crypto.randomUUID(), 11, 1000, 2000);
      const before = await catalog.segmentChanges(0);
      await store1(facts);
      const inRange = await catalog.pin({ teamId: 11, fromMs: 1500, toMs: null, ttlMs: 60_000 });
      expect(inRange.segments.map((s) => s.id)).toEqual([facts.id]);
      const outside = await catalog.pin({ teamId: 11, fromMs: 2001, toMs: null, ttlMs: 60_000 });
      expect(outside.segments).toEqual([]);
      const stranger = await catalog.pin({ teamId: 12, fromMs: null, toMs: null, ttlMs: 60_000 });
      expect(stranger.segments).toEqual([]);
      for (const snapshot of [inRange, outside, stranger]) await catalog.unpin(snapshot.pinId);
      const changes = await catalog.segmentChanges(before.version);
      expect(changes.added.map((s) => s.id)).toEqual([facts.id]);
      expect(changes.added[0]).toMatchObject({ teams: facts.teams, partitions: [1] });
    });

    test("a pinned reader keeps what compaction replaced; without pins it is collected", async () => {
      const input = segment(crypto.randomUUID(), 21);
      await store1(input);
      const reader = await catalog.pin({ teamId: 21, fromMs: null, toMs: null, ttlMs: 60_000 });
      await catalog.holdLease("compactor", "k", 60_000);
      const output = { ...segment(crypto.randomUUID(), 21), level: 1 };
      await catalog.registerPending({ ids: [output.id], writer: "k", generation: 1, epochs: [] });
      await catalog.replaceSegments({ inputs: [input.id], outputs: [output], erasedThrough: 0, duplicatesMet: 0 });

      const later = await catalog.pin({ teamId: 21, fromMs: null, toMs: null, ttlMs: 60_000 });
      expect(later.segments.map((s) => s.id)).toEqual([output.id]);
      expect(await catalog.collectable()).not.toContain(input.id);
      await catalog.unpin(reader.pinId);
      expect(await catalog.collectable()).toContain(input.id);
      await catalog.unpin(later.pinId);
      await catalog.forget(await catalog.collectable());
      const known = await catalog.knownSegments();
      expect(known.has(input.id)).toBe(false);
      expect(known.has(output.id)).toBe(true);
    });

    test("of two compactions of one input the second is refused", async () => {
      const input = segment(crypto.randomUUID(), 31);
      await store1(input);
      const ids = [crypto.randomUUID(), crypto.randomUUID()] as const;
      await catalog.registerPending({ ids: [...ids], writer: "k", generation: 1, epochs: [] });
      await catalog.replaceSegments({
        inputs: [input.id],
        outputs: [{ ...segment(ids[0], 31), level: 1 }],
        erasedThrough: 0,
        duplicatesMet: 0,
      });
      const again = catalog.replaceSegments({
        inputs: [input.id],
        outputs: [{ ...segment(ids[1], 31), level: 1 }],
        erasedThrough: 0,
        duplicatesMet: 0,
      });
      await expect(again).rejects.toMatchObject({ code: "compaction_conflict" });
    });

    test("a pending file is given up when its writer's epoch is stale, and can then not be committed", async () => {
      const facts = segment(crypto.randomUUID(), 41);
      const [claim] = await catalog.claim({ owner: "a", generation: 1, partitions: [0] });
      await catalog.registerPending({ ids: [facts.id], writer: "a", generation: 1, epochs: [claim!.epoch] });
      expect(await catalog.collectable()).not.toContain(facts.id);
      const [next] = await catalog.claim({ owner: "b", generation: 1, partitions: [0] });
      expect(await catalog.collectable()).toContain(facts.id);
      const late = commitOf({ epochs: [next!.epoch], segments: [facts] });
      await expect(catalog.commit(late)).rejects.toMatchObject({ code: "commit_refused" });
    });

    test("a compaction's outputs are given up when the lease is lost", async () => {
      await catalog.releaseLease("compactor", "k");
      expect(await catalog.holdLease("compactor", "m", 60_000)).toBe(true);
      expect(await catalog.holdLease("compactor", "n", 60_000)).toBe(false);
      const id = crypto.randomUUID();
      await catalog.registerPending({ ids: [id], writer: "m", generation: 1, epochs: [] });
      expect(await catalog.collectable()).not.toContain(id);
      await catalog.releaseLease("compactor", "m");
      expect(await catalog.holdLease("compactor", "n", 60_000)).toBe(true);
      expect(await catalog.collectable()).toContain(id);
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
      const commitWarnings = (warnings: Commit["warnings"]) => catalog.commit(commitOf({ warnings }));
      const read = (teamId: number, limit = 10, offset = 0) => catalog.readWarnings(teamId, { limit, offset });

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

    test("concurrent commits of one owner's position: exactly one wins", async () => {
      const [claim] = await catalog.claim({ owner: "a", generation: 1, partitions: [1] });
      const from = claim!.positions.find((p) => p.lane === "live")!.position;
      const tries = Array.from({ length: 10 }, () =>
        catalog
          .commit(
            commitOf({
              epochs: [claim!.epoch],
              moves: [{ lane: "live", partition: 1, from, to: from + 1, lastMs: 0 }],
              counts: [{ teamId: 51, stored: 1, duplicates: 0, dropped: {} }],
            }),
          )
          .then(
            () => 1,
            () => 0,
          ),
      );
      const won = (await Promise.all(tries)).reduce<number>((a, b) => a + b, 0);
      expect(won).toBe(1);
      expect((await catalog.settledCounts(51, 1)).stored).toBe(1);
    });

    test("keeps nothing of a deleted project in its tables, and of a person nothing under its ids", async () => {
      const letter = (teamId: number, distinctId: string) => {
        const event = JSON.stringify({ event: "e", distinctId });
        return { teamId, lane: "live", partition: 0, sequence: 1, index: 0, reason: "r", detail: "", event } as const;
      };
      const state = (teamId: number, distinctId: string) => ({ actor: "a", teamId, distinctId, state: "1" });
      const warning = (teamId: number, key: string) => ({
        ...{ teamId, type: "odd", key, source: "capture", details: {}, atMs: Date.now() },
      });
      const ids = [71, 72].flatMap((teamId) => ["one", "two"].map((distinctId) => ({ teamId, distinctId })));
      await catalog.commit(
        commitOf({
          states: ids.map(({ teamId, distinctId }) => state(teamId, distinctId)),
          deadLetters: ids.map(({ teamId, distinctId }) => letter(teamId, distinctId)),
          warnings: ids.map(({ teamId, distinctId }) => warning(teamId, distinctId)),
        }),
      );
      const left = async (teamId: number) => {
        const page = { limit: 10, offset: 0 };
        const letters = await catalog.readDeadLetters({ teamId, waitingOnly: false }, page);
        const warnings = await catalog.readWarnings(teamId, page);
        const states = await catalog.readStates("a", teamId, ["one", "two"]);
        return [states.size, letters.count, warnings.count];
      };
      const accepted = { generation: 1, sequences: [{ lane: "live" as const, partition: 0, sequence: 1_000 }] };
      const personId = crypto.randomUUID();
      const requestedAtMs = Date.now();
      await db.write((tx) => tx`insert into cohort_persons (cohort_id, person_id) values (1, ${personId})`);
      await catalog.erasePerson({
        teamId: 71,
        personId,
        distinctIds: ["one"],
        withEvents: true,
        accepted,
        requestedAtMs,
      });
      expect([await left(71), await left(72)]).toEqual([
        [1, 1, 1],
        [2, 2, 2],
      ]);
      const listed: unknown[] = await db.read((tx) => tx`select 1 from cohort_persons`);
      expect(listed).toEqual([]);
      await db.write((tx) => eraseProjects(tx, [72], Date.now()));
      const waiting = (await catalog.waitingErasures(0))!;
      expect(waiting.erasures).toMatchObject([
        { teamId: 71, personIds: [personId], withEvents: true, ...accepted },
        { teamId: 72, personIds: null },
      ]);
      await catalog.finishErasures();
      expect([await left(71), await left(72)]).toEqual([
        [1, 1, 1],
        [0, 0, 0],
      ]);
      // What was accepted before the person was deleted is not settled yet; a project is told for ever.
      const teams = async () => (await catalog.unfinishedErasures(waiting.version)).map(({ teamId }) => teamId);
      expect(await teams()).toEqual([71, 72]);
      const [claim] = await catalog.claim({ owner: "w", generation: 1, partitions: [0] });
      const { position: from } = claim!.positions.find(({ lane }) => lane === "live")!;
      const moves = [{ lane: "live" as const, partition: 0, from, to: 1_000, lastMs: 1 }];
      await catalog.commit(commitOf({ epochs: [claim!.epoch], moves }));
      await catalog.finishErasures();
      expect(await teams()).toEqual([72]);
    });
  });
}

test("of a deleted project every table is emptied, but for counts and what somebody made", async () => {
  await withSqlite(async (db) => {
    const rows: { name: string }[] = await db.read(
      (tx) => tx`select m.name from sqlite_master m, pragma_table_info(m.name) c
        where m.type = 'table' and c.name = 'team_id' order by m.name`,
    );
    const kept = {
      counts: ["settled_counts", "usage_counts", "project_versions", "record_versions"],
      files: ["segments", "segment_teams"],
      erasures: ["erasures", "erased_persons"],
      records: ["activity_log", "dashboards", "insight_sharing", "insights", "product_intents", "project_objects"],
    };
    const known = [...DATA_TABLES, ...Object.values(kept).flat()];
    expect(rows.map(({ name }) => name)).toEqual(known.toSorted());
  });
});
