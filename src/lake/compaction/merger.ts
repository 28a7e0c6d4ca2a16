import { DAY_MS, TerminalError } from "../../types/mod.ts";
import type { LiveSegment, SegmentFacts, TeamRange } from "../catalog/types.ts";
import { quoted, rowGroupSize, SEGMENT_COLUMNS } from "../columns.ts";
import { Engine, type Session, sqlString } from "../duckdb.ts";
import type { KeyFile } from "../duplicates/keyFile.ts";
import { mapKeyFile } from "../duplicates/mappedKeys.ts";
import { keysPath, publish, rowsPath, segmentBytes, spillDirectory, syncDirectory, temporary } from "../files.ts";
import { mergeKeys } from "./mergeKeys.ts";
import { type CompactionLimits, type DayCount, type OutputPlan, planOutputs } from "./planner.ts";

const SPILL_LIMIT_BYTES = 32 * 1024 ** 3;
/** Segments of several generations: their partition numbers mean different things, so they are left out. */
const MIXED_GENERATIONS = 0;
const COLUMNS = Object.keys(SEGMENT_COLUMNS).map(quoted).join(", ");
/** `ordinal` stands last and stays a column: within a lane and partition it is the order of acceptance. */
const ORDER = `team_id, "timestamp"::date, event, "timestamp", lane, ordinal`;
const DAY = `("timestamp"::date - date '1970-01-01')`;

/** What a job is going to write. */
export interface MergePlan {
  inputs: LiveSegment[];
  outputs: OutputPlan[];
  rowGroupRows: number;
}

export interface Merged {
  outputs: SegmentFacts[];
  /** Equal duplicate keys that met: duplicates that should not exist. */
  equalKeys: number;
}

/** Reads segments and writes their rows into fewer, sorted ones. Knows files only, not the catalog. */
export class Merger {
  private readonly engine: Engine;
  private session: Session | null = null;
  private isInterrupted = false;

  constructor(private readonly options: { directory: string; memoryLimitBytes: number; threads: number }) {
    this.engine = new Engine({
      threads: options.threads,
      memoryLimitBytes: options.memoryLimitBytes,
      tempDirectory: spillDirectory(options.directory),
      tempLimitBytes: SPILL_LIMIT_BYTES,
    });
  }

  /** Looks at the inputs. Throws TerminalError `segment_corrupt` when they do not hold what the catalog says. */
  async plan(inputs: LiveSegment[], limits: CompactionLimits): Promise<MergePlan> {
    const files = this.fileList(inputs);
    const counts = await this.run(
      `select team_id, ${DAY}, count(*) from read_parquet(${files}) group by all order by all`,
    );
    const sizes = await this.run(
      `select sum(total_uncompressed_size) from parquet_metadata(${files})
       where path_in_schema in ('properties', 'elements_chain')`,
    );
    const days = counts.map(([teamId, day, rows]): DayCount => {
      return { teamId: Number(teamId), day: Number(day), rows: Number(rows) };
    });
    const rows = sum(inputs, (input) => input.rowCount);
    checkRows(
      rows,
      sum(days, (day) => day.rows),
    );
    return {
      inputs,
      outputs: planOutputs(days, sum(inputs, (input) => input.sizeBytes) / rows, limits),
      rowGroupRows: rowGroupSize(Number(sizes[0]?.[0]) / rows),
    };
  }

  /** Writes the outputs under the given ids; they are durable when it returns. Every row is in exactly one. */
  async write(plan: MergePlan, ids: readonly string[]): Promise<Merged> {
    const { directory } = this.options;
    const keyFiles = plan.inputs.map((input) => mapKeyFile(directory, input.id));
    const merged: Merged = { outputs: [], equalKeys: 0 };
    for (const [i, output] of plan.outputs.entries()) {
      const id = ids[i]!;
      await this.writeRows(plan, output, id);
      merged.equalKeys += await this.writeKeys(keyFiles, output, id);
      merged.outputs.push(await this.factsOf(plan, output, id));
    }
    await syncDirectory(directory);
    checkRows(
      sum(plan.inputs, (input) => input.rowCount),
      sum(merged.outputs, (output) => output.rowCount),
    );
    return merged;
  }

