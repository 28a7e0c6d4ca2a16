import { type Found, type FoundColumn, NO_CODE, OTHER_CODE } from "../../walk/mod.ts";
import type { WalkSession } from "./session.ts";

/** Columns of an answer, by DuckDB's names of their types, and its rows as JSON texts. */
export interface ShownRows {
  types: string[];
  rows: string[];
}

type Cell = number | bigint;

/** What a walk has counted, of which there is little, for an answer that shows no more than columns of it. */
export class FoundRows {
  private readonly rows: Cell[][] = [];
  private readonly columns: readonly FoundColumn[];

  /** `shown`: the columns that are shown, by their places in `found`. */
  constructor(
    found: Found,
    private readonly shown: readonly number[],
  ) {
    this.columns = shown.map((at) => found.columns[at]!);
  }

  append({ rowCount, columns }: Found): void {
    for (let row = 0; row < rowCount; row++) this.rows.push(this.shown.map((at) => columns[at]!.values[row]!));
  }

  /** `table`: of the walk, whose values have codes. Errors: DuckDB's own. */
  async json(table: string, session: WalkSession): Promise<ShownRows> {
    const texts = await this.texts(table, session);
    const rows = this.rows.map((row) => `[${row.map((cell, i) => jsonOf(cell, this.columns[i]!, texts)).join(",")}]`);
    return { types: this.columns.map(typeOf), rows };
  }

  /** The texts that are shown, by their codes. */
  private async texts(table: string, session: WalkSession): Promise<ReadonlyMap<Cell, string>> {
    const codes = this.columns.flatMap(({ kind }, i) => (kind === "text" ? this.rows.map((row) => row[i]!) : []));
    const listed = new Set(codes.filter((code) => code !== NO_CODE && code !== OTHER_CODE));
    if (listed.size === 0) return new Map();
    const rows = await session.rows(
      `select code, value from ${table}_values where code in (${[...listed].join(", ")})`,
    );
    return new Map(rows.map(([code, value]) => [Number(code), String(value)]));
  }
}

function jsonOf(cell: Cell, { kind, other }: FoundColumn, texts: ReadonlyMap<Cell, string>): string {
  if (kind === "text") return JSON.stringify(cell === OTHER_CODE && other != null ? other : (texts.get(cell) ?? ""));
  return Number.isNaN(cell) ? "null" : String(cell);
}

function typeOf({ kind, values }: FoundColumn): string {
  if (kind === "text") return "VARCHAR";
  if (values instanceof Float64Array) return "DOUBLE";
  return values instanceof Uint8Array ? "UTINYINT" : "UINTEGER";
}
