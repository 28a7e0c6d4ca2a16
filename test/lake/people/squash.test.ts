import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { Catalog, Compactor } from "../../../src/lake/mod.ts";
import type { IdentityRow } from "../../../src/types/mod.ts";
import { allEvents, row, textConstant } from "../support.ts";
import { TestLake } from "../testLake.ts";
import { idOf, TEAM } from "./support.ts";

const HOUR_MS = 3_600_000;

let lake: TestLake;
let versions = 0;

beforeEach(async () => {
  lake = await TestLake.open();
});

afterEach(() => lake.close());

async function compactor(changes: { squashMs?: number; fanout?: number; catalog?: Catalog } = {}): Promise<Compactor> {
  const { squashMs = 0, fanout = 100, catalog = lake.catalog } = changes;
  const made = lake.compactor({ compactFanout: fanout, squashMs }, { catalog });
  return made;
}

/** The node of an id whose person went into another one's. */
function moved(id: string, into: string): IdentityRow {
  const tMs = ++versions;
  return {
    kind: "identity",
    teamId: TEAM,
    version: { tMs, source: 0, ordinal: 0 },
    distinctId: id,
    personId: idOf(id),
    survivorId: idOf(into),
    isIdentified: false,
    moves: [{ into: idOf(into), tMs, ordinal: 0 }],
  };
}

const event = (n: number, id: string) => row(n, { distinctId: id, personId: idOf(id) });

async function personsOfEvents(o: { persons: boolean }): Promise<unknown[][]> {
  return lake.ask(
    TEAM,
    (r) =>
      `select distinct_id, person_id from ${r.events({ ...o, properties: false, keys: [] }, textConstant)} order by ordinal`,
  );
}

async function segments() {
  const { added } = await lake.catalog.segmentChanges(0);
  return added.filter(({ kind }) => kind === "events");
}

async function mergesVersion(): Promise<number> {
  const snapshot = await lake.catalog.readSnapshot({ teamId: TEAM, fromMs: null, toMs: null });
  return snapshot.mergesVersion;
}

