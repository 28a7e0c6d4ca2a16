import { TerminalError } from "../../types/mod.ts";
import type { LiveSegment, SegmentFacts } from "../catalog/types.ts";
import { rowGroupSize } from "../columns.ts";
import { sqlString } from "../duckdb.ts";
import { publish, rowsPath, syncDirectory, temporary } from "../files.ts";
import { logRows } from "../people/logTables.ts";
import { reduced } from "../people/reduce.ts";
import { fileList, segmentFacts } from "./facts.ts";
import { type CompactionLimits, type OutputPlan, planOutputs } from "./planner.ts";
import type { StoppableEngine } from "./stoppableEngine.ts";

export interface LogPlan {
  inputs: LiveSegment[];
  outputs: OutputPlan[];
}

/** Merges files of the log and leaves out what no reader hears. */
export class LogMerger {
  constructor(
    private readonly directory: string,
    private readonly engine: StoppableEngine,
  ) {}

  /** Projects above a share get files of their own. */
  plan(inputs: LiveSegment[], limits: CompactionLimits): LogPlan {
    const counts = inputs.flatMap(({ teams }) =>
      teams.map(({ teamId, rowCount }) => ({ teamId, day: 0, rows: rowCount })),
    );
    const rows = inputs.reduce((sum, input) => sum + input.rowCount, 0);
    const sizeBytes = inputs.reduce((sum, input) => sum + input.sizeBytes, 0);
    return { inputs, outputs: planOutputs(counts, sizeBytes / rows, limits) };
  }

  /** Writes the outputs under the given ids; they are durable when it returns. */
  async write({ inputs, outputs }: LogPlan, ids: readonly string[]): Promise<SegmentFacts[]> {
    const read = (files: readonly LiveSegment[]) =>
      files.length === 0 ? null : `read_parquet(${fileList(this.directory, files)})`;
    const log = logRows(read(inputs.filter(({ level }) => level === 0)), read(inputs.filter(({ level }) => level > 0)));
    const [[textBytes] = []] = await this.engine.run(
      `select sum(total_uncompressed_size) from parquet_metadata(${fileList(this.directory, inputs)})`,
    );
    const rowGroupRows = rowGroupSize(Number(textBytes) / inputs.reduce((sum, input) => sum + input.rowCount, 0));
    const facts: SegmentFacts[] = [];
    for (const [i, output] of outputs.entries()) {
      const id = ids[i]!;
      const path = rowsPath(this.directory, id);
      await this.engine.run(`copy (${reduced(log, `team_id in (${output.teamIds.join(", ")})`)})
        to ${sqlString(temporary(path))} (format parquet, compression zstd, row_group_size ${rowGroupRows}, use_tmp_file false)`);
      await publish(path);
      const made = await segmentFacts(this.engine, this.directory, {
        id,
        kind: "log",
        inputs,
        squashedThrough: 0,
        columns: 0,
        exceptions: [],
      });
      checkTeams(output, made);
      facts.push(made);
    }
    await syncDirectory(this.directory);
    return facts;
  }
}

/** Something is heard of every project that said something. */
function checkTeams({ teamIds, rows }: OutputPlan, made: SegmentFacts): void {
  if (made.teams.length === teamIds.length) return;
  throw new TerminalError(
    "segment_corrupt",
    `compaction of the log lost a project: ${rows} rows became ${made.rowCount}`,
  );
}
