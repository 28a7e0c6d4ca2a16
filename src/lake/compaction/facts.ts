import type { DuckDBValue } from "@duckdb/node-api";
import type { LiveSegment, SegmentFacts, SegmentKind, TeamRange } from "../catalog/types.ts";
import { sqlString } from "../engine/duckdb.ts";
import { measureFiles, rowsPath } from "../storage/files.ts";
import { quoted } from "../typed/segmentColumns.ts";
import { sumWideBytes } from "../writing/wide.ts";

/** Segments of several generations: their partition numbers mean different things, so they are left out. */
const MIXED_GENERATIONS = 0;

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

/** What the catalog learns of an output, read back from the file itself. */
export async function segmentFacts(
  engine: Reader,
  directory: string,
  output: Pick<
    SegmentFacts,
    "id" | "kind" | "squashedThrough" | "columns" | "exceptions" | "isNumbered" | "activityZone"
  > & {
    inputs: readonly LiveSegment[];
  },
): Promise<SegmentFacts> {
  const { inputs, ...made } = output;
  const { id, kind } = made;
  const path = rowsPath(directory, id);
  const teams = await readTeams(engine, path, kind);
  return {
    ...made,
    level: 1 + Math.max(...inputs.map((input) => input.level)),
    teamId: teams.length === 1 ? teams[0]!.teamId : null,
    ...streamOrigin(inputs),
    rowCount: teams.reduce((sum, team) => sum + team.rowCount, 0),
    ...(await measureFiles(directory, made)),
    wideBytes: await readWideBytes(engine, path, output),
    minMs: Math.min(...teams.map((team) => team.minMs)),
    maxMs: Math.max(...teams.map((team) => team.maxMs)),
    teams,
  };
}

/** Without wide rows in the inputs there are none, and no text has to be read; a roster has no text. */
async function readWideBytes(
  engine: Reader,
  path: string,
  { kind, inputs }: Pick<SegmentFacts, "kind"> & { inputs: readonly LiveSegment[] },
): Promise<number> {
  if (kind === "roster" || inputs.every(({ wideBytes }) => wideBytes === 0)) return 0;
  const texts = await engine.run(`select name from parquet_schema(${sqlString(path)}) where type = 'BYTE_ARRAY'`);
  const columns = texts.map(([name]) => quoted(String(name)));
  const [[bytes] = []] = await engine.run(sumWideBytes(`read_parquet(${sqlString(path)})`, columns));
  return Number(bytes);
}

/** SQL text of the list of these segments' files. */
export function fileList(directory: string, segments: readonly { id: string }[]): string {
  return `[${segments.map(({ id }) => sqlString(rowsPath(directory, id))).join(", ")}]`;
}

/** SQL text of the table that they are together. */
export function tableOf(directory: string, segments: readonly { id: string }[]): string {
  return `read_parquet(${fileList(directory, segments)})`;
}

function streamOrigin(inputs: readonly LiveSegment[]): { generation: number; partitions: number[] } {
  const generations = new Set(inputs.map((input) => input.generation));
  if (generations.size > 1) return { generation: MIXED_GENERATIONS, partitions: [] };
  const partitions = [...new Set(inputs.flatMap((input) => input.partitions))].sort((a, b) => a - b);
  return { generation: inputs[0]!.generation, partitions };
}