describe("squashing", () => {
  test("works merges into a file that stands alone, so that it needs no look-up", async () => {
    await lake.store([event(1, "anon"), event(2, "user"), event(3, "other")]);
    await lake.flush([], [moved("anon", "user")]);
    const resolved = [
      ["anon", idOf("user")],
      ["user", idOf("user")],
      ["other", idOf("other")],
    ];
    expect(await personsOfEvents({ persons: true })).toEqual(resolved);
    expect(await personsOfEvents({ persons: false })).toEqual([["anon", idOf("anon")], ...resolved.slice(1)]);
    const squashing = await compactor();
    expect(await squashing.step()).toBe(true);
    expect(await squashing.step()).toBe(false);
    const [only, ...others] = await segments();
    expect(others).toEqual([]);
    expect(only!.squashedThrough).toBe(await mergesVersion());
    expect(await personsOfEvents({ persons: false })).toEqual(resolved);
    // What is merged after that is looked up from the survivor on.
    await lake.flush([], [moved("user", "boss"), moved("anon", "boss")]);
    expect((await personsOfEvents({ persons: true })).map((r) => r[1])).toEqual([
      idOf("boss"),
      idOf("boss"),
      idOf("other"),
    ]);
    await squashing.step();
    expect((await personsOfEvents({ persons: false })).map((r) => r[1])).toEqual([
      idOf("boss"),
      idOf("boss"),
      idOf("other"),
    ]);
  });

  test("leaves a file alone that merges do not concern, and notes it", async () => {
    const { id } = await lake.store([event(1, "other")]);
    await lake.flush([], [moved("anon", "user")]);
    const squashing = await compactor();
    expect(await squashing.step()).toBe(true);
    expect(await squashing.step()).toBe(false);
    expect(await segments()).toMatchObject([
      { id, level: 0, squashedThrough: (await lake.catalog.segmentChanges(0)).version },
    ]);
    expect(squashing.stats.jobs).toBe(0);
  });

  test("waits until a file has stood for a while", async () => {
    await lake.store([event(1, "anon")]);
    await lake.flush([], [moved("anon", "user")]);
    const squashing = await compactor({ squashMs: HOUR_MS });
    expect(await squashing.step()).toBe(false);
    await lake.db.write((tx) => tx`update segments set registered_at_ms = registered_at_ms - ${2 * HOUR_MS}`);
    // Old events wait longer: an eighth of their age,
    expect(await squashing.step()).toBe(false);
    await lake.db.write((tx) => tx`update segments set max_ms = ${Date.now() - 8 * HOUR_MS}`);
    expect(await squashing.step()).toBe(true);
    // or a day.
    await lake.store([event(2, "anon")]);
    await lake.db.write((tx) => tx`update segments set registered_at_ms = registered_at_ms - ${25 * HOUR_MS}`);
    expect(await squashing.step()).toBe(true);
    expect((await personsOfEvents({ persons: false }))[0]).toEqual(["anon", idOf("user")]);
  });

  test("does not claim a merge that was committed while it worked", async () => {
    await lake.store([event(1, "anon"), event(2, "late")]);
    await lake.store([event(3, "anon"), event(4, "late")]);
    await lake.flush([], [moved("anon", "user")]);
    const interrupted: Catalog = {
      ...lake.catalog,
      replaceSegments: async (swap) => {
        await lake.flush([], [moved("late", "user")]);
        await lake.catalog.replaceSegments(swap);
      },
    };
    const squashing = await compactor({ catalog: interrupted, fanout: 2, squashMs: HOUR_MS });
    expect(await squashing.step()).toBe(true);
    const [only] = await segments();
    expect(only!.rowCount).toBe(4);
    expect(only!.squashedThrough).toBeLessThan(await mergesVersion());
    const user = idOf("user");
    expect((await personsOfEvents({ persons: false })).map((r) => r[1])).toEqual([
      user,
      idOf("late"),
      user,
      idOf("late"),
    ]);
    expect((await personsOfEvents({ persons: true })).map((r) => r[1])).toEqual([user, user, user, user]);
  });

  test("keeps projects apart that share a file", async () => {
    const twin = (n: number) => row(n, { teamId: 2, distinctId: "anon", personId: idOf("anon") });
    await lake.store([event(1, "anon"), twin(2)]);
    await lake.flush([], [moved("anon", "user")]);
    expect(await (await compactor()).step()).toBe(true);
    expect(await personsOfEvents({ persons: false })).toEqual([["anon", idOf("user")]]);
    expect(await lake.ask(2, (r) => `select person_id from ${allEvents(r)}`)).toEqual([[idOf("anon")]]);
  });
});

describe("compaction of the log", () => {
  test("gives up when an input was taken meanwhile; nothing is lost then", async () => {
    for (let n = 0; n < 2; n++) {
      await lake.flush(
        [],
        [
          {
            kind: "seen",
            teamId: TEAM,
            version: { tMs: n, source: 2, ordinal: n },
            subject: { type: "person", distinctId: "a", personId: idOf("a") },
            atMs: n,
          },
        ],
      );
    }
    const robbed: Catalog = {
      ...lake.catalog,
      replaceSegments: async (swap) => {
        await lake.db.write(
          (tx) => tx`update segments set state = 'replaced', replaced_at = 1 where id = ${swap.inputs[0]!}`,
        );
        try {
          await lake.catalog.replaceSegments(swap);
        } finally {
          await lake.db.write(
            (tx) => tx`update segments set state = 'live', replaced_at = null where id = ${swap.inputs[0]!}`,
          );
        }
      },
    };
    await expect((await compactor({ catalog: robbed, fanout: 2 })).step()).rejects.toMatchObject({
      code: "compaction_conflict",
    });
    const created = () =>
      lake.ask(TEAM, (r) => `select epoch_ms(created_at)::integer from ${r.persons({ properties: false })}`);
    expect(await created()).toEqual([[0]]);
    const merging = await compactor({ fanout: 2 });
    expect(await merging.step()).toBe(true);
    await merging.collect();
    expect(await created()).toEqual([[0]]);
    const { added } = await lake.catalog.segmentChanges(0);
    expect(added).toMatchObject([{ kind: "log", level: 1, rowCount: 1, teamId: TEAM }]);
  });
});
