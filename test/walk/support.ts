import { FunnelFound, type FunnelProgram, FunnelWalker, type Slice } from "../../src/walk/mod.ts";
import type { Expected, Row } from "./naive.ts";

/** What the walker finds in rows that come in slices of so many. */
export function walk(rows: readonly Row[], program: FunnelProgram, sliceRows: number): Expected[] {
  const found: Expected[] = [];
  const sink = new FunnelFound(program, ({ rowCount, actor, value, bucket, reached, times }) => {
    for (let i = 0; i < rowCount; i++) {
      found.push({
        actor: actor[i]!,
        value: value[i]!,
        bucket: bucket[i]!,
        reached: reached[i]!,
        times: times.map((column) => (Number.isNaN(column[i]!) ? null : column[i]!)),
      });
    }
  });
  const walker = new FunnelWalker(program, sink);
  for (const slice of sliced(rows, program, sliceRows)) walker.take(slice);
  walker.end();
  return found.sort((a, b) => a.actor - b.actor || a.value - b.value || a.bucket - b.bucket);
}

/** Rows in the order of a program, in slices of so many. */
export function sliced(rows: readonly Row[], program: FunnelProgram, sliceRows: number): Slice[] {
  const byValue = program.attribution === "all";
  const sorted = [...rows].sort((a, b) => a.actor - b.actor || (byValue ? a.value - b.value : 0) || a.us - b.us);
  return Array.from({ length: Math.ceil(sorted.length / sliceRows) }, (_, i) => {
    const slice = sorted.slice(i * sliceRows, (i + 1) * sliceRows);
    return {
      rowCount: slice.length,
      actor: Uint32Array.from(slice, (row) => row.actor),
      us: Float64Array.from(slice, (row) => row.us),
      steps: Int32Array.from(slice, (row) => row.steps),
      excluded: program.exclusions.length === 0 ? null : Int32Array.from(slice, (row) => row.excluded),
      value: program.attribution === null ? null : Uint32Array.from(slice, (row) => row.value),
    };
  });
}
