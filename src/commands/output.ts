/** Longer lists than this are not printed whole. */
export const LIST_MAX = 10_000;

/** What a command has to say: `text` on the standard output, where a script reads it, and `note` beside it. */
export interface Printed {
  text: string;
  note?: string;
  /** 0 when absent. */
  exitCode?: number;
}

/** Rows as columns that line up under their names. */
export function table(rows: Record<string, string>[]): string {
  const names = Object.keys(rows[0] ?? {});
  const widths = names.map((name) => Math.max(name.length, ...rows.map((row) => row[name]!.length)));
  const line = (cells: string[]) =>
    cells
      .map((cell, i) => cell.padEnd(widths[i]!))
      .join("  ")
      .trimEnd();
  return [line(names), ...rows.map((row) => line(names.map((name) => row[name]!)))].join("\n");
}

/** What an operator is told of files that compaction leaves alone. */
export function asideLines(ids: readonly string[]): string[] {
  return ids.length === 0 ? [] : [`set aside by compaction, see its log and weir lake verify: ${ids.join(", ")}`];
}
