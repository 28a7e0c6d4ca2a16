import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { join } from "node:path";
import fc from "fast-check";
import { dayStart } from "../../src/lake/compaction/localDays.ts";
import { type ActivityRequest, eraseProjects, verifyErased, verifyFiles } from "../../src/lake/mod.ts";
import { atMs, dayOf, type EventRow } from "../../src/types/mod.ts";
import { setTimezone } from "../support/timezones.ts";
import { TEAM } from "./people/support.ts";
import { IDS, Told } from "./people/told.ts";
import { sql } from "./support.ts";
import { TestLake } from "./testLake.ts";

const HOUR_MS = 3_600_000;
const ZONES = [
  "UTC",
  "America/New_York",
  "Asia/Kolkata",
  "Australia/Lord_Howe",
  "America/Sao_Paulo",
  "Pacific/Apia",
  "Africa/Casablanca",
];
/** Shortly before changes of some clock. */
const STARTS = ["2018-11-02", "2018-02-16", "2020-10-02", "2011-12-28", "1969-12-30"].map((day) => Date.parse(day));
const zone = fc.constantFrom(...ZONES);
/** Many on the edges of hours. */
const offset = fc
  .tuple(fc.integer({ min: 0, max: 96 }), fc.constantFrom(0, 0, -1, 1_800_000))
  .map(([hours, ms]) => hours * HOUR_MS + ms);

test("the day of a zone that holds a time is found by arithmetic", async () => {
  const times = fc.array(
    fc.oneof(
      fc.tuple(fc.constantFrom(...STARTS), offset).map(([startMs, ms]) => startMs + ms),
      fc.integer({ min: Date.UTC(1900, 0), max: Date.UTC(2200, 0) }),
    ),
    { minLength: 1, maxLength: 20 },
  );
  await fc.assert(
    fc.asyncProperty(zone, times, async (timezone, list) => {
      const utcDays = [...new Set(list.map((ms) => dayOf(ms)))].sort((a, b) => a - b);
      const found = await sql(
        `select ${dayStart("ms", utcDays, timezone)} from (select unnest([${list.join(", ")}]::bigint[]) as ms)`,
      );
      const starts = list.map((ms) => String(atMs(ms, timezone).startOfDay().epochMilliseconds));
      expect(found.map(([start]) => start)).toEqual(starts);
    }),
    { numRuns: 200 },
  );
});

let lake: TestLake;

beforeEach(async () => {
  lake = await TestLake.open();
});
afterEach(() => lake.close());

const options = () => ({ catalog: lake.catalog, storage: lake.storage, memoryLimitBytes: 256 << 20 });

/** By event (or of all) and day of a zone: how many events and persons. */
type Counts = Record<string, [number, number]>;

async function counted(told: Told, o: Omit<ActivityRequest, "persons">): Promise<Counts> {
  const rows = await told.lake.ask(
    TEAM,
    (
      r,
    ) => `select ${o.anyEvent ? "'any'" : "event"} as event, timezone('${o.timezone}', timezone('UTC', "timestamp"))::date::varchar as day, sum(events),
        ${r.countPersons({ groups: 1_000 })}, count(distinct ${r.who("e")})
      from ${r.activity({ ...o, persons: true })} e group by all`,
  );
  const counts: Counts = {};
  for (const [event, day, events, persons, told] of rows) {
    expect(told).toEqual(persons);
    counts[`${event} ${day}`] = [Number(events), Number(persons)];
  }
  return counts;
}

function expected(told: Told, { timezone, anyEvent }: Omit<ActivityRequest, "persons">): Counts {
  const keyOf = ({ event, timestampMs }: EventRow) =>
    `${anyEvent ? "any" : event} ${atMs(timestampMs, timezone).toPlainDate()}`;
  const groups = Map.groupBy(told.events, keyOf);
  return Object.fromEntries([...groups].map(([key, own]) => [key, [own.length, told.personsOf(own)]]));
}

