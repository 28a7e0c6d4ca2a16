import type { ParseArgsConfig } from "node:util";
import { parseArgs } from "node:util";
import { describeError, TerminalError } from "../../types/mod.ts";

/** Longer lists than this are not printed whole. */
export const LIST_MAX = 10_000;

/** Reads arguments; throws TerminalError `invalid_arguments` with `usage`. */
export function readArguments<T extends ParseArgsConfig>(config: T, usage: string): ReturnType<typeof parseArgs<T>> {
  try {
    return parseArgs(config);
  } catch (error) {
    throw usageError(describeError(error), usage);
  }
}

export function usageError(problem: string, usage: string): TerminalError {
  return new TerminalError("invalid_arguments", `${problem}\n${usage}`);
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
