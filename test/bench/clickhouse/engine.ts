/** ClickHouse as an engine of `scripts/bench lake`: `engine.ts DATASET`. Fills its tables when they are not there. */
import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { Session } from "chdb";
import { EVENTS_FILE, PERSONS_FILE } from "../dataset/base.ts";
import { baseOf, type Dataset, openDataset } from "../dataset/dataset.ts";
import type { Vocabulary } from "../dataset/vocabulary.ts";
import { serve } from "../lake/engineProcess.ts";
import { questions } from "../lake/questions.ts";
import { type ClickHouseVariant, column, columnText, materialised, SETTINGS, tablesOf } from "./tables.ts";

/** PostHog's order and partitions (its column for late versions of a row is left out: nothing is written twice). */
const EVENTS_ENGINE = `MergeTree partition by toYYYYMM(timestamp)
  order by (team_id, toDate(timestamp), event, cityHash64(distinct_id), cityHash64(uuid)) settings old_parts_lifetime = 1`;

async function fill(session: Session, { vocabulary, ...set }: Dataset): Promise<void> {
  const base = baseOf({ ...set, vocabulary });
  const keys = materialised(vocabulary);
  const texts = keys.texts.map((key) => `${column("mat", key)} String materialized ${columnText("properties", key)}`);
  const numbers = keys.numbers.map(
    (key) => `${column("mat", key)} Nullable(Float64) materialized toFloat64OrNull(${columnText("properties", key)})`,
  );
  const persons = keys.persons.map(
    (key) => `${column("pmat", key)} String materialized ${columnText("properties", key)}`,
  );
  const run = (text: string) => session.queryAsync(text);
  await run("create database d");
  await run(`create table d.events (uuid UUID, event String, properties String codec(ZSTD(3)), timestamp DateTime64(6, 'UTC'),
    team_id Int64, distinct_id String, person_id UUID, created_at DateTime64(6, 'UTC'), ${[...texts, ...numbers].join(", ")})
    engine = ${EVENTS_ENGINE}`);
  await run(`create table d.person (id UUID, team_id Int64, properties String codec(ZSTD(3)), is_deleted Int8, version UInt64,
    ${persons.join(", ")}) engine = ReplacingMergeTree(version) order by (team_id, id)`);
  await run(`insert into d.events (uuid, event, properties, timestamp, team_id, distinct_id, person_id, created_at)
    select uuid, event, properties, timestamp, ${vocabulary.team}, distinct_id, person_id, addSeconds(timestamp, 1)
    from file('${join(base, EVENTS_FILE)}')`);
  await run(`insert into d.person (id, team_id, properties, is_deleted, version)
    select person_id, ${vocabulary.team}, properties, 0, 1 from file('${join(base, PERSONS_FILE)}')`);
  await run("optimize table d.events final");
  await run("optimize table d.person final");
}

/** Bytes of each column of the events, compressed. */
async function columnBytes(session: Session): Promise<unknown[][]> {
  return rowsOf(
    session,
    `select column, sum(column_data_compressed_bytes) from system.parts_columns
     where active and database = 'd' and table = 'events' group by column order by column`,
  );
}

async function rowsOf(session: Session, text: string): Promise<unknown[][]> {
  const result = await session.queryAsync(text, { format: "JSONCompactEachRow" });
  return result
    .text()
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as unknown[]);
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
  return new Session(path, { connectionArgs: SETTINGS });
}

function variantOf(text: string): ClickHouseVariant {
  if (text === "json" || text === "columns") return text;
  throw new Error(`no way to ask ClickHouse: ${text}`);
}

async function main(path: string): Promise<void> {
  const set = openDataset(path);
  const session = await open(set);
  const asked: Vocabulary = set.vocabulary;
  serve(({ question, variant }) => {
    if (question === "bytes by column") return columnBytes(session);
    return rowsOf(session, questions(asked)[question]!.clickhouse(tablesOf(variantOf(variant), asked)));
  });
}

await main(process.argv[2]!);
