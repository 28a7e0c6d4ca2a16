import { join } from "node:path";
import { openCatalog } from "../../src/lake/mod.ts";
import { openDb } from "../../src/schema.ts";
import { startPostgres } from "../support/postgres.ts";
import { type Role, startWeir, type Weir } from "../support/weir.ts";
import { untilCompacted } from "./compaction.ts";
import { probeMerge, probes } from "./lanes.ts";
import { rounded, usageOf } from "./report.ts";

export interface MergesOptions {
  /** Of all migrations of a run together. */
  merges: number;
  /** Migrations that they come in, one after the other. */
  steps: number;
  /** Live merges without a migration. */
  probes: number;
  connections: number;
}

const LOOK_MS = 50;
/** The api process and the store work some ms for each answer, on the same cores. */
const STATUS_MS = 200;
const GIVE_UP_MS = 20 * 60_000;
const ROLES: Role[] = ["front", "worker-0", "nats-server", "compactor", "query-0", "query-1"];
const QUESTIONS = {
  persons: "SELECT count(DISTINCT person_id) FROM events",
  onePerson: "SELECT count() FROM events WHERE person_id = (SELECT any(person_id) FROM events)",
  listed: "SELECT id FROM persons ORDER BY created_at DESC LIMIT 100",
} as const;

type Usages = Record<string, { cpuMs: number; peakBytes: number }>;

const usages = (weir: Weir): Usages =>
  Object.fromEntries(ROLES.filter((role) => weir.isRunning(role)).map((role) => [role, usageOf(weir.pidOf(role))]));

/** Where the identity lane is committed to, all partitions together. */
async function lanePosition(catalog: ReturnType<typeof openCatalog>): Promise<number> {
  const current = await catalog.currentGeneration();
  const positions = await catalog.committedPositions(current!.generation);
  return positions.reduce((sum, { lane, position }) => (lane === "identity" ? sum + position : sum), 0);
}

/** One migration until its merges are committed, and until its events are, too. */
async function migrate(weir: Weir, catalog: ReturnType<typeof openCatalog>, merges: number, connections: number) {
  const script = new URL("./migration.ts", import.meta.url).pathname;
  const args = [weir.url, weir.projectKey, String(merges), "merges", String(connections)];
  const before = usages(weir);
  const startedAt = performance.now();
  const sinceMs = () => Math.round(performance.now() - startedAt);
  const child = Bun.spawn([process.execPath, script, ...args], { stdout: "ignore", stderr: "inherit" });
  let sentMs = 0;
  const sent = child.exited.then((code) => {
    if (code !== 0) throw new Error("the migration failed");
    sentMs = sinceMs();
  });
  let position = await lanePosition(catalog);
  let committedMs = 0;
  let askedMs = 0;
  for (let isStored = false; !isStored; await Bun.sleep(LOOK_MS)) {
    const next = await lanePosition(catalog);
    if (next !== position) committedMs = sinceMs();
    position = next;
    if (sinceMs() > GIVE_UP_MS) throw new Error("the migration was never stored");
    if (sentMs === 0 || sinceMs() - askedMs < STATUS_MS) continue;
    askedMs = sinceMs();
    isStored = (await weir.ingestionStatus()).queued === 0;
  }
  await sent;
  const storedMs = sinceMs();
  const after = usages(weir);
  const cpuUsPerMerge = Object.fromEntries(
    Object.entries(after).map(([role, { cpuMs }]) => [
      role,
      rounded(((cpuMs - (before[role]?.cpuMs ?? 0)) * 1000) / merges),
    ]),
  );
  return {
    merges,
    sentMs,
    committedMs,
    storedMs,
    mergesPerSecond: Math.round((merges * 1000) / committedMs),
    storedPerSecond: Math.round((merges * 1000) / storedMs),
    cpuUsPerMerge,
  };
}

async function questionTimes(weir: Weir): Promise<Record<string, number>> {
  const times: Record<string, number> = {};
  for (const [name, hogql] of Object.entries(QUESTIONS)) {
    const startedAt = performance.now();
    await weir.query(hogql);
    times[name] = Math.round(performance.now() - startedAt);
  }
  return times;
}

async function oneStore(o: MergesOptions, databaseUrl: string | null) {
  const env: Record<string, string> = databaseUrl === null ? {} : { DATABASE_URL: databaseUrl };
  await using weir = await startWeir({ env });
  const db = await openDb({ databaseUrl, sqlitePath: join(weir.dataDir, "weir.db") });
  try {
    const catalog = openCatalog(db);
    const alone = await probes(probeMerge, weir, (n) => n >= o.probes);
    const step = Math.round(o.merges / o.steps);
    const migrations = [];
    const questionsMs = [];
    for (let i = 0; i < o.steps; i++) {
      const migration = await migrate(weir, catalog, step, o.connections);
      console.error(`${(i + 1) * step}: ${JSON.stringify(migration)}`);
      migrations.push(migration);
      if (i % 3 === 0 || i === o.steps - 1)
        questionsMs.push({ merges: (i + 1) * step, ...(await questionTimes(weir)) });
    }
    let isStored = false;
    const last = migrate(weir, catalog, step, o.connections).finally(() => {
      isStored = true;
    });
    const beside = await probes(probeMerge, weir, (n) => isStored && n > 0);
    migrations.push({ ...(await last), isBesideLive: true });
    await checkPersons(weir, step * (o.steps + 1));
    await untilCompacted(weir);
    questionsMs.push({ merges: (o.steps + 1) * step, isCompacted: true, ...(await questionTimes(weir)) });
    const peakBytes = Object.fromEntries(Object.entries(usages(weir)).map(([role, used]) => [role, used.peakBytes]));
    return { liveMergeMs: { alone, beside }, migrations, questionsMs, peakBytes };
  } finally {
    await db.close();
  }
}

/** Every merge of a migration is of two ids of its own. */
async function checkPersons(weir: Weir, merges: number): Promise<void> {
  const found = await weir.query(
    "SELECT count(), count(DISTINCT person_id) FROM events WHERE properties.of = 'a migration'",
  );
  if (found.results[0]!.some((n) => Number(n) !== merges)) {
    throw new Error(`${merges} merges were sent, but: ${JSON.stringify(found.results[0])}`);
  }
  const ids = await weir.number(
    "SELECT count() FROM (SELECT person_id FROM person_distinct_ids GROUP BY person_id HAVING count() = 2)",
  );
  if (ids < merges) throw new Error(`${merges} merges were sent, but ${ids} persons have two ids`);
}

/** Merges a second of a migration, with SQLite and with PostgreSQL, and how long live merges wait beside one. */
export async function benchMerges(o: MergesOptions): Promise<object> {
  const sqlite = await oneStore(o, null);
  const server = await startPostgres({ order: "bytes" });
  try {
    return { bench: "merges", ...o, sqlite, postgres: await oneStore(o, await server.createDatabase()) };
  } finally {
    await server.stop();
  }
}
