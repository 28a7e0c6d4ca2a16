import { afterAll, afterEach, beforeEach, describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { Engine } from "../../src/lake/engine/mod.ts";
import { type Journey, JourneyWriter, MAX_KINDS, openJourney } from "../../src/lake/journeys/mod.ts";
import { eraseProjects, type LiveSegment, verifyErased, verifyFiles } from "../../src/lake/mod.ts";
import { DAY_MS, EventFlag } from "../../src/types/mod.ts";
import { encodeJourney } from "./journeyScene.ts";
import { idOf, TEAM } from "./people/support.ts";
import { IDS, Told } from "./people/told.ts";
import { NOON, row, sql, tempFolder, uuidOf } from "./support.ts";
import { TestLake } from "./testLake.ts";

const folder = tempFolder();
afterAll(() => folder.dispose());

let lake: TestLake;
let told: Told;
beforeEach(async () => {
  lake = await TestLake.open();
  told = new Told(lake);
});
afterEach(() => lake.close());

const pathOf = ({ id }: { id: string }, suffix: string, at = lake) => join(at.directory, `${id}.${suffix}`);
const options = () => ({ catalog: lake.catalog, storage: lake.storage, memoryLimitBytes: 256 << 20 });
const problems = async () => (await verifyFiles(options())).problems;

async function live(at = lake): Promise<LiveSegment[]> {
  return (await at.catalog.segmentChanges(0)).added;
}

async function withJourney(at = lake): Promise<LiveSegment[]> {
  return (await live(at)).filter(({ hasJourney }) => hasJourney);
}

/** One of its rows: person, epoch ms, event with its person mode, place in the file. */
type Entry = [person: number, ms: number, event: string, row: number];

function entriesOf(journey: Journey): Entry[] {
  const { persons, starts, baseMs, offsetsMs, names, modes, events, rows } = journey;
  return [...persons].flatMap((person, at) =>
    Array.from({ length: starts[at + 1]! - starts[at]! }, (_, i): Entry => {
      const place = starts[at]! + i;
      return [person, baseMs + offsetsMs[place]!, `${names[events[place]!]!} ${modes[events[place]!]!}`, rows[place]!];
    }),
  );
}

/** The rows of a file, with their uuids, sorted by comparing. */
async function sortedRows(path: string): Promise<{ entry: Entry; uuid: string }[]> {
  const found = await sql(
    `select person_number, epoch_ms("timestamp"), event || ' ' || person_mode, file_row_number, uuid
     from read_parquet('${path}', file_row_number = true)`,
  );
  const rows = found.map(([person, ms, event, place, uuid]) => {
    return { entry: [Number(person), Number(ms), String(event), Number(place)] as Entry, uuid: String(uuid) };
  });
  return rows.sort(
    (a, b) =>
      a.entry[0] - b.entry[0] || a.entry[1] - b.entry[1] || (a.uuid < b.uuid ? -1 : 1) || a.entry[3] - b.entry[3],
  );
}

async function expectBruteForce(segment: { id: string }, at = lake): Promise<Journey> {
  const journey = openJourney(Bun.mmap(pathOf(segment, "journey", at)));
  const rows = await sortedRows(pathOf(segment, "parquet", at));
  expect(entriesOf(journey)).toEqual(rows.map(({ entry }) => entry));
  const counts = new Map<string, number>();
  for (const { entry } of rows) counts.set(entry[2], (counts.get(entry[2]) ?? 0) + 1);
  const kinds = journey.names.map((name, i) => `${name} ${journey.modes[i]!}`);
  expect(kinds).toEqual([...counts.keys()].sort());
  expect(journey.counts).toEqual(kinds.map((kind) => counts.get(kind)!));
  expect([journey.rowCount, journey.names.length]).toEqual([rows.length, counts.size]);
  return journey;
}

/** Stores events in two flushes, and has them compacted into files of the project's own. */
async function compactedOf(list: Parameters<Told["store"]>[0]) {
  const half = list.length >> 1;
  await told.store(list.slice(0, half));
  await told.store(list.slice(half));
  while (await told.compact());
}

/** The only segment of events, of so many rows that its project has files of its own. */
async function oneCompacted(of: (i: number) => { event?: string; timestampMs?: number; uuid?: string }, rows = 800) {
  const list = Array.from({ length: rows }, (_, i) => {
    const defaults = { event: "seen", timestampMs: NOON + ((i * 7919) % 1_000) };
    return { id: IDS[(i * 5) % IDS.length]!, uuid: crypto.randomUUID(), ...defaults, ...of(i) };
  });
  const half = rows >> 1;
  await told.store(list.slice(0, half));
  await told.store(list.slice(half));
  const compactor = lake.compactor({ compactTargetBytes: 128 * 1024, compactMs: 0 });
  while (await compactor.step());
  const [segment, ...others] = (await live()).filter(({ kind }) => kind === "events");
  expect(others).toEqual([]);
  expect(segment!.hasJourney).toBe(true);
  return segment!;
}

describe("a journey", () => {
  test("has the events of its segment in order, whatever was stored, merged, deleted and compacted", async () => {
    const id = fc.constantFrom(...IDS);
    const event = fc.constantFrom("seen", "bought", "left", "größer 🙂");
    const when = fc.constantFrom(0, 1, 1_000, DAY_MS - 1, DAY_MS, 3 * DAY_MS, 70 * DAY_MS);
    const flags = fc.constantFrom(0, 0, EventFlag.Personless);
    const some = fc.array(fc.tuple(id, event, when, flags), { minLength: 1, maxLength: 8 });
    const step = fc.oneof(
      { weight: 2, arbitrary: fc.record({ store: some }) },
      { weight: 2, arbitrary: fc.record({ merge: fc.tuple(id, id) }) },
      { weight: 1, arbitrary: fc.record({ erase: id }) },
      { weight: 3, arbitrary: fc.record({ compact: fc.constant(true) }) },
    );
    const startMs = fc.constantFrom(NOON, Date.UTC(1969, 11, 30));
    const steps = fc.array(step, { minLength: 3, maxLength: 10 });
    let seen = 0;
    await fc.assert(
      fc.asyncProperty(startMs, fc.tuple(some, some), steps, async (startMs, first, steps) => {
        const fresh = await TestLake.open();
        try {
          const told = new Told(fresh);
          const store = (list: (typeof first)[0], times: number) =>
            told.store(
              Array.from({ length: times }, () => list)
                .flat()
                .map(([id, event, ms, flags]) => {
                  return { id, event, timestampMs: startMs + ms, uuid: crypto.randomUUID(), flags };
                }),
            );
          for (const list of first) await store(list, Math.ceil(400 / list.length));
          await told.compact();
          for (const each of steps) {
            if ("store" in each) await store(each.store, 10);
            else if ("merge" in each) await told.merge(...each.merge);
            else if ("erase" in each) await told.erase(each.erase);
            else await told.compact();
            for (const segment of await withJourney(fresh)) await expectBruteForce(segment, fresh);
          }
          while (await told.compact());
          seen += await expectAsTold(told);
        } finally {
          await fresh.close();
        }
      }),
      { numRuns: 15 },
    );
    expect(seen).toBeGreaterThan(1_000);
  });

  /** Of a lake in which nothing is left to do: the journeys have the events that there are, under their persons. Gives how many. */
  async function expectAsTold(told: Told): Promise<number> {
    const [roster] = (await live(told.lake)).filter(({ kind }) => kind === "roster");
    const numbers = new Map<unknown, number>();
    if (roster !== undefined) {
      for (const [id, number] of await sql(`select person_id, number from '${pathOf(roster, "parquet", told.lake)}'`)) {
        numbers.set(id, Number(number));
      }
    }
    const events = new Map(told.events.map((event) => [event.uuid, event]));
    let found = 0;
    for (const segment of await withJourney(told.lake)) {
      await expectBruteForce(segment, told.lake);
      for (const { entry, uuid } of await sortedRows(pathOf(segment, "parquet", told.lake))) {
        const { distinctId, timestampMs, event, flags } = events.get(uuid)!;
        const person = numbers.get(idOf(told.survivors.get(distinctId)!))!;
        const mode = flags & EventFlag.Personless ? 1 : 0;
        expect(entry.slice(0, 3)).toEqual([person, timestampMs, `${event} ${mode}`]);
        found++;
      }
    }
    return found;
  }

  test("has names in 1 byte up to 256, else in 2", async () => {
    const few = await oneCompacted((i) => ({ event: `event ${i % 256}` }));
    expect((await expectBruteForce(few)).events).toBeInstanceOf(Uint8Array);
    await lake.close();
    lake = await TestLake.open();
    told = new Told(lake);
    const many = await oneCompacted((i) => ({ event: `event ${i % 257}` }));
    expect((await expectBruteForce(many)).events).toBeInstanceOf(Uint16Array);
    expect(await problems()).toEqual([]);
  });

  test("has times in 4 bytes up to 49.7 days, else in 8", async () => {
    const startMs = Date.UTC(1969, 10, 20);
    const within = await oneCompacted((i) => ({ timestampMs: startMs + (i === 7 ? 2 ** 32 - 1 : (i % 9) * DAY_MS) }));
    expect((await expectBruteForce(within)).offsetsMs).toBeInstanceOf(Uint32Array);
    await lake.close();
    lake = await TestLake.open();
    told = new Told(lake);
    const beyond = await oneCompacted((i) => ({ timestampMs: startMs + (i === 7 ? 2 ** 32 : (i % 90) * DAY_MS) }));
    const { offsetsMs, baseMs } = await expectBruteForce(beyond);
    expect(offsetsMs).toBeInstanceOf(Float64Array);
    expect(baseMs).toBe(startMs);
    expect(await problems()).toEqual([]);
  });

  test("has events of one time in order of their uuids", async () => {
    const segment = await oneCompacted((i) => ({
      event: i % 2 ? "a" : "b",
      timestampMs: NOON + (i % 3),
      // Some differ in their last bytes only.
      uuid: i % 4 === 0 ? crypto.randomUUID() : uuidOf((i * 7_919) % 1_000_003),
    }));
    const { rows, starts } = await expectBruteForce(segment);
    const own = [...rows.subarray(starts[0]!, starts[1]!)];
    expect(own).not.toEqual(own.toSorted((a, b) => a - b));
    expect(await problems()).toEqual([]);
  });

  test("follows persons who were merged, once their file is written again", async () => {
    const list = Array.from({ length: 800 }, (_, i) => ({
      id: ["a", "b", "c"][i % 3]!,
      event: "seen",
      timestampMs: NOON + i,
    }));
    await compactedOf(list);
    await told.merge("a", "b");
    while (await told.compact());
    const [segment] = await withJourney();
    const { persons, starts } = await expectBruteForce(segment!);
    expect([persons.length, [...starts]]).toEqual([2, expect.arrayContaining([0, 800])]);
    expect([starts[1]! - starts[0]!, starts[2]! - starts[1]!].sort()).toEqual([266, 534]);
  });

  test("that cannot hold its names is none", async () => {
    const engine = new Engine({
      threads: 1,
      memoryLimitBytes: 256 << 20,
      tempDirectory: join(folder.path, "spill"),
      tempLimitBytes: 1e9,
    });
    const writer = new JourneyWriter(folder.path, engine);
    const write = async (names: number) => {
      const path = join(folder.path, `x${names}.parquet.tmp`);
      await sql(
        `copy (select 1::bigint as team_id, uuid() as uuid, 'event ' || range as event, 0::utinyint as person_mode, (range % 7)::integer as person_number,
           make_timestamp_ms(range * 1_000) as "timestamp" from range(${names})) to '${path}' (format parquet)`,
      );
      return writer.write(`x${names}`);
    };
    expect(await write(MAX_KINDS + 1)).toBe(false);
    expect(existsSync(join(folder.path, `x${MAX_KINDS + 1}.journey.tmp`))).toBe(false);
    expect(await write(MAX_KINDS)).toBe(true);
    const most = openJourney(await Bun.file(join(folder.path, `x${MAX_KINDS}.journey.tmp`)).bytes());
    expect(entriesOf(most)).toEqual(
      (await sortedRows(join(folder.path, `x${MAX_KINDS}.parquet.tmp`))).map(({ entry }) => entry),
    );
    await engine.close();
  });
});

describe("a file of a journey", () => {
  const journey: Journey = {
    rowCount: 3,
    names: ["größer", "seen"],
    modes: [1, 0],
    counts: [1, 2],
    persons: Uint32Array.of(4, 9),
    starts: Uint32Array.of(0, 2, 3),
    baseMs: -5,
    offsetsMs: Uint32Array.of(0, 7, 2 ** 32 - 1),
    events: Uint8Array.of(1, 0, 1),
    rows: Uint32Array.of(2, 0, 1),
  };
  const wide: Journey = { ...journey, offsetsMs: Float64Array.of(0, 7, 2 ** 40), events: Uint16Array.of(1, 0, 1) };

  test("is opened without copying its columns", async () => {
    for (const each of [journey, wide]) {
      const path = join(folder.path, `${crypto.randomUUID()}.journey`);
      await Bun.write(path, encodeJourney(7, each));
      const bytes = Bun.mmap(path);
      const opened = openJourney(bytes);
      expect(opened).toEqual(each);
      const columns = [opened.persons, opened.starts, opened.offsetsMs, opened.events, opened.rows];
      expect(columns.every(({ buffer }) => buffer === bytes.buffer)).toBe(true);
      const moved = new Uint8Array(bytes.length + 3);
      moved.set(bytes, 3);
      expect(openJourney(moved.subarray(3))).toEqual(each);
    }
  });

  test("is opened where no one has done anything", () => {
    const empty: Journey = {
      ...journey,
      rowCount: 0,
      names: [],
      modes: [],
      counts: [],
      persons: new Uint32Array(),
      starts: new Uint32Array(1),
      offsetsMs: new Uint32Array(),
      events: new Uint8Array(),
      rows: new Uint32Array(),
    };
    expect(openJourney(encodeJourney(7, empty))).toEqual(empty);
  });

  test("is not opened when it is another one, cut short, or says what cannot be", () => {
    const good = encodeJourney(7, journey);
    const refused = (bytes: Uint8Array) =>
      expect(() => openJourney(bytes)).toThrow(expect.objectContaining({ code: "journey_unreadable" }));
    for (let length = 0; length < good.length; length++) refused(good.slice(0, length));
    refused(Buffer.concat([good, new Uint8Array(1)]));
    for (let at = 0; at < 16; at++) {
      const bytes = good.slice();
      bytes[at]! ^= 0xff;
      refused(bytes);
    }
    const head = Buffer.from(good).toString("latin1");
    const changed = (from: string, to: string) => {
      expect(head).toContain(from);
      expect(to.length).toBe(from.length);
      refused(Buffer.from(head.replace(from, to), "latin1"));
    };
    changed(`{"teamId"`, `["teamId"`);
    changed(`"rowCount":3`, `"rowCount":4`);
    changed(`"personCount":2`, `"personCount":1`);
    changed(`"personCount":2`, `"personCount":9`);
    changed(`"counts":[1,2]`, `"counts":[2,2]`);
    changed(`"counts":[1,2]`, `"counts":[333]`);
    changed(`"modes":[1,0]`, `"modes":[100]`);
    changed(`"modes":[1,0]`, `"modes":[1,x]`);
    changed(`"time":4`, `"time":8`);
    changed(`"event":1`, `"event":3`);
    changed(`"baseMs":-5`, `"baseMs":.5`);
    changed(`"seen"`, `  null`);
  });

  test("is counted, checked and removed with its segment", async () => {
    const segment = await oneCompacted((i) => ({ event: i % 3 ? "seen" : "left" }));
    const path = pathOf(segment, "journey");
    expect(await problems()).toEqual([]);
    const good = await Bun.file(path).bytes();
    const sizes = ["parquet", "keys", "activity.parquet", "journey", "persons.parquet"].map((suffix) => {
      return Bun.file(pathOf(segment, suffix)).size;
    });
    expect(segment.sizeBytes).toBe(sizes.reduce((sum, size) => sum + size, 0));
    const flipped = good.slice();
    flipped[flipped.length - 1]! ^= 1;
    await Bun.write(path, flipped);
    expect(await problems()).toMatchObject([{ id: segment.id, problem: "changed" }]);
    await Bun.file(path).delete();
    expect(await problems()).toMatchObject([{ id: segment.id, problem: "missing" }]);
    await Bun.write(path, good);
    expect(await problems()).toEqual([]);
    await told.erase("a");
    while (await told.compact());
    await lake.compactor().collect();
    expect([path, pathOf(segment, "parquet")].map((file) => existsSync(file))).toEqual([false, false]);
    expect(await problems()).toEqual([]);
  });

  test("differs from its rows: each difference is found, whatever the checksum is", async () => {
    const segment = await oneCompacted((i) => ({ event: i % 3 ? "seen" : "left", timestampMs: NOON + (i % 40) }));
    const path = pathOf(segment, "journey");
    const good = (await Bun.file(path).bytes()).slice();
    const setSize = async (sizeBytes: number) => {
      await lake.db.write(
        (tx) => tx`update segments set checksum = '', size_bytes = ${sizeBytes} where id = ${segment.id}`,
      );
    };
    await setSize(segment.sizeBytes);
    expect(await problems()).toEqual([]);
    const swap = (column: Uint32Array | Uint8Array, a: number, b: number) => {
      [column[a], column[b]] = [column[b]!, column[a]!];
    };
    const changes: ((journey: Journey) => void)[] = [
      ({ rows }) => (rows[5] = rows[6]!),
      ({ rows }) => (rows[5] = 2 ** 32 - 1),
      ({ rows, starts }) => swap(rows, starts[1]! - 1, starts[1]!),
      ({ events }) => (events[3]! ^= 1),
      ({ offsetsMs }) => offsetsMs[3]!++,
      ({ persons }) => swap(persons, 0, 1),
      ({ persons }) => persons[persons.length - 1]!++,
      ({ starts }) => starts[1]!++,
      ({ starts }) => swap(starts, 1, 2),
      // One of two that are alike, twice.
      ({ rows, events, offsetsMs }) => {
        const at = rows.findIndex((_, i) => offsetsMs[i] === offsetsMs[i + 1] && events[i] === events[i + 1]);
        rows[at] = rows[at + 1]!;
      },
      // Two of one time.
      ({ rows, events, offsetsMs }) => {
        const at = offsetsMs.findIndex((ms, i) => ms === offsetsMs[i + 1]);
        swap(rows, at, at + 1);
        swap(events as Uint8Array, at, at + 1);
      },
    ];
    for (const change of changes) {
      const bytes = good.slice();
      change(openJourney(bytes));
      await Bun.write(path, bytes);
      expect(await problems()).toMatchObject([{ id: segment.id, problem: "journey" }]);
    }
    const whole = openJourney(good);
    const others: [number, Journey][] = [
      [TEAM + 1, whole],
      [TEAM, { ...whole, names: ["left", "seem"] }],
      [TEAM, { ...whole, modes: [0, 1] }],
      [TEAM, { ...whole, counts: [whole.counts[0]! + 1, whole.counts[1]! - 1] }],
      [TEAM, journey],
    ];
    for (const [teamId, other] of others) {
      const bytes = encodeJourney(teamId, other);
      await Bun.write(path, bytes);
      await setSize(segment.sizeBytes - good.length + bytes.length);
      expect(await problems()).toMatchObject([{ id: segment.id, problem: "journey" }]);
    }
    await Bun.write(path, good.slice(0, -4));
    await setSize(segment.sizeBytes - 4);
    expect(await problems()).toMatchObject([{ id: segment.id, problem: "unreadable" }]);
  });

  test("has nothing of a deleted person or project once they were erased, and is searched for them", async () => {
    await compactedOf(
      Array.from({ length: 800 }, (_, i) => ({
        id: ["a", "b", "c", "d"][i % 4]!,
        event: "seen",
        timestampMs: NOON + i,
      })),
    );
    const [before] = await withJourney();
    expect((await expectBruteForce(before!)).persons.length).toBe(4);
    const copy = join(lake.directory, "copy.journey");
    await Bun.write(copy, Bun.file(pathOf(before!, "journey")));
    await told.erase("a");
    const places = async () =>
      (await verifyErased(options())).leftovers.map(({ place }) => place.replace(/^[^.]*\./, ""));
    expect(await places()).toContain("journey");
    while (await told.compact());
    await lake.compactor().collect();
    const [after] = await withJourney();
    const { persons, rowCount } = await expectBruteForce(after!);
    expect([persons.length, rowCount]).toEqual([3, 600]);
    expect((await verifyErased(options())).leftovers).toEqual([{ place: "copy.journey", teamId: TEAM, rows: 200 }]);
    await Bun.file(copy).delete();
    expect(await places()).toEqual([]);
    await lake.db.write((tx) => eraseProjects(tx, [TEAM], 0));
    expect(await places()).toContain("journey");
    while (await told.compact());
    await lake.compactor().collect();
    expect(await places()).toEqual([]);
  });

  test("is read while what was deleted is of the log alone: a group, the properties of a person", async () => {
    await told.begin();
    const files = async () => (await lake.ask(TEAM, (r) => `select ${r.journeys()?.files.length ?? 0}`))[0]![0];
    const order = { teamId: TEAM, accepted: { generation: 1, sequences: [] }, requestedAtMs: 0 };
    const subject = { type: "group", index: 0, key: "acme" } as const;
    const version = { tMs: NOON, source: 2, ordinal: 1 };
    await lake.flush([], [{ kind: "seen", teamId: TEAM, subject, atMs: NOON, version }]);
    await lake.catalog.ensureGroupTypes(TEAM, ["company"]);
    await lake.catalog.eraseGroup({ ...order, index: 0, key: "acme" });
    await lake.catalog.erasePerson({ ...order, personId: idOf("a"), distinctIds: ["a"], withEvents: false });
    expect(await files()).toBe(1);
    await told.erase("b");
    expect(await files()).toBe(0);
  });

  test("is not beside rows without numbers: fresh ones, and those of small projects", async () => {
    await lake.store(Array.from({ length: 20 }, (_, n) => row(n)));
    await lake.store(Array.from({ length: 20 }, (_, n) => row(20 + n, { teamId: 1 + (n % 2) })));
    const compactor = lake.compactor();
    const expectNone = async () => {
      const segments = await live();
      expect(segments.map(({ hasJourney, isNumbered }) => hasJourney || isNumbered)).toEqual(segments.map(() => false));
      expect(segments.map((segment) => existsSync(pathOf(segment, "journey")))).toEqual(segments.map(() => false));
      expect(await problems()).toEqual([]);
    };
    await expectNone();
    while (await compactor.step());
    await compactor.collect();
    expect(await live()).toHaveLength(1);
    await expectNone();
  });

  test("is written by and by beside those that were numbered before there were any", async () => {
    const segment = await oneCompacted(() => ({}));
    expect(await lake.catalog.dueForBackfill(0)).toBeNull();
    // One that cannot have any is not tried again.
    await lake.db.write((tx) => tx`update segments set has_journey = 0 where id = ${segment.id}`);
    expect(await lake.catalog.dueForBackfill(0)).toBeNull();
    await lake.db.write((tx) => tx`update segments set has_journey = null where id = ${segment.id}`);
    expect(await withJourney()).toEqual([]);
    expect(await lake.catalog.dueForBackfill(0)).toBe(segment.id);
    while (await told.compact());
    for (const each of (await live()).filter(({ kind }) => kind === "events")) await expectBruteForce(each);
    expect(await lake.catalog.dueForBackfill(0)).toBeNull();
  });
});
