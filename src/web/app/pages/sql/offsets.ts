/**
 * The places in a text of JavaScript for offsets that count whole characters, as errors of HogQL do: an emoji is one of them, and two
 * places of the text.
 */
export function placesOf(text: string, offsets: readonly number[]): number[] {
  const sorted = [...new Set(offsets)].sort((a, b) => a - b);
  const places = new Map<number, number>();
  let [characters, place, next] = [0, 0, 0];
  for (const character of text) {
    while (next < sorted.length && sorted[next]! <= characters) places.set(sorted[next++]!, place);
    if (next === sorted.length) break;
    characters++;
    place += character.length;
  }
  return offsets.map((offset) => places.get(offset) ?? text.length);
}
