/** Where each row begins, and the end of the last. */
export function topsOf(count: number, sizePxOf: (index: number) => number): Float64Array {
  const tops = new Float64Array(count + 1);
  for (let index = 0; index < count; index++) tops[index + 1] = tops[index]! + sizePxOf(index);
  return tops;
}

/** The rows, from and up to without, that have a part between two heights. */
export function rangeAt(tops: Float64Array, startPx: number, endPx: number): { from: number; to: number } {
  const count = tops.length - 1;
  const from = firstWhere(count, (index) => tops[index + 1]! > startPx);
  const to = firstWhere(count, (index) => tops[index]! >= endPx);
  return { from: Math.min(from, to), to };
}

/** The first index for which something holds that holds for all after it; the count where it holds for none. */
function firstWhere(count: number, holds: (index: number) => boolean): number {
  let [low, high] = [0, count];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
