import { TerminalError } from "../../types/mod.ts";
import type { LiveSegment } from "../catalog/mod.ts";
import { duplicateKey } from "../duplicates/mod.ts";
import type { StoppableEngine } from "../engine/mod.ts";
import { countRows, erasedRows, keptRows } from "../reading/mod.ts";
import { fileList, type Locator, tableOf } from "../storage/mod.ts";
import { countKeys, jsonColumn, type KeyCount, keyCount, REST } from "../typed/mod.ts";
import { rowGroupSize } from "../writing/mod.ts";
import { type KnownChanges, movedIn } from "./knownChanges.ts";
import { UTC_DAY } from "./localDays.ts";
import { type DayCount, ownTeam, type PlannedOutput, planOutputs, rowSizes, withIds } from "./outputs.ts";
import type { CompactionLimits } from "./planner.ts";

/** Rows that are looked at to find out which keys there are. */
const SAMPLE_ROWS = 50_000;
/** Text of wide rows among them: each is held as a map of its members. */
const SAMPLE_WIDE_BYTES = 16 * 1024 * 1024;
const ROW_GROUP_MAX_ROWS = 40_960;
/** Columns that all files have. */
const COMMON = `team_id, uuid, event, distinct_id, person_id, "timestamp"`;

/** The inputs and outputs of a job. */
export interface MergePlan {
  inputs: LiveSegment[];
  outputs: PlannedOutput[];
  rowGroupRows: number;
  known: KnownChanges;
}

/** Reads files of events before they are merged. Knows files only, not the catalog. */
export class Inspector {
  constructor(
    private readonly store: Locator,
    private readonly engine: StoppableEngine,
  ) {}

  /** Looks at the inputs. Throws TerminalError `segment_corrupt` when they do not match the catalog. */
  async plan(inputs: LiveSegment[], known: KnownChanges, limits: CompactionLimits): Promise<MergePlan> {
    const files = fileList(this.store, inputs);
    const expected = sum(inputs, (input) => input.rowCount);
    checkRows(expected, await countRows(this.engine, this.read(inputs)));
    const counts = await this.engine.run(
      `select team_id, ${UTC_DAY}, count(*) from ${keptRows(this.common(inputs, known))} group by all order by all`,
    );
    const sizes = await this.engine.run(
      `select sum(total_uncompressed_size) from parquet_metadata(${files})
       where regexp_full_match(path_in_schema, 'properties|elements_chain|${REST}|p[0-9]+')`,
    );
    const days = counts.map(([teamId, day, rows]): DayCount => {
      return { teamId: Number(teamId), day: Number(day), rows: Number(rows) };
    });
    return {
      inputs,
      outputs: withIds(planOutputs(days, rowSizes(inputs, limits), limits)),
      rowGroupRows: Math.min(ROW_GROUP_MAX_ROWS, rowGroupSize(Number(sizes[0]?.[0]) / expected)),
      known,
    };
  }

  /** Rows that belong to another person than they say. */
  countMoved(inputs: LiveSegment[], known: KnownChanges): Promise<number> {
    const moved = movedIn(this.store, inputs, known);
    const rows = `${this.read(inputs)} e semi join ${moved} m on m.team_id = e.team_id and m.id = e.person_id`;
    return countRows(this.engine, rows);
  }

  /** Rows that were deleted. */
  countErased(inputs: readonly LiveSegment[], known: KnownChanges): Promise<number> {
    return countRows(this.engine, erasedRows(this.common(inputs, known)));
  }

  /** Duplicate keys of the deleted rows of projects that have others, and how many rows have each. */
  async erasedKeys({ inputs, outputs, known }: MergePlan): Promise<Map<bigint, number>> {
    const erased = erasedRows(this.common(inputs, known));
    const teamIds = new Set(outputs.flatMap((output) => output.teamIds));
    const keys = new Map<bigint, number>();
    if (erased === null || teamIds.size === 0) return keys;
    const rows = await this.engine.run(
      `select team_id, ${UTC_DAY}, event, distinct_id, uuid::varchar from ${erased} where team_id in (${[...teamIds].join(", ")})`,
    );
    for (const [teamId, day, event, distinctId, uuid] of rows) {
      const key = duplicateKey(Number(teamId), Number(day), String(event), String(distinctId), String(uuid));
      keys.set(key, (keys.get(key) ?? 0) + 1);
    }
    return keys;
  }

  /** The keys in a sample of a project's rows. Files with columns were looked at by their first writer. */
  async countKeys({ inputs }: MergePlan, teamId: number): Promise<KeyCount[]> {
    const fresh = inputs.filter((input) => isOf(input, [teamId]) && input.columns === 0);
    if (fresh.length === 0) return [];
    const share = (most: number, of: (input: LiveSegment) => number) => most / Math.max(1, sum(fresh, of));
    const rows = share(SAMPLE_ROWS, ({ rowCount }) => rowCount);
    const percent =
      100 *
      Math.min(
        rows,
        share(SAMPLE_WIDE_BYTES, ({ wideBytes }) => wideBytes),
      );
    const sample = percent >= 100 ? "" : `tablesample system (${percent} percent)`;
    const counts = await this.engine.run(
      countKeys(
        `(select event, ${jsonColumn(0)} as json from ${this.read(fresh)} ${sample} where team_id = ${teamId})`,
      ),
    );
    return counts.map(keyCount);
  }

  private readonly read = (files: readonly LiveSegment[]) => tableOf(this.store, files);

  private common(files: readonly LiveSegment[], { erasures }: KnownChanges) {
    return { kind: "events", files, erasures, read: this.read, columns: COMMON } as const;
  }
}

/** Projects that get files of their own. */
export function ownTeams({ outputs }: MergePlan): Set<number> {
  return new Set(outputs.flatMap((output) => ownTeam(output) ?? []));
}

export function isOf({ teams }: LiveSegment, teamIds: readonly number[]): boolean {
  return teams.some(({ teamId }) => teamIds.includes(teamId));
}

/** Throws TerminalError `segment_corrupt`. */
export function checkRows(expected: number, found: number): void {
  if (expected === found) return;
  throw new TerminalError("segment_corrupt", `compaction found ${found} rows where there should be ${expected}`);
}

export function sum<T>(items: readonly T[], value: (item: T) => number): number {
  return items.reduce((total, item) => total + value(item), 0);
}
