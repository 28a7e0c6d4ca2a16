import type { LiveSegment } from "../catalog/mod.ts";
import { newestFirst, type RowRange, rowsOf } from "./keyTypes.ts";

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
