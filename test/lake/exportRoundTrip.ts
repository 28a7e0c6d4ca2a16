import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { LakeExporter } from "../../src/lake/mod.ts";
import type { EventRow } from "../../src/types/mod.ts";
import { row, sql, tempFolder } from "./support.ts";
import { TestLake } from "./testLake.ts";

const START = Date.UTC(2024, 0, 11);
const DAY_MS = 86_400_000;
const DAYS = 4;
/** Of a file that are looked at together. */
const READ_ROWS = 100_000;
/** What the interval has accepted; later events are not in it. */
const END = START + 1_000 * DAY_MS;

/** Of the events of a day: how many, and a sum over what they hold. */
type Days = Record<string, { count: number; sum: bigint }>;

function add(days: Days, day: string, text: string): void {
  days[day] ??= { count: 0, sum: 0n };
  days[day].count++;
  days[day].sum += Bun.hash.xxHash64(text);
}

/** The events of a file from one row on: their days and texts. */
async function eventsOf(path: string, from: number): Promise<[day: string, text: string][]> {
  const rows = await sql(`select uuid, event, distinct_id, properties, epoch_ms("timestamp")::double
    from read_parquet('${path}', file_row_number = true)
    where file_row_number >= ${from} and file_row_number < ${from + READ_ROWS}`);
  return (rows as [string, string, string, string, number][]).map(([uuid, event, distinctId, properties, ms]) => [
    new Date(ms).toISOString().slice(0, 10),
    [uuid, event, distinctId, properties].join(),
  ]);
}

/**
 * Exports of events while others come in and files are merged: after the snapshot of an export is taken, and before anything is read
 * of it, more is stored, all is compacted, and what is of no use is collected; this goes on while it reads.
 */
export function describeExportRoundTrip({
  events,
  flushEvents,
  rowsAtOnce,
}: {
  events: number;
  flushEvents: number;
  rowsAtOnce: number;
}): void {
  describe(`${events} events, exported while more come in and files are merged`, () => {
    const folder = tempFolder();
    const stored: Days = {};
    let lake: TestLake;
    let made = 0;
    let merges = 0;

    const rowsOf = (count: number, createdAtMs: (n: number) => number): EventRow[] =>
      Array.from({ length: count }, () => {
        const n = made++;
        return row(n, {
          createdAtMs: createdAtMs(n),
          timestampMs: START + (n % DAYS) * DAY_MS + (n % 1_000),
          properties: `{"n":${n},"text":"é ${n % 97}"}`,
        });
      });

    async function more(): Promise<void> {
      await lake.store(rowsOf(500, (n) => END + n));
      const compactor = lake.compactor();
      while (await compactor.step()) merges++;
      await compactor.collect();
    }

    beforeAll(async () => {
      lake = await TestLake.open();
      while (made < events) {
        const rows = rowsOf(Math.min(flushEvents, events - made), (n) => START + n);
        await lake.store(rows);
        for (const { timestampMs, uuid, event, distinctId, properties } of rows) {
          add(stored, new Date(timestampMs).toISOString().slice(0, 10), [uuid, event, distinctId, properties].join());
        }
      }
    }, 3_600_000);
    afterAll(async () => {
      await lake.close();
      folder.dispose();
    });

    test.each([null, 1 << 20])(
      "equals what was stored, by day; files of %p bytes at most",
      async (maxPartBytes) => {
        const { catalog } = lake;
        let isOver = false;
        let feeding: Promise<void> | null = null;
        const before = merges;
        const files = new Set(
          (await catalog.readSnapshot({ teamId: 1, fromMs: null, toMs: null })).segments.map((s) => s.id),
        );
        const exporter = new LakeExporter({
          storage: lake.storage,
          catalog: {
            holdFiles: (ms) => catalog.holdFiles(ms),
            renewPin: (id, ms) => catalog.renewPin(id, ms),
            unpin: (id) => catalog.unpin(id),
            async readSnapshot(wish) {
              const snapshot = await catalog.readSnapshot(wish);
              await more();
              feeding ??= (async () => {
                while (!isOver) await more();
              })();
              return snapshot;
            },
          },
          memoryLimitBytes: 256 << 20,
          spillLimitBytes: 1 << 30,
          scratch: folder.path,
          rowsAtOnce,
        });
        const found: Days = {};
        const exported = await exporter.write(
          {
            teamId: 1,
            source: { model: "events", fromMs: null, toMs: END, include: [], exclude: [] },
            form: { format: "Parquet", compression: "zstd", maxPartBytes },
            folder: join(folder.path, crypto.randomUUID()),
            signal: new AbortController().signal,
          },
          async ({ path, records }) => {
            for (let from = 0; from < records; from += READ_ROWS) {
              for (const event of await eventsOf(path, from)) add(found, ...event);
            }
          },
        );
        isOver = true;
        await feeding;
        await exporter.close();
        expect(exported).toBe(events);
        expect(found).toEqual(stored);
        // The files that it read were merged away meanwhile.
        expect(merges).toBeGreaterThan(before);
        const now = (await catalog.readSnapshot({ teamId: 1, fromMs: null, toMs: null })).segments;
        expect(now.every(({ id }) => files.has(id))).toBe(false);
      },
      3_600_000,
    );
  });
}
