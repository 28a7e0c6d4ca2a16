import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openCatalog, SegmentWriter } from "../../src/lake/mod.ts";
import { MIGRATIONS } from "../../src/metadata/migrations/mod.ts";
import { openDb } from "../../src/metadata/mod.ts";
import { DAY_MS, EventFlag, type EventRow, personIdOf } from "../../src/types/mod.ts";
import { commitOf } from "../support/commits.ts";
import { Random } from "../support/random.ts";
import { startWeir } from "../support/weir.ts";
import { untilCompacted } from "./compaction.ts";

const CACHE = new URL("../../.cache/bench", import.meta.url).pathname;
/** Raised when the rows or the files change, so that an old data set is not taken for a new one. */
const VERSION = 2;

export const DATASET_TEAM = 1;
export const DATASET_FROM_MS = Date.UTC(2024, 0, 1);
export const DATASET_DAYS = 90;
export const DATASET_EVENT = "page viewed";

const SEGMENT_ROWS = 250_000;
const USERS = 100_000;
const GiB = 1024 ** 3;
const GENERATION = 1;
const NAMES = [DATASET_EVENT, DATASET_EVENT, DATASET_EVENT, "clicked", "clicked", "signed up", "paid", "searched"];
const BROWSERS = ["Chrome", "Firefox", "Safari", "Edge"];
const PLANS = ["free", "team", "business", "enterprise"];

function propertiesOf(user: number, random: Random): string {
  const path = `/section-${Math.floor(random.next() * 40)}/page-${Math.floor(random.next() * 500)}`;
  const browser = BROWSERS[user % BROWSERS.length];
  return (
    `{"$current_url":"https://shop.example.com${path}","$pathname":"${path}","$browser":"${browser}","$os":"Linux",` +
    `"$session_id":"s-${user}-${Math.floor(random.next() * 50)}","$lib":"web","plan":"${PLANS[(user % 7) & 3]}",` +
    `"amount":${(random.next() * 200).toFixed(2)},"quantity":${1 + Math.floor(random.next() * 5)},"is_member":${user % 3 === 0}}`
  );
}

/** Rows in the order of time, spread evenly over the days; a few users are much busier than the others. */
function* rows(total: number): Generator<EventRow> {
  const random = new Random(VERSION);
  const persons = Array.from({ length: USERS }, (_, user) => personIdOf(DATASET_TEAM, `user-${user}`));
  for (let i = 0; i < total; i++) {
    const user = Math.floor(random.next() ** 2 * USERS);
    const timestampMs = DATASET_FROM_MS + Math.floor((i / total) * DATASET_DAYS * DAY_MS);
    yield {
      teamId: DATASET_TEAM,
      uuid: `00000000-0000-8000-8000-${i.toString(16).padStart(12, "0")}`,
      event: NAMES[Math.floor(random.next() * NAMES.length)]!,
      distinctId: `user-${user}`,
      personId: persons[user]!,
      timestampMs,
      createdAtMs: timestampMs,
      lane: "history",
      ordinal: i,
      properties: propertiesOf(user, random),
      elementsChain: "",
      // No copies are expected, so no duplicate keys are kept for these rows.
      flags: EventFlag.ServerUuid,
    };
  }
}

async function writeSegments(dataDir: string, total: number): Promise<void> {
  const directory = join(dataDir, "lake");
  mkdirSync(directory, { recursive: true });
  const db = await openDb({ databaseUrl: null, sqlitePath: join(dataDir, "weir.db") });
  const catalog = openCatalog(db);
  const writer = new SegmentWriter({ directory, memoryLimitBytes: 2 * GiB });
  const source = rows(total);
  for (let written = 0; written < total; ) {
    const size = Math.min(SEGMENT_ROWS, total - written);
    const batch = Array.from({ length: size }, () => source.next().value as EventRow);
    const id = crypto.randomUUID();
    await catalog.registerPending({ ids: [id], writer: "bench", generation: GENERATION, epochs: [] });
    const { facts, rejected } = await writer.write(id, batch, { generation: GENERATION, level: 0, partitions: [] });
    if (facts === null || rejected.length > 0) throw new Error(`storage refused ${rejected.length} rows`);
    const counts = [{ teamId: DATASET_TEAM, stored: facts.rowCount, duplicates: 0, dropped: {} }];
    await catalog.commit(commitOf({ id: `bench-${id}`, generation: GENERATION, segments: [facts], counts }));
    written += batch.length;
    console.error(`${written} of ${total} rows written`);
  }
  await writer.close();
  await db.close();
}

/** The data folder of a Weir that holds `events` events; built once, straight into files, then compacted by Weir. */
export async function dataset(events: number): Promise<string> {
  const schema = Bun.hash(MIGRATIONS.flatMap((migration) => migration.statements("sqlite")).join(";")).toString(36);
  const dataDir = join(CACHE, `v${VERSION}-${schema}-${events}`);
  const ready = join(dataDir, "complete");
  if (existsSync(ready)) return dataDir;
  const building = `${dataDir}.building`;
  rmSync(dataDir, { recursive: true, force: true });
  rmSync(building, { recursive: true, force: true });
  mkdirSync(building, { recursive: true });
  await writeSegments(building, events);
  {
    await using weir = await startWeir({ dataDir: building });
    await untilCompacted(weir);
  }
  renameSync(building, dataDir);
  writeFileSync(ready, "");
  return dataDir;
}
