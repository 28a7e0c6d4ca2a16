/** Most rows of a list that a command prints. */
export const LIST_MAX = 10_000;

/** The output of a command: `text` for the standard output, where a script reads it, and `note` for the standard error. */
export interface Printed {
  text: string;
  note?: string;
  /** 0 when absent. */
  exitCode?: number;
}

/** Rows as columns that line up under their names. */
export function table(rows: Record<string, string>[]): string {
  const names = Object.keys(rows[0] ?? {});
  const widths = names.map((name) => Math.max(name.length, ...rows.map((row) => (row[name] ?? "").length)));
  const line = (cells: string[]) =>
    cells
      .map((cell, i) => cell.padEnd(widths[i] ?? 0))
      .join("  ")
      .trimEnd();
  return [line(names), ...rows.map((row) => line(names.map((name) => row[name] ?? "")))].join("\n");
}

/** Names the files that compaction has quarantined; nothing where there are none. */
export function asideLines(ids: readonly string[]): string[] {
  return ids.length === 0
    ? []
    : [
        `quarantined by compaction (a compactor that was killed takes them up again; else its log and \`weir lake verify\` tell why): ${ids.join(", ")}`,
      ];
}
