import { expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openCatalog } from "../../src/lake/catalog/catalog.ts";
import { eraseProjects } from "../../src/lake/catalog/eraseOrders.ts";
import { DATA_TABLES } from "../../src/lake/catalog/erasing.ts";
import { MIGRATIONS, openDb } from "../../src/schema.ts";
import { openStore } from "../../src/store/mod.ts";
import { personIdOf } from "../../src/types/mod.ts";
import { commitOf } from "../support/commits.ts";
import { findPostgres, startPostgres } from "../support/postgres.ts";
import { withSqlite } from "../support/stores.ts";
import { onEveryStore } from "./everyStore.ts";

onEveryStore("what is erased", (of) => {
  test("keeps nothing of a deleted project in its tables, and of a person nothing under its ids", async () => {
    const letter = (teamId: number, distinctId: string) => {
      const event = JSON.stringify({ event: "e", distinctId });
      return {
        teamId,
        lane: "live",
        partition: 0,
        sequence: 1,
        index: 0,
        reason: "r",
        detail: "",
        event,
        distinctId,
      } as const;
    };
    const state = (teamId: number, distinctId: string) => ({ actor: "a", teamId, distinctId, state: "1" });
    const warning = (teamId: number, key: string) => ({
      ...{ teamId, type: "odd", key, source: "capture", details: {}, atMs: Date.now() },
    });
    const ids = [71, 72].flatMap((teamId) => ["one", "two"].map((distinctId) => ({ teamId, distinctId })));
    await of.catalog.commit(
      commitOf({
        states: ids.map(({ teamId, distinctId }) => state(teamId, distinctId)),
        deadLetters: [letter(71, "one"), ...ids.map(({ teamId, distinctId }) => letter(teamId, distinctId))],
        warnings: ids.map(({ teamId, distinctId }) => warning(teamId, distinctId)),
      }),
    );
    // One of before dead letters were found by their ids.
    await of.db.write(
      (tx) => tx`update dead_letters set distinct_id = null where id = (select min(id) from dead_letters)`,
    );
    const left = async (teamId: number) => {
      const page = { limit: 10, offset: 0 };
      const letters = await of.catalog.readDeadLetters({ teamId, waitingOnly: false }, page);
      const warnings = await of.catalog.readWarnings(teamId, page);
      const states = await of.catalog.readStates("a", teamId, ["one", "two"]);
      return [states.size, letters.count, warnings.count];
    };
    const accepted = { generation: 1, sequences: [{ lane: "live" as const, partition: 0, sequence: 1_000 }] };
    const personId = crypto.randomUUID();
    const requestedAtMs = Date.now();
    await of.db.write((tx) => tx`insert into cohort_persons (cohort_id, person_id) values (1, ${personId})`);
    await of.catalog.erasePerson({
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
    const listed: unknown[] = await of.db.read((tx) => tx`select 1 from cohort_persons`);
    expect(listed).toEqual([]);
    const two = { teamId: 71, personId: personIdOf(71, "two"), requestedAtMs: Date.now() };
    const states = { table: "actor_states", teamId: 71, rows: 1, personId: two.personId };
    expect(await of.catalog.rowsOfPersons([two, { ...two, personId }])).toEqual([states]);
    expect((await of.catalog.leftInTables([two])).map(({ table, rows }) => [table, rows])).toEqual([
      ["ingestion_warnings", 1],
      ["dead_letters", 1],
    ]);
    await of.db.write((tx) => eraseProjects(tx, [72], Date.now()));
    const waiting = (await of.catalog.waitingErasures(0))!;
    expect(waiting.erasures).toMatchObject([
      { teamId: 71, kind: "person", personIds: [personId], withEvents: true, ...accepted },
      { teamId: 72, kind: "project" },
    ]);
    await of.catalog.finishErasures();
    expect([await left(71), await left(72)]).toEqual([
      [1, 1, 1],
      [0, 0, 0],
    ]);
    // What was accepted before the person was deleted is not settled yet; a project is told for ever.
    const teams = async () => (await of.catalog.unfinishedErasures(waiting.version)).map(({ teamId }) => teamId);
    expect(await teams()).toEqual([71, 72]);
    const [claim] = await of.catalog.claim({ owner: "w", generation: 1, partitions: [0] });
    const { position: from } = claim!.positions.find(({ lane }) => lane === "live")!;
    const moves = [{ lane: "live" as const, partition: 0, from, to: 1_000, lastMs: 1 }];
    await of.catalog.commit(commitOf({ epochs: [claim!.epoch], moves }));
    await of.catalog.finishErasures();
    expect(await teams()).toEqual([72]);
  });

  test("knows a deleted group by type, key and what was accepted; answers are calculated again, dead letters stay", async () => {
    const [teamId, other] = [73, 74];
    await of.catalog.ensureGroupTypes(teamId, ["company", "team"]);
    const event = JSON.stringify({
      event: "$groupidentify",
      properties: '{"$group_type":"team","$group_key":"o\'x"}',
    });
    const letter = { lane: "live", partition: 0, sequence: 1, index: 0, reason: "r", detail: "", event } as const;
    await of.catalog.commit(commitOf({ deadLetters: [{ teamId, ...letter, distinctId: "somebody" }] }));
    for (const team of [teamId, other]) {
      await of.db.write(
        (tx) => tx`insert into query_cache (cache_key, team_id, result, size_bytes, data_version, computed_at_ms)
          values (${`k${team}`}, ${team}, '[]', 2, 0, 0)`,
      );
    }
    const accepted = { generation: 1, sequences: [{ lane: "live" as const, partition: 0, sequence: 7 }] };
    const order = { teamId, key: "o'x", accepted, requestedAtMs: 5 };
    expect(await of.catalog.eraseGroup({ ...order, index: 2 })).toBe(false);
    expect(await of.catalog.eraseGroup({ ...order, index: 1 })).toBe(true);
    const { erasures } = (await of.catalog.waitingErasures(0))!;
    expect(erasures.filter((erasure) => erasure.teamId === teamId)).toMatchObject([
      { kind: "group", index: 1, type: "team", key: "o'x", ...accepted },
    ]);
    const cached: { team_id: unknown }[] = await of.db.read((tx) => tx`select team_id from query_cache`);
    expect(cached.map(({ team_id }) => Number(team_id))).toEqual([other]);
    expect((await of.catalog.readDeadLetters({ teamId, waitingOnly: false }, { limit: 9, offset: 0 })).count).toBe(1);
  });
});

/** What was deleted before groups could be. */
async function staysDeleted(target: Parameters<typeof openDb>[0]): Promise<void> {
  const before = MIGRATIONS.filter(({ name }) => name < "054_");
  const old = await openStore(target, { migrations: before, mustExist: false });
  const common = { team_id: 1, generation: 1, sequences: '[["live",0,7]]', requested_at_ms: 5 };
  const rows = [
    { version: 1, person_id: "p", import_id: null, with_events: 0 },
    { version: 2, person_id: "", import_id: "i", with_events: 1 },
    { version: 3, person_id: null, import_id: null, with_events: 1 },
  ];
  await old.write(async (tx) => {
    for (const row of rows) await tx`insert into erasures ${tx({ ...common, ...row })}`;
    for (const id of ["p", "q"])
      await tx`insert into erased_persons (version, team_id, person_id) values (1, 1, ${id})`;
  });
  await old.close();
  const db = await openDb(target);
  const sequences = [{ lane: "live", partition: 0, sequence: 7 }];
  const known = { teamId: 1, generation: 1, sequences, requestedAtMs: 5, erasedAtMs: null } as const;
  const erasures: object[] = await openCatalog(db).recordedErasures();
  expect(erasures).toEqual([
    { ...known, version: 1, kind: "person", personIds: ["p", "q"], withEvents: false },
    { ...known, version: 2, kind: "import", importId: "i", columnId: null },
    { ...known, version: 3, kind: "project" },
  ]);
  await db.close();
}

test("deletions of before stay what they were", async () => {
  const dir = mkdtempSync(join(tmpdir(), "weir-erased-"));
  try {
    await staysDeleted({ databaseUrl: null, sqlitePath: join(dir, "weir.db") });
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
});

test.skipIf(findPostgres() === null)("deletions of before stay what they were in PostgreSQL", async () => {
  const postgres = await startPostgres();
  try {
    await staysDeleted({ databaseUrl: postgres.url, sqlitePath: "" });
  } finally {
    await postgres.stop();
  }
});

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
      records: [
        "access_controls",
        "activity_log",
        "annotations",
        "dashboards",
        "imports",
        "insights",
        "product_intents",
        "project_objects",
        "shared_links",
      ],
    };
    const known = [...DATA_TABLES, ...Object.values(kept).flat()];
    expect(rows.map(({ name }) => name)).toEqual(known.toSorted());
  });
});
