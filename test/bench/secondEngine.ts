/**
 * The same questions as SQL written by hand, straight on the files, past catalog, compiler and query processes:
 * `secondEngine.ts DATA_DIR`. Prints `{total: {day: n}, dau: {day: n}}`.
 */
import { Database } from "bun:sqlite";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { DATASET_EVENT, DATASET_TEAM } from "./dataset.ts";

export interface DailyCounts {
  total: Record<string, number>;
  dau: Record<string, number>;
}

async function main(dataDir: string): Promise<DailyCounts> {
  const records = new Database(join(dataDir, "weir.db"), { readonly: true });
  const live = records.query<{ id: string }, []>("select id from segments where state = 'live'").all();
  const files = live.map(({ id }) => `'${join(dataDir, "lake", `${id}.parquet`)}'`).join(", ");
  const connection = await (await DuckDBInstance.create()).connect();
  const reader = await connection.runAndReadAll(
    `select strftime("timestamp", '%Y-%m-%d') as day, count(*)::int, count(distinct person_id)::int
     from read_parquet([${files}]) where team_id = $1 and event = $2 group by day`,
    [DATASET_TEAM, DATASET_EVENT],
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
