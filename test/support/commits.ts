import type { Commit } from "../../src/lake/mod.ts";

/** A commit of nothing but what is given. */
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
    counts: [],
    deadLetters: [],
    warnings: [],
    definitions: { seen: [], max: 0 },
    ...part,
  };
}
