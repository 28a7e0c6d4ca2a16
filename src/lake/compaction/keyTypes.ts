import type { LiveSegment } from "../catalog/mod.ts";
import { duckdbClient, type StoppableEngine } from "../engine/mod.ts";
import { fileList, type Locator } from "../storage/mod.ts";
import { type ColumnType, commonest, jsonColumn, type KeyCount, pointerOf, VALUE_TYPES } from "../typed/mod.ts";

const TYPES = Object.keys(VALUE_TYPES) as ColumnType[];

/** Neighbouring rows of one project in a file. */
export interface RowRange {
  file: LiveSegment;
  teamId: number;
  /** Counted from the first of the file. */
  from: number;
  rows: number;
}

/** Finds the types of the values of keys. */
export class KeyTypes {
  constructor(
    private readonly o: { store: Locator; engine: StoppableEngine; cannotRead(id: string, error: unknown): void },
  ) {}

  /** The type that most values of each key have in these rows; keys without one are left out, as are files that cannot be read. */
  async in(ranges: readonly RowRange[], keys: readonly string[]): Promise<Map<string, ColumnType>> {
    const counts = new Map<string, KeyCount["rows"]>();
    for (const range of ranges) {
      try {
        await this.count(range, keys, counts);
      } catch (error) {
        if (this.o.engine.isInterrupted) throw error;
        this.o.cannotRead(range.file.id, error);
      }
    }
    const found = [...counts].filter(([, rows]) => TYPES.some((type) => rows[type] > 0));
    return new Map(found.map(([key, rows]) => [key, commonest(rows)]));
  }

  /** A key without a column is in the JSON of every file. */
  private async count(
    { file, teamId, from, rows }: RowRange,
    keys: readonly string[],
    counts: Map<string, KeyCount["rows"]>,
  ): Promise<void> {
    const fits = TYPES.map((type) => `count(*) filter (${VALUE_TYPES[type].parse("value")} is not null)`);
    // One list: each text is parsed once, however many keys there are.
    const found = await this.o.engine.run(
      `select i, ${fits.join(", ")} from (
         select unnest(range(${keys.length})) as i, unnest(json_extract(json, $1::varchar[]))::varchar as value
         from (select ${jsonColumn(file.columns)} as json
           from read_parquet(${fileList(this.o.store, [file])}, file_row_number = true)
           where team_id = ${teamId} and file_row_number between ${from} and ${from + rows - 1}))
       where value is not null group by i`,
      { params: [duckdbClient().listValue(keys.map((key) => pointerOf([key])))] },
    );
    for (const [i, ...numbers] of found) {
      const key = keys[Number(i)];
      if (key === undefined) continue;
      const before = counts.get(key);
      const after = TYPES.map((type, n) => [type, (before?.[type] ?? 0) + Number(numbers[n])]);
      counts.set(key, Object.fromEntries(after) as KeyCount["rows"]);
    }
  }
}

/** Files that hold rows of the project, newest first. */
export function newestFirst(live: readonly LiveSegment[], teamId: number): LiveSegment[] {
  return live
    .filter(({ teams }) => teams.some((team) => team.teamId === teamId))
    .toSorted((a, b) => b.maxMs - a.maxMs || (a.id < b.id ? -1 : 1));
}

/** The rows of the project in the file. */
export function rowsOf(file: LiveSegment, teamId: number): RowRange {
  const { rowStart, rowCount } = file.teams.find((team) => team.teamId === teamId) ?? { rowStart: 0, rowCount: 0 };
  return { file, teamId, from: rowStart, rows: rowCount };
}

/** Rows and files of one piece. */
export interface PieceLimits {
  rows: number;
  files: number;
}

/**
 * Goes through all files of a project in pieces, newest first. New files are newer than the place it has reached, so that it
 * ends; older files that are merged meanwhile are gone through again.
 */
export class KeySearch {
  private readonly seen = new Set<string>();
  private throughMs = Number.POSITIVE_INFINITY;
  /** The file that was begun, and how many of its rows were taken. */
  private begun = { id: "", rows: 0 };

  constructor(
    readonly teamId: number,
    /** Keys that are not found yet. */
    public keys: readonly string[],
  ) {}

  /** The rows to read next; none when all were read. */
  next(live: readonly LiveSegment[], limits: PieceLimits): RowRange[] {
    const ranges: RowRange[] = [];
    let left = limits.rows;
    for (const file of newestFirst(live, this.teamId)) {
      if (file.maxMs > this.throughMs || this.seen.has(file.id)) continue;
      if (left === 0 || ranges.length === limits.files) break;
      const all = rowsOf(file, this.teamId);
      const taken = file.id === this.begun.id ? this.begun.rows : 0;
      const rows = Math.min(left, all.rows - taken);
      ranges.push({ ...all, from: all.from + taken, rows });
      left -= rows;
      this.throughMs = file.maxMs;
      if (taken + rows === all.rows) this.seen.add(file.id);
      else this.begun = { id: file.id, rows: taken + rows };
    }
    return ranges;
  }
}
