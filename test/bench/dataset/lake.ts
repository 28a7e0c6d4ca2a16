import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { DuckDBConnection } from "@duckdb/node-api";
import { loadConfig } from "../../../src/config.ts";
import {
  type Catalog,
  Compactor,
  FlushLayouts,
  LocalStore,
  openCatalog,
  SegmentWriter,
} from "../../../src/lake/mod.ts";
import { openDb } from "../../../src/schema.ts";
import { type EventRow, type LogRow, ordinalOf, VERSION_SOURCE } from "../../../src/types/mod.ts";
import { commitOf } from "../../support/commits.ts";
import { EVENTS_FILE, PERSONS_FILE } from "./base.ts";
import type { Vocabulary } from "./vocabulary.ts";

const FLUSH_MAX_EVENTS = 50_000;
/** So many at least, that compaction has something to do. */
const MIN_FLUSHES = 16;
const GENERATION = 1;
const GiB = 1024 ** 3;

/** Fills the data folder of a Weir from the base files, through its own writer and compactor. */
export async function writeLake(
  connection: DuckDBConnection,
  { base, dataDir, vocabulary }: { base: string; dataDir: string; vocabulary: Vocabulary },
): Promise<void> {
  const directory = join(dataDir, "lake");
  mkdirSync(directory, { recursive: true });
  const db = await openDb({ databaseUrl: null, sqlitePath: join(dataDir, "weir.db") });
  const catalog = openCatalog(db);
  const writer = new SegmentWriter({ storage: new LocalStore(directory), memoryLimitBytes: 2 * GiB });
  const layouts = new FlushLayouts(catalog, Date.now);
  const flushes = Math.max(MIN_FLUSHES, Math.ceil(vocabulary.events / FLUSH_MAX_EVENTS));
  for (let flush = 0; flush < flushes; flush++) {
    const events = await readEvents(connection, base, { flush, flushes }, vocabulary);
    const log = await readPersons(connection, base, { flush, flushes }, vocabulary);
    await store({ catalog, writer, layouts }, events, log);
    console.error(`${flush + 1} of ${flushes} flushes written`);
  }
  await writer.close();
  await compact(catalog, directory);
  await db.close();
}

interface Stores {
  catalog: Catalog;
  writer: SegmentWriter;
  layouts: FlushLayouts;
}

/** One flush of so many. */
interface Share {
  flush: number;
  flushes: number;
}

async function store({ catalog, writer, layouts }: Stores, events: EventRow[], log: LogRow[]): Promise<void> {
  const parts = {
    events: (await layouts.partsOf(events)).map((part) => ({ ...part, id: crypto.randomUUID() })),
    log: log.length === 0 ? null : { id: crypto.randomUUID(), rows: log },
  };
  const ids = [...parts.events, parts.log].flatMap((part) => part?.id ?? []);
  await catalog.registerPending({ ids, writer: "bench", generation: GENERATION, epochs: [] });
  const written = await writer.writeFlush(parts, { generation: GENERATION, level: 0, partitions: [] });
  const segments = [...written.events, written.log].flatMap((part) => part?.facts ?? []);
  const stored = segments.reduce((sum, facts) => sum + facts.rowCount, 0);
  if (stored !== events.length + log.length) throw new Error("storage refused rows");
  const counts = [{ teamId: events[0]!.teamId, stored: events.length, duplicates: 0, dropped: {} }];
  await catalog.commit(commitOf({ generation: GENERATION, segments, counts }));
}

async function readEvents(
  connection: DuckDBConnection,
  base: string,
  { flush, flushes }: Share,
  { team, events }: Vocabulary,
): Promise<EventRow[]> {
  const [from, to] = [flush, flush + 1].map((n) => Math.floor((n * events) / flushes));
  const reader = await connection.runAndReadAll(
    `select i::int, uuid::varchar, event, distinct_id, person_id::varchar, epoch_ms("timestamp")::double, properties
     from '${join(base, EVENTS_FILE)}' where i >= ${from} and i < ${to} order by i`,
  );
  const rows = reader.getRows() as [number, string, string, string, string, number, string][];
  return rows.map(([i, uuid, event, distinctId, personId, timestampMs, properties]) => ({
    teamId: team,
    uuid,
    event,
    distinctId,
    personId,
    timestampMs,
    createdAtMs: timestampMs + 1_000,
    lane: "live",
    ordinal: ordinalOf(i + 1, 0),
    properties,
    elementsChain: "",
    flags: 0,
  }));
}

/** What is said of a flush's share of the persons: that they are there, and what they have. */
async function readPersons(
  connection: DuckDBConnection,
  base: string,
  { flush, flushes }: Share,
  { team, fromMs }: Vocabulary,
): Promise<LogRow[]> {
  const reader = await connection.runAndReadAll(
    `select n::int, distinct_id, person_id::varchar, properties from '${join(base, PERSONS_FILE)}'
     where n % ${flushes} = ${flush} order by n`,
  );
  const rows = reader.getRows() as [number, string, string, string][];
  return rows.flatMap(([n, distinctId, personId, properties]): LogRow[] => {
    const said = {
      teamId: team,
      version: { tMs: fromMs, source: VERSION_SOURCE.live, ordinal: ordinalOf(n + 1, 0) },
      subject: { type: "person", distinctId, personId },
    } as const;
    const sets = Object.entries(JSON.parse(properties) as Record<string, unknown>);
    return [
      { ...said, kind: "seen", atMs: fromMs },
      ...sets.map(([key, value]) => ({
        ...said,
        kind: "property" as const,
        op: "set" as const,
        key,
        value: JSON.stringify(value),
      })),
    ];
  });
}

/** Until there is nothing left to do, also of what waits for its time: nothing more is to come. */
async function compact(catalog: Catalog, directory: string): Promise<void> {
  const config = { ...loadConfig({}), compactMs: 0, backfillMs: 0, backfillBytesPerMinute: Number.MAX_SAFE_INTEGER };
  const compactor = new Compactor({
    config,
    catalog,
    storage: new LocalStore(directory),
    holder: "bench",
    log: (message) => console.error(message),
  });
  while (await compactor.step()) await compactor.collect();
  await compactor.collect();
}
