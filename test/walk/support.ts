import { FunnelFound, type FunnelProgram, FunnelWalker, type Slice, type Walker } from "../../src/walk/mod.ts";
import type { Expected, Row } from "./naive.ts";

/** Has each of so many walkers walk over actors of its own, and the first one add what the others have counted. */
export function walkInParts<Given extends { actor: number }>(
  rows: readonly Given[],
  parts: number,
  make: () => Walker,
  slicesOf: (rows: readonly Given[]) => Slice[],
): void {
  const walkers = Array.from({ length: parts }, make);
  for (const [i, walker] of walkers.entries()) {
    for (const slice of slicesOf(rows.filter(({ actor }) => actor % parts === i))) walker.take(slice);
  }
  const [first, ...others] = walkers;
  for (const other of others) first!.addPart(structuredClone(other.part()));
  first!.end();
}

/** What walkers find in rows that come in slices of so many. */
export function walk(rows: readonly Row[], program: FunnelProgram, sliceRows: number, parts = 1): Expected[] {
  const found: Expected[] = [];
  const keep = ({ rowCount, actor, value, bucket, reached, times }: FunnelFound) => {
    for (let i = 0; i < rowCount; i++) {
      found.push({
        actor: actor[i]!,
        value: value[i]!,
        bucket: bucket[i]!,
        reached: reached[i]!,
        times: times.map((column) => (Number.isNaN(column[i]!) ? null : column[i]!)),
      });
    }
  };
  const make = () => new FunnelWalker(program, new FunnelFound(program, keep));
  walkInParts(rows, parts, make, (own) => sliced(own, program, sliceRows));
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
