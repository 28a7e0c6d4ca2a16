import { sharedUint32 } from "./shared.ts";

/** Persons of a journey by code, ascending, and where their rows begin and end. */
export interface Directory {
  codes: Uint32Array;
  begins: Uint32Array;
  ends: Uint32Array;
}

/** Of a file whose persons are still themselves. */
export function plainDirectory({ persons, starts }: { persons: Uint32Array; starts: Uint32Array }): Directory {
  return { codes: persons, begins: starts, ends: starts.subarray(1) };
}

/** The same persons by the codes that they have now, in order of these; null where none has another one. `moved`: by number. */
export function rewritten({ codes, begins, ends }: Directory, moved: ReadonlyMap<number, number>): Directory | null {
  const stay: number[] = [];
  const move: { code: number; at: number }[] = [];
  for (const [at, number] of codes.entries()) {
    const code = moved.get(number);
    if (code === undefined) stay.push(at);
    else move.push({ code, at });
  }
  if (move.length === 0) return null;
  move.sort((a, b) => a.code - b.code);
  const made: Directory = {
    codes: sharedUint32(codes.length),
    begins: sharedUint32(codes.length),
    ends: sharedUint32(codes.length),
  };
  let s = 0;
  let m = 0;
  for (let i = 0; i < codes.length; i++) {
    const isMove = s === stay.length || (m < move.length && move[m]!.code < codes[stay[s]!]!);
    const at = isMove ? move[m]!.at : stay[s]!;
    made.codes[i] = isMove ? move[m++]!.code : codes[stay[s++]!]!;
    made.begins[i] = begins[at]!;
    made.ends[i] = ends[at]!;
  }
  return made;
}

/** Where the first of ascending numbers is that is not below another one, from a place on. */
export function lowerBound(numbers: Uint32Array, least: number, from = 0, end = numbers.length): number {
  let low = from;
  let high = end;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (numbers[middle]! < least) low = middle + 1;
    else high = middle;
  }
  return low;
}
