import { TerminalError } from "../../types/mod.ts";
import { type Erasure, type LiveSegment, PLAIN, type SegmentFacts } from "../catalog/mod.ts";
import { type StoppableEngine, sqlString } from "../engine/mod.ts";
import { logRows, reduced } from "../people/mod.ts";
import { countRows, erasedRows, keptRows } from "../reading/mod.ts";
import { draftPath, fileList, filesOf, type SegmentStore, tableOf } from "../storage/mod.ts";
import { rowGroupSize } from "../writing/mod.ts";
import { segmentFacts } from "./facts.ts";
import { sum } from "./inspector.ts";
import { conditionOf, isOfNodes, type LogPart, logPart, logPartsSql } from "./logParts.ts";
import { type OutputPlan, ownTeam, type PlannedOutput, planOutputs, rowSizes, withIds } from "./outputs.ts";
import type { CompactionLimits } from "./planner.ts";
import { ScratchFiles } from "./scratchFiles.ts";

interface LogPlan {
  inputs: LiveSegment[];
  /** Of which rows may be left. */
  erasures: readonly Erasure[];
  outputs: PlannedOutput[];
}

/** What one output is made of. */
interface Source {
  output: PlannedOutput;
  /** A table. */
  log: string;
  rowGroupRows: number;
}

/** Merges files of the log and leaves out rows without effect. */
export class LogMerger {
  constructor(
    private readonly store: SegmentStore,
    private readonly engine: StoppableEngine,
    /** Of one project, that are reduced at once. */
    private readonly partRows: number,
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
   * deleted, is left out. `between` is called between two parts of a large one.
   */
  async write({ inputs, outputs, erasures }: LogPlan, between: () => Promise<unknown>): Promise<SegmentFacts[]> {
    const kept = (files: readonly LiveSegment[]) =>
      files.length === 0 ? null : keptRows({ kind: "log", files, erasures, read: this.read });
    const log = logRows(kept(inputs.filter(({ level }) => level === 0)), kept(inputs.filter(({ level }) => level > 0)));
    const [[textBytes] = []] = await this.engine.run(
      `select sum(total_uncompressed_size) from parquet_metadata(${fileList(this.store, inputs)})`,
    );
    const rowGroupRows = rowGroupSize(Number(textBytes) / sum(inputs, (input) => input.rowCount));
    const facts: SegmentFacts[] = [];
    for (const output of outputs) {
      await this.writeOne({ output, log, rowGroupRows }, between);
      const made = await segmentFacts(this.engine, this.store, { id: output.id, kind: "log", inputs, ...PLAIN });
      if (erasures.length === 0) checkTeams(output, made);
      if (made.rowCount > 0) facts.push(made);
    }
    await this.store.publish(facts.flatMap(filesOf));
    return facts;
  }

  private async writeOne(source: Source, between: () => Promise<unknown>): Promise<void> {
    const { output, log, rowGroupRows } = source;
    const options = `format parquet, compression zstd, row_group_size ${rowGroupRows}, use_tmp_file false`;
    const path = sqlString(draftPath(this.store.workDirectory, { id: output.id, part: "rows" }));
    const condition = `team_id in (${output.teamIds.join(", ")})`;
    const parts = await this.partsOf(source);
    if (sum(parts, ({ rows }) => rows) <= this.partRows) {
      await this.engine.run(`copy (${reduced(log, { condition })}) to ${path} (${options})`);
      return;
    }
    await this.inParts(source, { condition, parts, between }, (rows) =>
      this.engine.run(`copy (select * from ${rows}) to ${path} (${options})`),
    );
  }

  /** Small projects share an output that is small, too. */
  private async partsOf({ output, log }: Source): Promise<LogPart[]> {
    const teamId = ownTeam(output);
    if (teamId === null) return [];
    return (await this.engine.run(logPartsSql(log, `team_id = ${teamId}`, this.partRows))).map(logPart);
  }

  /** Reduces the log part by part, so that each fits into memory, and gives `body` a table of all rows in order. */
  private async inParts(
    { log, rowGroupRows }: Source,
    o: { condition: string; parts: readonly LogPart[]; between: () => Promise<unknown> },
    body: (rows: string) => Promise<unknown>,
  ): Promise<void> {
    const scratch = new ScratchFiles(this.store, this.engine, rowGroupRows);
    let nodes: string | undefined;
    try {
      for (const part of o.parts) {
        const { text, params } = conditionOf(part);
        const path = await scratch.write(reduced(log, { condition: `${o.condition} and ${text}`, nodes }), { params });
        // They come first.
        if (isOfNodes(part)) nodes = `read_parquet(${sqlString(path)})`;
        await o.between();
      }
      await body(`read_parquet([${scratch.paths.map(sqlString).join(", ")}])`);
    } finally {
      await scratch.remove();
    }
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
