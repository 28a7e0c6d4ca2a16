import { assert } from "../../types/mod.ts";
import type { Commit, SegmentFacts, SnapshotSegment } from "./types.ts";

/** Throws AssertionFailed unless a commit stores what it counts, moves positions forwards and owns what it moves. */
export function checkCommit({ counts, segments, moves, epochs }: Commit): void {
  const stored = counts.reduce((sum, team) => sum + team.stored, 0);
  const rows = eventRows(segments);
  assert(stored === rows, () => `a commit counts ${stored} events as stored and has ${rows} in its segments`);
  const owned = new Set(epochs.map(({ partition }) => partition));
  assert(owned.size === epochs.length, () => "a commit has one epoch of each partition");
  for (const { lane, partition, from, to } of moves) {
    assert(from <= to, () => `the position of ${lane} ${partition} moves back from ${from} to ${to}`);
    assert(owned.has(partition), () => `${lane} ${partition} moves without an epoch`);
  }
  checkUnique(moves.map(({ lane, partition }) => `${lane} ${partition}`));
  checkUnique(segments.map(({ id }) => id));
}

/** Events that go in a swap and those that come: `erasedRows` of them were deleted. Throws AssertionFailed. */
export function checkSwap(o: { rowsIn: number; outputs: readonly SegmentFacts[]; erasedRows: number }): void {
  const rowsOut = eventRows(o.outputs);
  assert(o.rowsIn === rowsOut + o.erasedRows, () => {
    return `a compaction of ${o.rowsIn} events gives ${rowsOut}, and ${o.erasedRows} were deleted`;
  });
}

/** A file of a snapshot, and when it was live. */
export interface ListedFile {
  kind: unknown;
  file: SnapshotSegment;
  liveFrom: number;
  /** Null while it is live. */
  replacedAt: number | null;
}

/** Throws AssertionFailed unless the files of a snapshot were live at its version, each once, in order of their last time. */
export function checkSnapshot(files: readonly ListedFile[], version: number): void {
  checkUnique(files.map(({ file }) => file.id));
  let before = Number.POSITIVE_INFINITY;
  for (const { file, liveFrom, replacedAt } of files) {
    assert(liveFrom <= version && (replacedAt ?? Number.POSITIVE_INFINITY) > version, () => {
      return `segment ${file.id} was not live at version ${version}`;
    });
    assert(file.maxMs <= before, () => `segment ${file.id} is not in order`);
    before = file.maxMs;
  }
  const rosters = files.filter(({ kind }) => kind === "roster").length;
  assert(rosters <= 1, () => `a project has ${rosters} rosters`);
}

function checkUnique(names: readonly string[]): void {
  assert(new Set(names).size === names.length, () => `something stands twice in ${names.join(", ")}`);
}

function eventRows(segments: readonly SegmentFacts[]): number {
  return segments.reduce((sum, { kind, rowCount }) => sum + (kind === "events" ? rowCount : 0), 0);
}
