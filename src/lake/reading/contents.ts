import type { DuckDBValue } from "@duckdb/node-api";
import type { SegmentKind, TeamRange } from "../catalog/mod.ts";
import { sqlString } from "../engine/mod.ts";

const TIMES: Record<SegmentKind, { first: string; last: string }> = {
  events: { first: `epoch_ms(min("timestamp"))`, last: `epoch_ms(max("timestamp"))` },
  log: { first: "min(t_ms)", last: "max(t_ms)" },
  roster: { first: "0", last: "0" },
};

/** Runs a statement; gives all rows. */
export interface Reader {
  run(sql: string): Promise<DuckDBValue[][]>;
}

/** The rows of each project in a file, by what the file itself holds. */
export async function readTeams(reader: Reader, path: string, kind: SegmentKind): Promise<TeamRange[]> {
  const { first, last } = TIMES[kind];
  const rows = await reader.run(
    `select team_id, count(*), ${first}, ${last} from read_parquet(${sqlString(path)})
     group by team_id order by team_id`,
  );
  let rowStart = 0;
  return rows.map(([teamId, count, minMs, maxMs]): TeamRange => {
    const rowCount = Number(count);
    rowStart += rowCount;
    return {
      teamId: Number(teamId),
      rowStart: rowStart - rowCount,
      rowCount,
      minMs: Number(minMs),
      maxMs: Number(maxMs),
    };
  });
}

/** Rows of a table, given as SQL text; 0 where there is none. */
export async function countRows(reader: Reader, table: string | null): Promise<number> {
  if (table === null) return 0;
  const [[rows] = []] = await reader.run(`select count(*) from ${table}`);
  return Number(rows);
}
