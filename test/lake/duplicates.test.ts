import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { cpSync, existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import {
  type CheckedEvent,
  DuplicateIndex,
  type LiveSegment,
  LocalStore,
  SegmentWriter,
  sweepSpills,
} from "../../src/lake/mod.ts";
import { DAY_MS, dayOf, EventFlag, type EventRow } from "../../src/types/mod.ts";
import { live, NOON, row, tempFolder, uuidOf, writeEvents } from "./support.ts";

const folder = tempFolder();
const OWNED = { generation: 1, partitions: new Set([0]) };
let writer: SegmentWriter;
let made = 0;

beforeAll(() => {
  writer = new SegmentWriter({ storage: new LocalStore(folder.path), memoryLimitBytes: 512 << 20 });
});

afterAll(async () => {
  await writer.close();
  folder.dispose();
});

async function segment(rows: EventRow[], o: { level?: number; generation?: number; partitions?: number[] } = {}) {
  const options = { level: o.level ?? 0, generation: o.generation ?? 1, partitions: o.partitions ?? [0] };
  const { facts } = await writeEvents(writer, `s${made++}`, rows, { origin: options });
  return live(facts!);
}

function openIndex(maxKeys = 1_000_000, filterBytes = 1 << 20): DuplicateIndex {
  return new DuplicateIndex({ storage: new LocalStore(folder.path), maxKeys, filterBytes });
}

async function marks(index: DuplicateIndex, events: CheckedEvent[]): Promise<number[]> {
  return [...(await index.check(events))];
}

describe("duplicates", () => {
  test("are events that agree in all five fields with a stored one", async () => {
    const index = openIndex();
    const first = row(1);
    await index.sync([await segment([first, row(2)])], OWNED);
    const others = [
      { ...first, teamId: 2 },
      { ...first, uuid: uuidOf(99) },
      { ...first, event: "Purchase" },
      { ...first, distinctId: "user-1 " },
      { ...first, timestampMs: first.timestampMs + DAY_MS },
    ];
    const copies = [first, { ...first, timestampMs: first.timestampMs + 3_600_000, properties: "{}" }];
    expect(await marks(index, [...copies, ...others])).toEqual([1, 1, 0, 0, 0, 0, 0]);
    // Looking changes nothing.
    expect(await marks(index, [...others, ...copies])).toEqual([0, 0, 0, 0, 0, 1, 1]);
    await index.close();
  });

  test("are copies of an earlier event of the same array", async () => {
    const index = openIndex();
    await index.sync([], OWNED);
    expect(await marks(index, [row(1), row(2), row(1), row(1), row(2, { event: "other" })])).toEqual([0, 0, 1, 1, 0]);
    await index.close();
  });

  test("are found in the first days of 1970, where clocks that were never set stand", async () => {
    const index = openIndex();
    const events = [0, 1, 2].map((day) => row(day, { timestampMs: day * DAY_MS }));
    await index.sync([await segment(events)], OWNED);
    expect(await marks(index, events)).toEqual([1, 1, 1]);
    await index.close();
  });

  test("do not exist where the server made the uuid", async () => {
    const index = openIndex();
    const own = row(1, { flags: EventFlag.ServerUuid });
    await index.sync([await segment([own])], OWNED);
    expect(index.keyCount).toBe(0);
    expect(await marks(index, [own, own])).toEqual([0, 0]);
    await index.close();
  });

  test("are found on the neighbouring day where the server made the time", async () => {
    const index = openIndex();
    const stored = row(1);
    await index.sync([await segment([stored])], OWNED);
    const moved = (days: number, flags: number) => ({
      ...stored,
      flags,
      timestampMs: stored.timestampMs + days * DAY_MS,
    });
    const flag = EventFlag.ServerTime;
    expect(await marks(index, [moved(-1, flag), moved(1, flag), moved(2, flag), moved(1, 0)])).toEqual([1, 1, 0, 0]);
    // Within one array, too: the third stands next to the second day.
    const fresh = openIndex();
    expect(await marks(fresh, [stored, moved(1, flag), moved(2, flag)])).toEqual([0, 1, 0]);
    await index.close();
    await fresh.close();
  });

  test("stay known when compaction replaces a segment, before and after the next look at the catalog", async () => {
    const index = openIndex();
    const rows = Array.from({ length: 50 }, (_, n) => row(n, { timestampMs: NOON + n * DAY_MS }));
    const small = [await segment(rows.slice(0, 20)), await segment(rows.slice(20))];
    await index.sync(small, OWNED);
    expect(index.keyCount).toBe(50);
    const merged = await segment(rows, { level: 1 });
    expect(await marks(index, rows)).toEqual(rows.map(() => 1));
    await index.sync([merged], OWNED);
    for (const { id } of small) for (const end of ["parquet", "keys"]) rmSync(join(folder.path, `${id}.${end}`));
    expect(index.keyCount).toBe(0);
    expect(await marks(index, [...rows, row(77)])).toEqual([...rows.map(() => 1), 0]);
    await index.close();
  });

  test("are found in each of many compacted files, while files come and are merged", async () => {
    const index = openIndex();
    const rowsOf = (file: number) => Array.from({ length: 40 }, (_, n) => row(100 * file + n));
    const files = await Promise.all([1, 2, 3, 4, 5].map((file) => segment(rowsOf(file), { level: 1 })));
    const stored = [1, 2, 3, 4, 5].flatMap(rowsOf);
    const fresh = rowsOf(9);
    const expected = [...stored.map(() => 1), ...fresh.map(() => 0)];
    const merged = await segment(stored.slice(0, 120), { level: 2 });
    for (const live of [files, files, [merged, ...files.slice(3)]]) {
      await index.sync(live, OWNED);
      expect(await marks(index, [...stored, ...fresh])).toEqual(expected);
    }
    const late = await segment(fresh, { level: 1 });
    await index.sync([merged, ...files.slice(3), late], OWNED);
    expect(await marks(index, [...stored, ...fresh])).toEqual(expected.map(() => 1));
    await index.close();
  });

  test("ask for a newer list when the file of a hit has been collected", async () => {
    const index = openIndex();
    const gone = await segment([row(1)]);
    await index.sync([gone], OWNED);
    rmSync(join(folder.path, `${gone.id}.parquet`));
    await expect(index.check([row(1)])).rejects.toMatchObject({ code: "segment_missing", retryable: true });
    expect(await marks(index, [row(2)])).toEqual([0]);
    const missing = live({ ...gone, id: "never-written" });
    await expect(index.sync([missing], OWNED)).rejects.toMatchObject({ code: "segment_missing" });
    await index.sync([live({ ...gone, id: "compacted-away", level: 1 })], OWNED);
    await expect(index.check([row(1)])).rejects.toMatchObject({ code: "segment_missing" });
    await index.close();
  });

  test("are looked up with a file that goes with its process", async () => {
    const spill = join(folder.path, "spill");
    const left = join(spill, `${Bun.spawnSync(["true"]).pid}-left`);
    const storage = new LocalStore(folder.path);
    let listed: string[] = [];
    storage.hold = async (_locations, body) => {
      listed = (await storage.list()).map(({ name }) => name);
      const own = readdirSync(spill).find((name) => existsSync(join(spill, name, "hits.raw")))!;
      expect(own).toStartWith(`${process.pid}-`);
      // As a killed process leaves it.
      cpSync(join(spill, own), left, { recursive: true });
      return body();
    };
    const index = new DuplicateIndex({ storage, maxKeys: 1_000, filterBytes: 1 << 20 });
    const stored = await segment([row(1)]);
    await index.sync([stored], OWNED);
    expect(await marks(index, [row(1)])).toEqual([1]);
    expect(listed).toContain(`${stored.id}.parquet`);
    expect(listed.filter((name) => !/\.(parquet|keys)$/.test(name))).toEqual([]);
    expect(existsSync(left)).toBe(true);
    await sweepSpills(folder.path);
    expect(existsSync(left)).toBe(false);
    await index.close();
  });

  test("are looked for in own partitions and in every other generation", async () => {
    const index = openIndex();
    const segments = [
      await segment([row(1)], { partitions: [0, 5] }),
      await segment([row(2)], { partitions: [5] }),
      await segment([row(3)], { partitions: [5], generation: 7 }),
      await segment([row(4)], { partitions: [], generation: 0, level: 2 }),
    ];
    await index.sync(segments, OWNED);
    expect(await marks(index, [row(1), row(2), row(3), row(4)])).toEqual([1, 0, 1, 1]);
    await index.sync(segments, { generation: 1, partitions: new Set([0, 5]) });
    expect(await marks(index, [row(1), row(2), row(3), row(4)])).toEqual([1, 1, 1, 1]);
    await index.close();
  });

  test("a full table says so until compaction has taken keys over", async () => {
    const index = openIndex(1_000);
    const rows = Array.from({ length: 999 }, (_, n) => row(n));
    const first = await segment(rows);
    await index.sync([first], OWNED);
    expect(index.isFull).toBe(false);
    const second = await segment([row(5_000)]);
    await index.adopt(second);
    await index.adopt(second);
    expect(index.isFull).toBe(true);
    await index.sync([second, await segment(rows, { level: 1 })], OWNED);
    expect(index.isFull).toBe(false);
    expect(index.keyCount).toBe(1);
    await index.close();
  });

  test("agree with a plain set of everything stored", async () => {
    const event = fc.record({
      n: fc.integer({ min: 0, max: 40 }),
      team: fc.integer({ min: 1, max: 3 }),
      day: fc.integer({ min: -1, max: 1 }),
      name: fc.constantFrom("a", "b"),
      flags: fc.constantFrom(0, 0, 0, EventFlag.ServerTime, EventFlag.ServerUuid),
    });
    const step = fc.oneof(
      {
        weight: 3,
        arbitrary: fc.record({
          kind: fc.constant("flush" as const),
          events: fc.array(event, { maxLength: 30, size: "max" }),
        }),
      },
      { weight: 1, arbitrary: fc.record({ kind: fc.constant("compact" as const) }) },
      { weight: 4, arbitrary: fc.record({ kind: fc.constant("compactNew" as const) }) },
      { weight: 1, arbitrary: fc.record({ kind: fc.constant("restart" as const) }) },
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 24, size: "max" }),
        fc.constantFrom(8, 64, 1 << 20),
        async (steps, bytes) => {
          const world = new ModelWorld(bytes);
          for (const s of steps) {
            if (s.kind === "compact") await world.compact();
            else if (s.kind === "compactNew") await world.compactNew();
            else if (s.kind === "restart") await world.restart();
            else
              await world.flush(
                s.events.map((e) =>
                  row(e.n, { teamId: e.team, event: e.name, flags: e.flags, timestampMs: NOON + e.day * DAY_MS }),
                ),
              );
          }
          await world.close();
        },
      ),
      { numRuns: 60 },
    );
  });
});

