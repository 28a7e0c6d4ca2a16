import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { MIGRATIONS } from "../../../src/schema.ts";
import { writeBase } from "./base.ts";
import { writeLake } from "./lake.ts";
import { drawVocabulary, type Vocabulary } from "./vocabulary.ts";

const CACHE = new URL("../../../.cache/bench", import.meta.url).pathname;
/** Raised when the rows or the files change, so that an old data set is not taken for a new one. */
const VERSION = 8;
const EVENTS_PER_PERSON = 10;

/** Events and persons, as files for any engine and as the lake of a Weir. */
export interface Dataset {
  path: string;
  vocabulary: Vocabulary;
}

/** The data folder of a Weir that holds it. */
export const dataDirOf = ({ path }: Dataset): string => join(path, "data");
/** The files that `writeBase` names. */
export const baseOf = ({ path }: Dataset): string => join(path, "base");

/** A data set of this size; built once. */
export async function dataset(events: number): Promise<Dataset> {
  const schema = Bun.hash(MIGRATIONS.flatMap((migration) => migration.statements("sqlite")).join(";")).toString(36);
  const path = join(CACHE, `v${VERSION}-${schema}-${events}`);
  if (!existsSync(path)) {
    const building = `${path}.building`;
    rmSync(building, { recursive: true, force: true });
    await build(building, events);
    renameSync(building, path);
  }
  return openDataset(path);
}

/** One that stands. */
export function openDataset(path: string): Dataset {
  return { path, vocabulary: JSON.parse(readFileSync(join(path, "vocabulary.json"), "utf8")) as Vocabulary };
}

async function build(path: string, events: number): Promise<void> {
  const vocabulary = drawVocabulary({ events, persons: Math.ceil(events / EVENTS_PER_PERSON) });
  const built = { path, vocabulary };
  const base = baseOf(built);
  mkdirSync(base, { recursive: true });
  const instance = await DuckDBInstance.create();
  const connection = await instance.connect();
  await writeBase(connection, base, vocabulary);
  await writeLake(connection, { base, dataDir: dataDirOf(built), vocabulary });
  connection.closeSync();
  instance.closeSync();
  writeFileSync(join(path, "vocabulary.json"), JSON.stringify(vocabulary));
}
