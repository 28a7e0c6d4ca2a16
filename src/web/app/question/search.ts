/** Something that can be looked for. */
export interface Findable {
  /** As people read it. */
  label: string;
  /** As it is stored. */
  key: string;
  /** Words besides that mean it. */
  words?: string;
  /** Of two that fit alike, the more frequent one comes first. */
  weight?: number;
}

/** Longer names are looked through so far. */
const LENGTH_MAX = 300;

/** Without case, accents, and different ways to write the same letters. */
export function fold(text: string): string {
  return text.slice(0, LENGTH_MAX).normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
}

/** Texts with the beginning of each word marked by a space: "signedUp", "$current_url" and "a-b" are two words. */
function wordsOf(text: string): string {
  const parted = text.slice(0, LENGTH_MAX).replace(/(\p{Ll})(\p{Lu})/gu, "$1 $2");
  return ` ${fold(parted)
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim()}`;
}

interface Prepared {
  texts: readonly string[];
  parted: readonly string[];
  words: string;
  name: string;
}

const prepared = new WeakMap<Findable, Prepared>();

function prepare(item: Findable): Prepared {
  const known = prepared.get(item);
  if (known !== undefined) return known;
  const texts = [fold(item.label), fold(item.key)];
  const made = {
    texts,
    parted: [wordsOf(item.label), wordsOf(item.key)],
    words: wordsOf(item.words ?? ""),
    name: texts[0]!,
  };
  prepared.set(item, made);
  return made;
}

const BEGINS = 8;
const BEGINS_WORD = 4;
const IS_ALSO = 2;
const INSIDE = 1;

/** How well one word fits; 0 where it does not. */
function fit({ texts, parted, words }: Prepared, word: string): number {
  if (texts.some((text) => text.startsWith(word))) return BEGINS;
  if (parted.some((text) => text.startsWith(` ${word}`))) return BEGINS;
  if (parted.some((text) => text.includes(` ${word}`))) return BEGINS_WORD;
  if (words.includes(` ${word}`)) return IS_ALSO;
  return texts.some((text) => text.includes(word)) ? INSIDE : 0;
}

/** How well an item fits what was typed; 0 where some word of it is nowhere in the item. */
export function score(item: Findable, typed: string): number {
  return scoreOf(prepare(item), split(typed), fold(typed).trim());
}

function scoreOf(item: Prepared, words: readonly string[], whole: string): number {
  let sum = 0;
  for (const word of words) {
    const one = fit(item, word);
    if (one === 0) return 0;
    sum += one;
  }
  if (item.texts.includes(whole)) sum += 3 * BEGINS;
  else if (words.length > 1 && item.texts.some((text) => text.startsWith(whole))) sum += BEGINS;
  return sum / Math.max(1, words.length);
}

const split = (typed: string) =>
  fold(typed)
    .split(/\s+/)
    .filter((word) => word !== "");

/**
 * The items that have every word that was typed, in any order, the best first: those that begin with it, then those with a word
 * that does, then those that mean it, then the rest; of alike ones the more frequent. All items, in their order, where nothing was typed.
 */
export function find<T extends Findable>(items: readonly T[], typed: string): T[] {
  const words = split(typed);
  if (words.length === 0) return [...items];
  const whole = fold(typed).trim();
  return items
    .map((item) => ({ item, at: prepare(item) }))
    .map(({ item, at }) => ({ item, name: at.name, score: scoreOf(at, words, whole) }))
    .filter((one) => one.score > 0)
    .sort(
      (a, b) =>
        b.score - a.score || (b.item.weight ?? 0) - (a.item.weight ?? 0) || (a.name < b.name ? -1 : +(a.name > b.name)),
    )
    .map(({ item }) => item);
}