/** A worker's life against a set of strings. */
class ModelWorld {
  private index: DuplicateIndex;
  private segments: LiveSegment[] = [];
  private stored: EventRow[] = [];
  /** Of what was stored, that no compaction has read yet. */
  private uncompacted: EventRow[] = [];
  private readonly known = new Set<string>();

  constructor(private readonly filterBytes: number) {
    this.index = this.open();
  }

  async flush(rows: EventRow[]): Promise<void> {
    await this.index.sync(this.segments, OWNED);
    const found = await this.index.check(rows);
    const fresh: EventRow[] = [];
    rows.forEach((r, i) => {
      expect(found[i]).toBe(this.isKnown(r) ? 1 : 0);
      if (found[i] === 1) return;
      if (!(r.flags & EventFlag.ServerUuid)) this.known.add(name(r, dayOf(r.timestampMs)));
      fresh.push(r);
    });
    if (fresh.length === 0) return;
    const written = await segment(fresh);
    this.segments.push(written);
    this.stored.push(...fresh);
    this.uncompacted.push(...fresh);
    await this.index.adopt(written);
  }

  async compact(): Promise<void> {
    if (this.stored.length > 0) this.segments = [await segment(this.stored, { level: 1 })];
    this.uncompacted = [];
  }

  /** Beside the files that were compacted before. */
  async compactNew(): Promise<void> {
    if (this.uncompacted.length === 0) return;
    const merged = await segment(this.uncompacted, { level: 1 });
    this.segments = [...this.segments.filter(({ level }) => level > 0), merged];
    this.uncompacted = [];
  }

  async restart(): Promise<void> {
    await this.index.close();
    this.index = this.open();
  }

  private open(): DuplicateIndex {
    return openIndex(1_000_000, this.filterBytes);
  }

  close(): Promise<void> {
    return this.index.close();
  }

  private isKnown(r: EventRow): boolean {
    if (r.flags & EventFlag.ServerUuid) return false;
    const day = dayOf(r.timestampMs);
    const days = r.flags & EventFlag.ServerTime ? [day - 1, day, day + 1] : [day];
    return days.some((d) => this.known.has(name(r, d)));
  }
}

function name(r: EventRow, day: number): string {
  return JSON.stringify([r.teamId, day, r.event, r.distinctId, r.uuid]);
}
