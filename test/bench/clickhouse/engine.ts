/** ClickHouse as an engine of `scripts/bench lake`, `trends` and `insights`: `engine.ts DATASET`. Fills its tables when they are not there. */
import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { Session } from "chdb";
import { EVENTS_FILE, PERSONS_FILE } from "../dataset/base.ts";
import { baseOf, type Dataset, openDataset } from "../dataset/dataset.ts";
import type { Vocabulary } from "../dataset/vocabulary.ts";
import { serve } from "../engines/engineProcess.ts";
import { insightQuestions } from "../insights/questions.ts";
import { questions } from "../lake/questions.ts";
import { trendQuestions } from "../trends/questions.ts";
import { type ClickHouseVariant, materialised, SETTINGS, tablesOf } from "./tables.ts";

/** PostHog's order and partitions (its column for late versions of a row is left out: nothing is written twice). */
const EVENTS_ENGINE = `MergeTree partition by toYYYYMM(timestamp)
  order by (team_id, toDate(timestamp), event, cityHash64(distinct_id), cityHash64(uuid)) settings old_parts_lifetime = 1`;

async function fill(session: Session, { vocabulary, ...set }: Dataset): Promise<void> {
  const base = baseOf({ ...set, vocabulary });
  const run = (text: string) => session.queryAsync(text);
  await run("create database d");
  await run(`create table d.events (uuid UUID, event String, properties String codec(ZSTD(3)), timestamp DateTime64(6, 'UTC'),
    team_id Int64, distinct_id String, person_id UUID, created_at DateTime64(6, 'UTC'))
    engine = ${EVENTS_ENGINE}`);
  await run(
    `create table d.person (id UUID, team_id Int64, properties String codec(ZSTD(3)), is_deleted Int8, version UInt64) engine = ReplacingMergeTree(version) order by (team_id, id)`,
  );
  await run(`insert into d.events (uuid, event, properties, timestamp, team_id, distinct_id, person_id, created_at)
    select uuid, event, properties, timestamp, ${vocabulary.team}, distinct_id, person_id, addSeconds(timestamp, 1)
    from file('${join(base, EVENTS_FILE)}')`);
  await run(`insert into d.person (id, team_id, properties, is_deleted, version)
    select person_id, ${vocabulary.team}, properties, 0, 1 from file('${join(base, PERSONS_FILE)}')`);
  await run("optimize table d.events final");
  await run("optimize table d.person final");
}

/** Columns that questions ask for and that are not there yet. */
async function addColumns(session: Session, vocabulary: Vocabulary): Promise<void> {
  const names = await rowsOf(session, "select table, name from system.columns where database = 'd'");
  const known = new Set(names.map(([table, name]) => `${table} ${name}`));
  for (const { table, name, type, of } of materialised(vocabulary)) {
    if (known.has(`${table} ${name}`)) continue;
    await session.queryAsync(`alter table d.${table} add column \`${name}\` ${type} materialized ${of}`);
    await session.queryAsync(`alter table d.${table} materialize column \`${name}\` settings mutations_sync = 1`);
  }
}

/** Bytes of each column of the events, compressed. */
async function columnBytes(session: Session): Promise<unknown[][]> {
  return rowsOf(
    session,
    `select column, sum(column_data_compressed_bytes) from system.parts_columns
     where active and database = 'd' and table = 'events' group by column order by column`,
  );
}

/** A list in a cell becomes as many cells. */
async function rowsOf(session: Session, text: string): Promise<unknown[][]> {
  const result = await session.queryAsync(text, { format: "JSONCompactEachRow" });
  return result
    .text()
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => (JSON.parse(line) as unknown[]).flat());
}

async function open(set: Dataset): Promise<Session> {
  const path = join(set.path, "clickhouse");
  if (!existsSync(path)) {
    const building = `${path}.building`;
    rmSync(building, { recursive: true, force: true });
    mkdirSync(building);
    const filled = new Session(building, { connectionArgs: SETTINGS });
    await fill(filled, set);
    filled.close();
    renameSync(building, path);
  }
  const session = new Session(path, { connectionArgs: SETTINGS });
  await addColumns(session, set.vocabulary);
  return session;
}

function variantOf(text: string): ClickHouseVariant {
  if (text === "json" || text === "columns") return text;
  throw new Error(`no way to ask ClickHouse: ${text}`);
}

async function main(path: string): Promise<void> {
  const set = openDataset(path);
  const session = await open(set);
  const asked: Vocabulary = set.vocabulary;
  const trends = trendQuestions(asked);
  const lake = questions(asked);
  const insights = insightQuestions(asked);
  for (const name of [...Object.keys(trends), ...Object.keys(insights)])
    if (name in lake) throw new Error(`two benches ask a question of the name ${name}`);
  serve(async ({ question, variant }) => {
    if (question === "bytes by column") return columnBytes(session);
    const tables = tablesOf(variantOf(variant), asked);
    const insight = insights[question];
    if (insight !== undefined) return rowsOf(session, insight.clickhouse(tables));
    const trend = trends[question];
    if (trend === undefined) return rowsOf(session, lake[question]!.clickhouse(tables));
    const rows: unknown[][] = [];
    for (const text of trend.clickhouse(tables)) rows.push(...(await rowsOf(session, text)));
    return trend.combined?.(rows) ?? rows;
  });
}

await main(process.argv[2]!);
