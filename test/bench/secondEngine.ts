/**
 * The same questions as SQL written by hand on the events that the lake was filled from: `secondEngine.ts DATASET`.
 * Prints `{total: {day: n}, dau: {day: n}}`.
 */
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { EVENTS_FILE } from "./dataset/base.ts";
import { baseOf, openDataset } from "./dataset/dataset.ts";

export interface DailyCounts {
  total: Record<string, number>;
  dau: Record<string, number>;
}

async function main(path: string): Promise<DailyCounts> {
  const set = openDataset(path);
  const connection = await (await DuckDBInstance.create()).connect();
  const reader = await connection.runAndReadAll(
    `select strftime("timestamp", '%Y-%m-%d') as day, count(*)::int, count(distinct person_id)::int
     from '${join(baseOf(set), EVENTS_FILE)}' where event = $1 group by day`,
    [set.vocabulary.names.page],
  );
  const rows = reader.getRows() as [string, number, number][];
  return {
    total: Object.fromEntries(rows.map(([day, total]) => [day, total])),
    dau: Object.fromEntries(rows.map(([day, , dau]) => [day, dau])),
  };
}

if (import.meta.main) {
  console.log(JSON.stringify(await main(process.argv[2]!)));
  process.exit(0);
}
