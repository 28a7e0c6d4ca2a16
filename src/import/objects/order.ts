import { type Carried, OBJECT_KINDS, type ObjectId, type ObjectKind, type ProjectObjects } from "./model.ts";
import { referencesIn } from "./references.ts";

export interface Wish {
  kind: ObjectKind;
  carried: Carried;
}

const nameOf = (kind: string, id: ObjectId): string => `${kind} ${id}`;

/** Objects in waves: each refers only to objects of the waves before it. What refers to itself around comes last. */
export function inWaves({ objects }: ProjectObjects): Wish[][] {
  let rest: Wish[] = OBJECT_KINDS.flatMap((kind) => objects[kind].map((carried) => ({ kind, carried })));
  const waves: Wish[][] = [];
  while (rest.length > 0) {
    const waiting = new Set(rest.map(({ kind, carried }) => nameOf(kind, carried.id)));
    const ready = rest.filter((wish) => neededBy(wish).every((name) => !waiting.has(name)));
    const wave = ready.length > 0 ? ready : rest;
    waves.push(wave);
    const done = new Set(wave);
    rest = rest.filter((wish) => !done.has(wish));
  }
  return waves;
}

function neededBy({ carried: { body, tiles = [] } }: Wish): string[] {
  const insights = tiles.flatMap(({ insight }) => (insight === null ? [] : [nameOf("insight", insight)]));
  return [...referencesIn(body).map(({ kind, id }) => nameOf(kind, id)), ...insights];
}
