import { TerminalError } from "../../types/mod.ts";
import { type Erasure, type LiveSegment, PLAIN, type SegmentFacts } from "../catalog/mod.ts";
import { type StoppableEngine, sqlString } from "../engine/mod.ts";
import { logRows, reduced } from "../people/mod.ts";
import { countRows, erasedRows, keptRows } from "../reading/mod.ts";
import { draftPath, fileList, filesOf, type SegmentStore, tableOf } from "../storage/mod.ts";
import { rowGroupSize } from "../writing/mod.ts";
import { segmentFacts } from "./facts.ts";
import {
  type CompactionLimits,
  type OutputPlan,
  type PlannedOutput,
  planOutputs,
  rowSizes,
  withIds,
} from "./planner.ts";

interface LogPlan {
  inputs: LiveSegment[];
  /** Of which rows may be left. */
  erasures: readonly Erasure[];
  outputs: PlannedOutput[];
}

/** Merges files of the log and leaves out rows without effect. */
export class LogMerger {
  constructor(
    private readonly store: SegmentStore,
    private readonly engine: StoppableEngine,
  ) {}

  /** Projects above a share get files of their own. */
  plan(inputs: LiveSegment[], erasures: readonly Erasure[], limits: CompactionLimits): LogPlan {
    const gone = new Set(erasures.flatMap(({ kind, teamId }) => (kind === "project" ? [teamId] : [])));
    const counts = inputs.flatMap(({ teams }) =>
      teams
        .filter(({ teamId }) => !gone.has(teamId))
        .map(({ teamId, rowCount }) => ({ teamId, day: 0, rows: rowCount })),
    );
    return { inputs, erasures, outputs: withIds(planOutputs(counts, rowSizes(inputs, limits), limits)) };
  }

  /** Rows that were deleted. */
  countErased(inputs: readonly LiveSegment[], erasures: readonly Erasure[]): Promise<number> {
    return countRows(this.engine, erasedRows({ kind: "log", files: inputs, erasures, read: this.read }));
  }

  /**
   * Writes the outputs; they are durable when it returns. One that would hold nothing, because it was
   * deleted, is left out.
   */
  async write({ inputs, outputs, erasures }: LogPlan): Promise<SegmentFacts[]> {
    const kept = (files: readonly LiveSegment[]) =>
      files.length === 0 ? null : keptRows({ kind: "log", files, erasures, read: this.read });
    const log = logRows(kept(inputs.filter(({ level }) => level === 0)), kept(inputs.filter(({ level }) => level > 0)));
    const [[textBytes] = []] = await this.engine.run(
      `select sum(total_uncompressed_size) from parquet_metadata(${fileList(this.store, inputs)})`,
    );
    const rowGroupRows = rowGroupSize(Number(textBytes) / inputs.reduce((sum, input) => sum + input.rowCount, 0));
    const facts: SegmentFacts[] = [];
    for (const output of outputs) {
      const { id } = output;
      const path = draftPath(this.store.workDirectory, { id, part: "rows" });
      await this.engine.run(`copy (${reduced(log, `team_id in (${output.teamIds.join(", ")})`)})
        to ${sqlString(path)} (format parquet, compression zstd, row_group_size ${rowGroupRows}, use_tmp_file false)`);
      const made = await segmentFacts(this.engine, this.store, { id, kind: "log", inputs, ...PLAIN });
      if (erasures.length === 0) checkTeams(output, made);
      if (made.rowCount > 0) facts.push(made);
    }
    await this.store.publish(facts.flatMap(filesOf));
    return facts;
  }

  private readonly read = (files: readonly LiveSegment[]) => tableOf(this.store, files);
}

/** Every project with rows in the inputs has some in the output. */
function checkTeams({ teamIds, rows }: OutputPlan, made: SegmentFacts): void {
  if (made.teams.length === teamIds.length) return;
  throw new TerminalError(
    "segment_corrupt",
    `compaction of the log lost a project: ${rows} rows became ${made.rowCount}`,
  );
}