/** The files that are read, by what stands behind their ids. */
async function filesRead(o: Partial<ActivityRequest> = {}): Promise<string[]> {
  let text = "";
  await lake.ask(TEAM, (r) => {
    text = r.activity({ timezone: "UTC", anyEvent: true, persons: true, ...o });
    return text;
  });
  return [...new Set([...text.matchAll(/[0-9a-f-]{36}\.([a-z.]+)'/g)].map(([, suffix]) => suffix!))].sort();
}

const readsActivity = async (o: Partial<ActivityRequest> = {}) => (await filesRead(o)).includes("activity.parquet");

/** Enough rows for a project to get files of its own, over four days. */
const flushOf = (ids: readonly string[], startMs: number, rows = 400) =>
  Array.from({ length: rows }, (_, i) => ({
    id: ids[i % ids.length]!,
    event: ["seen", "bought", "left"][i % 3]!,
    timestampMs: startMs + ((i * 37) % 96) * HOUR_MS,
  }));

async function live() {
  return (await lake.catalog.segmentChanges(0)).added;
}

const START = Date.UTC(2024, 2, 8);

/** Two persons, and a file of theirs that compaction wrote. */
async function compacted(): Promise<Told> {
  const told = new Told(lake);
  await told.store(flushOf(["a", "b", "c"], START));
  await told.store(flushOf(["c", "a"], START));
  while (await told.compact());
  return told;
}

describe("the events by day", () => {
  test("say what the events say, whatever was merged, deleted, compacted and flushed in between, in any zone", async () => {
    const id = fc.constantFrom(...IDS);
    const when = fc.tuple(id, offset);
    const step = fc.oneof(
      { weight: 2, arbitrary: fc.record({ store: fc.array(when, { minLength: 1, maxLength: 8 }) }) },
      { weight: 2, arbitrary: fc.record({ merge: fc.tuple(id, id) }) },
      { weight: 1, arbitrary: fc.record({ erase: id }) },
      { weight: 1, arbitrary: fc.record({ zone }) },
      { weight: 4, arbitrary: fc.record({ compact: fc.constant(true) }) },
    );
    const given = fc.record({
      startMs: fc.constantFrom(...STARTS),
      zone,
      other: zone,
      steps: fc.array(step, { minLength: 3, maxLength: 10 }),
    });
    let used = 0;
    await fc.assert(
      fc.asyncProperty(given, async ({ startMs, zone, other, steps }) => {
        const fresh = await TestLake.open();
        try {
          const told = new Told(fresh);
          let timezone = zone;
          await setTimezone(fresh.db, TEAM, timezone);
          for (const ids of [
            ["a", "b"],
            ["c", "a"],
          ])
            await told.store(flushOf(ids, startMs));
          await told.compact();
          for (const each of steps) {
            if ("store" in each) {
              // So many that their file is merged with another one.
              const rows = each.store.map(([id, ms], i) => ({
                id,
                event: i % 2 ? "seen" : "paid",
                timestampMs: startMs + ms,
              }));
              await told.store(Array.from({ length: 10 }, () => rows).flat());
            } else if ("merge" in each) await told.merge(...each.merge);
            else if ("erase" in each) await told.erase(each.erase);
            else if ("zone" in each) {
              timezone = each.zone;
              await setTimezone(fresh.db, TEAM, timezone);
            } else await told.compact();
          }
          const snapshot = (await fresh.catalog.segmentChanges(0)).added;
          if (snapshot.some(({ rollupZone }) => rollupZone === timezone)) used++;
          for (const asked of [timezone, other]) {
            for (const anyEvent of [true, false]) {
              const o = { timezone: asked, anyEvent };
              expect(await counted(told, o)).toEqual(expected(told, o));
            }
          }
        } finally {
          await fresh.close();
        }
      }),
      { numRuns: 15 },
    );
    expect(used).toBeGreaterThan(0);
  });

  test("are read instead of the events where compaction has numbered the persons", async () => {
    const told = await compacted();
    expect(await filesRead()).toEqual(["activity.parquet"]);
    await told.store(flushOf(["d"], START, 30));
    expect(await filesRead()).toEqual(["activity.parquet", "parquet"]);
    const rows = await lake.ask(
      TEAM,
      (r) => `select sum(events) from ${r.activity({ timezone: "UTC", anyEvent: false, persons: false })}`,
    );
    expect(rows).toEqual([["830"]]);
  });

  test("are not read where events of an import were undone", async () => {
    await compacted();
    const importId = crypto.randomUUID();
    await lake.catalog.eraseImport({
      ...{ teamId: TEAM, importId, requestedAtMs: Date.now() },
      accepted: { generation: 1, sequences: [] },
    });
    expect(await filesRead()).toEqual(["parquet"]);
  });

  test("where most persons have no number, tell events but not persons", async () => {
    const told = await compacted();
    await told.store(flushOf(["d"], START, 300));
    expect(await readsActivity()).toBe(false);
    expect(await readsActivity({ persons: false })).toBe(true);
    const o = { timezone: "UTC", anyEvent: false };
    expect(await counted(told, o)).toEqual(expected(told, o));
  });

  test("are of one zone; when the project gets another one, compaction tells the days anew", async () => {
    const told = await compacted();
    await setTimezone(lake.db, TEAM, "Asia/Kolkata");
    expect(await readsActivity({ timezone: "Asia/Kolkata" })).toBe(false);
    const before = (await live()).filter(({ kind }) => kind === "events");
    while (await told.compact());
    const after = (await live()).filter(({ kind }) => kind === "events");
    expect(after.length).toBeGreaterThan(0);
    expect(after.map(({ rollupZone }) => rollupZone)).toEqual(after.map(() => "Asia/Kolkata"));
    expect(after.map(({ id }) => id)).not.toEqual(before.map(({ id }) => id));
    expect(await readsActivity({ timezone: "Asia/Kolkata" })).toBe(true);
    expect(await readsActivity()).toBe(false);
    expect(await lake.catalog.dueForBackfill(0)).toBeNull();
  });

  test("files that were numbered before there was any activity get it by and by", async () => {
    const told = await compacted();
    await lake.db.write((tx) => tx`update segments set activity_zone = null`);
    expect(await readsActivity()).toBe(false);
    expect(await told.compact()).toBe(true);
    expect(await readsActivity()).toBe(true);
    expect(await told.compact()).toBe(false);
  });

  test("leave out whom the roster still knows, and has forgotten, before their files are written again", async () => {
    const told = await compacted();
    const o = { timezone: "UTC", anyEvent: true };
    const check = async () => {
      expect(await readsActivity()).toBe(true);
      expect(await counted(told, o)).toEqual(expected(told, o));
    };
    await told.erase("a");
    await check();
    const [file] = (await live()).filter(({ kind }) => kind === "events");
    const [roster] = (await live()).filter(({ kind }) => kind === "roster");
    // Who comes back is somebody new, with a number of its own.
    for (const id of ["d", "e"]) await told.store(flushOf([id, "a"], START));
    // What was deleted just now is not yet due.
    await lake.db.write((tx) => tx`update erasures set requested_at_ms = ${Date.now()}`);
    const lazy = lake.compactor({ compactTargetBytes: 16 * 1024, compactMs: 0 });
    while (await lazy.step());
    expect((await live()).map(({ id }) => id)).toContain(file!.id);
    expect((await live()).map(({ id }) => id)).not.toContain(roster!.id);
    await check();
    while (await told.compact());
    await check();
  });

  test("persons who were merged since are found by their numbers, also one that came without", async () => {
    const told = await compacted();
    await told.merge("a", "b");
    await told.merge("c", "h");
    expect(await readsActivity()).toBe(true);
    const o = { timezone: "UTC", anyEvent: true };
    const counts = await counted(told, o);
    expect(counts).toEqual(expected(told, o));
    expect(Object.values(counts).map(([, persons]) => persons)).toEqual([2, 2, 2, 2]);
  });
});

describe("a file of activity", () => {
  test("is counted, checked and removed with its segment", async () => {
    const told = await compacted();
    const [segment] = (await live()).filter(({ kind }) => kind === "events");
    const path = join(lake.directory, `${segment!.id}.activity.parquet`);
    expect((await verifyFiles(options())).problems).toEqual([]);
    expect(await sql(`select count(*), sum(events) from '${path}' where event is null`)).toEqual([["12", "800"]]);
    await sql(`copy (select * replace (events + 1 as events) from '${path}') to '${path}.new' (format parquet)`);
    await Bun.write(path, await Bun.file(`${path}.new`).bytes());
    await Bun.file(`${path}.new`).delete();
    expect((await verifyFiles(options())).problems).toMatchObject([{ id: segment!.id, problem: "changed" }]);
    const sizes = await Promise.all(
      ["parquet", "keys", "activity.parquet", "journey", "persons.parquet"].map((suffix) =>
        Bun.file(join(lake.directory, `${segment!.id}.${suffix}`)).stat(),
      ),
    );
    const sizeBytes = sizes.reduce((sum, { size }) => sum + size, 0);
    await lake.db.write(
      (tx) => tx`update segments set size_bytes = ${sizeBytes}, checksum = '' where id = ${segment!.id}`,
    );
    expect((await verifyFiles(options())).problems).toMatchObject([{ id: segment!.id, problem: "activity" }]);
    await Bun.file(path).delete();
    expect((await verifyFiles(options())).problems).toMatchObject([{ id: segment!.id, problem: "missing" }]);
    expect(told.events.length).toBe(800);
  });

  test("says who did it by numbers, by which deleted persons are found, and goes with a deleted project", async () => {
    const told = await compacted();
    await told.erase("a");
    const places = async () =>
      (await verifyErased(options())).leftovers.map(({ place }) => place.replace(/^[^.]*\./, ""));
    expect(await places()).toContain("activity.parquet");
    const [file] = (await live()).filter(({ kind }) => kind === "events");
    const copy = join(lake.directory, "copy.activity.parquet");
    await Bun.write(copy, Bun.file(join(lake.directory, `${file!.id}.activity.parquet`)));
    while (await told.compact());
    await lake.compactor().collect();
    // The roster has forgotten who that was.
    expect((await verifyErased(options())).leftovers).toEqual([
      { place: "copy.activity.parquet", teamId: TEAM, rows: expect.any(Number) },
    ]);
    await Bun.file(copy).delete();
    expect(await places()).toEqual([]);
    await lake.db.write((tx) => eraseProjects(tx, [TEAM], 0));
    expect(await places()).toContain("activity.parquet");
    while (await told.compact());
    await lake.compactor().collect();
    expect(await places()).toEqual([]);
  });
});
