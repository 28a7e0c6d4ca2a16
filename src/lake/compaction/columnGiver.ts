import { DAY_MS, describeError } from "../../types/mod.ts";
import type { LiveSegment, WantedColumn } from "../catalog/mod.ts";
import { locationsOf } from "../storage/mod.ts";
import { type ColumnType, LAYOUT_MAX_COLUMNS } from "../typed/mod.ts";
import { duringJob } from "./claim.ts";
import type { CompactionTools } from "./jobs.ts";
import { KeySearch, KeyTypes, newestFirst, type PieceLimits, type RowRange, rowsOf } from "./keyTypes.ts";

const LOOK_MS = 60_000;
/** A key that has no value with a type in the newest rows is looked for in them again after this, */
const RETRY_MS = 3_600_000;
/** and in all of them after this. */
const SEARCH_AGAIN_MS = DAY_MS;
/** The newest rows of a project. */
const NEWEST: PieceLimits = { rows: 50_000, files: 8 };
/** Older rows that are read at each look: about a second's work for a hundred keys. */
const PIECE: PieceLimits = { rows: 250_000, files: 64 };

interface ColumnGiverOptions extends CompactionTools {
  /** Of one look at older rows. */
  piece?: PieceLimits;
}

/** Gives columns to keys that an operator has pinned or that queries read, even if few events have them. */
export class ColumnGiver {
  private lookedAtMs = Number.NEGATIVE_INFINITY;
  /** By key: when it was looked for in the newest rows, and when a search through all of them had ended. */
  private readonly soughtAtMs = new Map<string, number>();
  private readonly searchedAtMs = new Map<string, number>();
  private search: KeySearch | null = null;
  private readonly types: KeyTypes;

  constructor(private readonly options: ColumnGiverOptions) {
    const { storage, engine, log } = options;
    const cannotRead = (id: string, error: unknown) =>
      log(`looking for keys, ${id} cannot be read: ${describeError(error)}`);
    this.types = new KeyTypes({ store: storage, engine, cannotRead });
  }

  /**
   * Looks once a minute: at the newest rows of every project that wants columns, and at a piece of the older ones of one of
   * them. A key without a value waits for one. `nowMs`: of a clock that is never set.
   */
  async look(live: readonly LiveSegment[], nowMs: number): Promise<void> {
    if (nowMs - this.lookedAtMs < LOOK_MS) return;
    this.lookedAtMs = nowMs;
    const wanted = await this.options.catalog.wantedColumns();
    this.forget(wanted);
    for (const [teamId, ofTeam] of Map.groupBy(wanted, (column) => column.teamId)) {
      const open = ofTeam.filter(({ type }) => type === null);
      const due = open.filter((column) => isOlder(this.soughtAtMs, column, nowMs - RETRY_MS));
      const sought = due.slice(0, LAYOUT_MAX_COLUMNS);
      const types = await this.typesIn(
        sought.length === 0 ? [] : newestRows(live, teamId),
        sought.map(({ key }) => key),
      );
      if (types === null) continue;
      for (const column of sought) this.soughtAtMs.set(nameOf(column), nowMs);
      await this.grow(ofTeam, types);
    }
    await this.searchOn(live, nowMs);
  }

  /** Files are claimed while they are read, as those of a job are: one may end the process. Null when a job was faster. */
  private async typesIn(
    ranges: readonly RowRange[],
    keys: readonly string[],
  ): Promise<ReadonlyMap<string, ColumnType> | null> {
    if (ranges.length === 0) return new Map();
    const { catalog, holder, storage } = this.options;
    const files = ranges.map(({ file }) => file);
    const claim = { catalog, holder, kind: "columns", inputs: files, beside: [] };
    const read = () => storage.hold(locationsOf(storage, files), () => this.types.in(ranges, keys));
    return duringJob(claim, read);
  }

  /** Columns for those whose type is known, in the order in which they are wanted. */
  private async grow(wanted: readonly WantedColumn[], types: ReadonlyMap<string, ColumnType>): Promise<void> {
    const columns = wanted.flatMap(({ key, type }) => {
      const known = type ?? types.get(key);
      return known === undefined ? [] : [{ key, type: known }];
    });
    const [first] = wanted;
    if (first === undefined || columns.length === 0) return;
    await this.options.catalog.growLayout(first.teamId, columns, { isAsked: true });
  }

  private async searchOn(live: readonly LiveSegment[], nowMs: number): Promise<void> {
    const open = (await this.options.catalog.wantedColumns()).filter(({ type }) => type === null);
    if (this.search !== null) {
      const { teamId, keys } = this.search;
      const wanted = new Set(open.filter((column) => column.teamId === teamId).map(({ key }) => key));
      this.search.keys = keys.filter((key) => wanted.has(key));
    }
    if (this.search === null || this.search.keys.length === 0) this.search = this.begin(open, nowMs);
    if (this.search === null) return;
    const { teamId, keys } = this.search;
    const ranges = this.search.next(live, this.options.piece ?? PIECE);
    if (ranges.length === 0) {
      for (const key of keys) this.searchedAtMs.set(nameOf({ teamId, key }), nowMs);
      this.search = null;
      return;
    }
    const types = await this.typesIn(ranges, keys);
    if (types === null) {
      // These rows were not read: the next look begins anew.
      this.search = null;
      return;
    }
    await this.grow(
      open.filter((column) => column.teamId === teamId),
      types,
    );
  }

  /** Through the project with the key that has waited longest. */
  private begin(open: readonly WantedColumn[], nowMs: number): KeySearch | null {
    const due = open.filter((column) => isOlder(this.searchedAtMs, column, nowMs - SEARCH_AGAIN_MS));
    const [first] = due.toSorted((a, b) => atOf(this.searchedAtMs, a) - atOf(this.searchedAtMs, b));
    if (first === undefined) return null;
    const keys = due.filter(({ teamId }) => teamId === first.teamId).map(({ key }) => key);
    return new KeySearch(first.teamId, keys.slice(0, LAYOUT_MAX_COLUMNS));
  }

  /** Forgets keys that are no longer wanted, or have their column. */
  private forget(wanted: readonly WantedColumn[]): void {
    const names = new Set(wanted.map(nameOf));
    for (const times of [this.soughtAtMs, this.searchedAtMs]) {
      for (const name of times.keys()) if (!names.has(name)) times.delete(name);
    }
  }
}

const nameOf = ({ teamId, key }: Pick<WantedColumn, "teamId" | "key">): string => `${teamId}/${key}`;

const atOf = (times: ReadonlyMap<string, number>, column: WantedColumn): number =>
  times.get(nameOf(column)) ?? Number.NEGATIVE_INFINITY;

const isOlder = (times: ReadonlyMap<string, number>, column: WantedColumn, thanMs: number): boolean =>
  atOf(times, column) <= thanMs;

/** The last ones of the newest files. */
function newestRows(live: readonly LiveSegment[], teamId: number): RowRange[] {
  const ranges: RowRange[] = [];
  let left = NEWEST.rows;
  for (const file of newestFirst(live, teamId).slice(0, NEWEST.files)) {
    const all = rowsOf(file, teamId);
    const rows = Math.min(left, all.rows);
    if (rows > 0) ranges.push({ ...all, from: all.from + all.rows - rows, rows });
    left -= rows;
  }
  return ranges;
}
