import { FOUND_ROWS, type Found, type FoundColumn } from "./found.ts";

/** Rows of numbers, the first of which may be an actor. */
export class NumberRows implements Found {
  rowCount = 0;
  readonly columns: readonly FoundColumn[];
  private readonly values: Uint32Array[];

  constructor(
    names: readonly string[],
    private readonly give: (found: Found) => void,
  ) {
    this.values = names.map(() => new Uint32Array(FOUND_ROWS));
    this.columns = names.map((name, i): FoundColumn => {
      return { name, kind: name === "actor" ? "actor" : "number", values: this.values[i]! };
    });
  }

  add(...row: number[]): void {
    for (let i = 0; i < row.length; i++) this.values[i]![this.rowCount] = row[i]!;
    if (++this.rowCount === FOUND_ROWS) this.giveAll();
  }

  giveAll(): void {
    if (this.rowCount > 0) this.give(this);
    this.rowCount = 0;
  }
}