  /** Ends what is running with an error, for good. */
  interrupt(): void {
    this.isInterrupted = true;
    this.session?.interrupt();
  }

  async close(): Promise<void> {
    await this.engine.close();
  }

  private async writeRows(plan: MergePlan, output: OutputPlan, id: string): Promise<void> {
    const path = rowsPath(this.options.directory, id);
    await this.run(`copy (
        select ${COLUMNS} from read_parquet(${this.fileList(plan.inputs)}) where ${condition(output)} order by ${ORDER}
      ) to ${sqlString(temporary(path))}
      (format parquet, compression zstd, row_group_size ${plan.rowGroupRows}, use_tmp_file false)`);
    await publish(path);
  }

  private async writeKeys(inputs: readonly KeyFile[], output: OutputPlan, id: string): Promise<number> {
    const path = keysPath(this.options.directory, id);
    const { keys, equalKeys } = mergeKeys(inputs, output);
    await Bun.write(temporary(path), keys.bytes);
    await publish(path);
    return equalKeys;
  }

  /** Read back from the file itself. */
  private async factsOf(plan: MergePlan, output: OutputPlan, id: string): Promise<SegmentFacts> {
    const { directory } = this.options;
    const rows = await this.run(
      `select team_id, count(*), epoch_ms(min("timestamp")), epoch_ms(max("timestamp"))
       from read_parquet(${sqlString(rowsPath(directory, id))}) group by team_id order by team_id`,
    );
    let rowStart = 0;
    const teams = rows.map(([teamId, count, minMs, maxMs]): TeamRange => {
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
    checkRows(output.rows, rowStart);
    return {
      id,
      kind: "events",
      squashedThrough: 0,
      level: 1 + Math.max(...plan.inputs.map((input) => input.level)),
      teamId: teams.length === 1 ? teams[0]!.teamId : null,
      ...streamOrigin(plan.inputs),
      rowCount: rowStart,
      sizeBytes: await segmentBytes(directory, id, "events"),
      minMs: Math.min(...teams.map((team) => team.minMs)),
      maxMs: Math.max(...teams.map((team) => team.maxMs)),
      teams,
    };
  }

  private fileList(inputs: readonly LiveSegment[]): string {
    return `[${inputs.map((input) => sqlString(rowsPath(this.options.directory, input.id))).join(", ")}]`;
  }

  private run(sql: string) {
    return this.engine.use(async (session) => {
      if (this.isInterrupted) throw new Error("INTERRUPT Error: the compactor is stopping");
      this.session = session;
      try {
        return await session.run(sql);
      } finally {
        this.session = null;
      }
    });
  }
}

function condition({ teamIds, fromDay, toDay }: OutputPlan): string {
  return `team_id in (${teamIds.join(", ")})
    and "timestamp" >= make_timestamp(${fromDay * DAY_MS} * 1000)
    and "timestamp" < make_timestamp(${(toDay + 1) * DAY_MS} * 1000)`;
}

function streamOrigin(inputs: readonly LiveSegment[]): { generation: number; partitions: number[] } {
  const generations = new Set(inputs.map((input) => input.generation));
  if (generations.size > 1) return { generation: MIXED_GENERATIONS, partitions: [] };
  const partitions = [...new Set(inputs.flatMap((input) => input.partitions))].sort((a, b) => a - b);
  return { generation: inputs[0]!.generation, partitions };
}

function checkRows(expected: number, found: number): void {
  if (expected === found) return;
  throw new TerminalError("segment_corrupt", `compaction found ${found} rows where there should be ${expected}`);
}

function sum<T>(items: readonly T[], value: (item: T) => number): number {
  return items.reduce((total, item) => total + value(item), 0);
}
