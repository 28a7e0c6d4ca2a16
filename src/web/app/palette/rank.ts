import { type Findable, fold, score } from "../question/search.ts";

export interface Rankable extends Findable {
  /** The server found it for the text as it is: it fits, by whatever. */
  isFound?: boolean;
}

/** Something that fits, the larger the better. */
export interface Ranked<T> {
  item: T;
  score: number;
}

/** Letters in a row are worth more than letters with others between them, and those that begin words more than others. */
const BEGINS_WORD = 2;
const FOLLOWS = 1.5;
/** Fewer letters are in nearly every name. */
const SCATTERED_MIN = 2;
/** What has the words themselves always comes first: its score is 1 and more. */
const SCATTERED_MAX = 0.9;

/** Of what the server found by something that is not told here. */
const FOUND = 0.5;

/** The items that fit what was typed, the best first; of alike ones the weightier, then as they were. */
export function ranked<T extends Findable & { isFound?: boolean }>(
  items: readonly T[],
  typed: string,
): readonly Ranked<T>[] {
  return items
    .map((item) => ({ item, score: fitOf(item, typed) || (item.isFound ? FOUND : 0) }))
    .filter((one) => one.score > 0)
    .sort((a, b) => b.score - a.score || (b.item.weight ?? 0) - (a.item.weight ?? 0));
}

/** How well an item fits: by the words that were typed, else by their letters in their order ("nwin" is in "New insight"). */
export function fitOf(item: Findable, typed: string): number {
  return score(item, typed) || scattered(fold(item.label), fold(typed).replace(/\s+/g, ""));
}

/** From 0, where a letter is missing, to below 1. The first letter begins a word. */
function scattered(name: string, letters: string): number {
  if (letters.length < SCATTERED_MIN) return 0;
  let best = 0;
  for (let at = 0; at < name.length; at++) {
    if (name[at] === letters[0] && beginsWord(name, at)) best = Math.max(best, from(name, letters, at));
  }
  return best;
}

/** Each letter at the next beginning of a word that has it, where the rest still fits, else at the next place. */
function from(name: string, letters: string, start: number): number {
  let worth = BEGINS_WORD;
  let last = start;
  for (let at = 1; at < letters.length; at++) {
    const next = placeOf(name, letters, at, last);
    if (next < 0) return 0;
    worth += beginsWord(name, next) ? BEGINS_WORD : next === last + 1 ? FOLLOWS : 1 / (next - last);
    last = next;
  }
  return (SCATTERED_MAX * worth) / (BEGINS_WORD * letters.length);
}

function placeOf(name: string, letters: string, at: number, last: number): number {
  const letter = letters[at]!;
  if (name[last + 1] === letter) return last + 1;
  for (let next = last + 1; next < name.length; next++) {
    if (name[next] === letter && beginsWord(name, next) && holds(name, letters, at + 1, next)) return next;
  }
  return name.indexOf(letter, last + 1);
}

/** Whether the letters from one on come in their order behind a place. */
function holds(name: string, letters: string, at: number, last: number): boolean {
  for (let place = last; at < letters.length; at++) {
    place = name.indexOf(letters[at]!, place + 1);
    if (place < 0) return false;
  }
  return true;
}

const beginsWord = (name: string, at: number): boolean => at === 0 || !/[\p{L}\p{N}]/u.test(name[at - 1]!);
