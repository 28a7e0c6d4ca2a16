import type { Commit, SegmentFacts } from "../../src/lake/mod.ts";

/** A commit of nothing but what is given; events of segments are counted. */
export function commitOf(part: Partial<Commit>): Commit {
  return {
    id: crypto.randomUUID(),
    generation: 1,
    erasedThrough: 0,
    epochs: [],
    moves: [],
    segments: [],
    identities: [],
    merging: [],
    usage: [],
    states: [],
    messages: [],
    counts: countsOf(part.segments ?? []),
    deadLetters: [],
    warnings: [],
    definitions: { seen: [], max: 0 },
    ...part,
  };
}

function countsOf(segments: readonly SegmentFacts[]): Commit["counts"] {
  const teams = segments.flatMap((segment) => (segment.kind === "events" ? segment.teams : []));
  return teams.map(({ teamId, rowCount }) => ({ teamId, stored: rowCount, duplicates: 0, dropped: {} }));
}
