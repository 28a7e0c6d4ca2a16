import type { Catalog } from "../catalog/catalog.ts";
import type { LiveSegment } from "../catalog/types.ts";
import type { WantedColumn } from "../catalog/wantedColumns.ts";
import { commonest, type KeyCount } from "../typed/choose.ts";
import { type ColumnType, jsonColumn, LAYOUT_MAX_COLUMNS, pointerOf } from "../typed/columns.ts";
import { VALUE_TYPES } from "../typed/values.ts";
import { tableOf } from "./facts.ts";
import type { StoppableEngine } from "./stoppableEngine.ts";

const LOOK_MS = 60_000;
/** A key that has no value with a type is looked for again after this. */
const RETRY_MS = 3_600_000;
/** What is looked at to learn of what type a key's values are. */
const SAMPLE_FILES = 8;
const SAMPLE_ROWS = 50_000;
const TYPES = Object.keys(VALUE_TYPES) as ColumnType[];

/** Gives columns to keys that an operator has pinned or that queries read, whatever share of the events has them. */
export class ColumnGiver {
  private lookedAtMs = 0;
  private readonly soughtAtMs = new Map<string, number>();

  constructor(
    private readonly directory: string,
    private readonly engine: StoppableEngine,
    private readonly catalog: Pick<Catalog, "growLayout" | "wantedColumns">,
  ) {}

  /** Looks once a minute. A key without a value in the newest files waits for one. */
  async look(live: readonly LiveSegment[], nowMs: number): Promise<void> {
    if (nowMs - this.lookedAtMs < LOOK_MS) return;
    this.lookedAtMs = nowMs;
    const wanted = (await this.catalog.wantedColumns()).filter((column) => this.isDue(column, nowMs));
    for (const [teamId, ofTeam] of Map.groupBy(wanted, (column) => column.teamId)) {
      const columns = await this.withTypes(live, teamId, ofTeam.slice(0, LAYOUT_MAX_COLUMNS));
      if (columns.length > 0) await this.catalog.growLayout(teamId, columns, { isAsked: true });
    }
  }

  private isDue({ teamId, key, type }: WantedColumn, nowMs: number): boolean {
    const name = `${teamId}/${key}`;
    if (type === null && nowMs - (this.soughtAtMs.get(name) ?? 0) < RETRY_MS) return false;
    this.soughtAtMs.set(name, nowMs);
    return true;
  }

  private async withTypes(live: readonly LiveSegment[], teamId: number, wanted: readonly WantedColumn[]) {
    const open = wanted.filter(({ type }) => type === null).map(({ key }) => key);
    const found = open.length === 0 ? new Map<string, ColumnType>() : await this.typesOf(live, teamId, open);
    return wanted.flatMap(({ key, type }) => {
      const known = type ?? found.get(key);
      return known === undefined ? [] : [{ key, type: known }];
    });
  }

  /** The type that most values of each key have, in the newest files of the project. */
  private async typesOf(live: readonly LiveSegment[], teamId: number, keys: readonly string[]) {
    const files = live
      .filter(({ teams }) => teams.some((team) => team.teamId === teamId))
      .toSorted((a, b) => b.maxMs - a.maxMs)
      .slice(0, SAMPLE_FILES);
    const types = new Map<string, ColumnType>();
    if (files.length === 0) return types;
    // A key without a column stands in the JSON, whatever columns a file has.
    const parts = files.map(
      (file) => `select ${jsonColumn(file.columns)} as json from ${tableOf(this.directory, [file])}
        where team_id = ${teamId}`,
    );
    const counts = keys.flatMap((_, i) =>
      TYPES.map((type) => `count(*) filter (${VALUE_TYPES[type].parse(`v${i}`)} is not null)`),
    );
    const values = keys.map((_, i) => `json_extract(json, $${i + 1}::varchar)::varchar as v${i}`);
    const [row = []] = await this.engine.run(
      `select ${counts.join(", ")} from (select ${values.join(", ")} from (${parts.join(" union all ")}) limit ${SAMPLE_ROWS})`,
      { params: keys.map((key) => pointerOf([key])) },
    );
    keys.forEach((key, i) => {
      const numbers = TYPES.map((type, n) => [type, Number(row[i * TYPES.length + n])] as const);
      const rows = Object.fromEntries(numbers) as KeyCount["rows"];
      if (numbers.some(([, count]) => count > 0)) types.set(key, commonest(rows));
    });
    return types;
  }
}
