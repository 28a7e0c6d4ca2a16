const STEPS = [1, 2, 2.5, 5, 10];

/**
 * Marks of an axis of values that hold `min` and `max` between the first and the last: at least two, at most about `most`, all of
 * them round numbers, zero among them where it lies within.
 */
export function niceTicks(min: number, max: number, most: number, isWhole: boolean): number[] {
  if (!(max > min)) return isWhole || max === 0 ? [min, min + 1] : [min, min + Math.abs(max)];
  const step = stepOf((max - min) / Math.max(1, most - 1), isWhole);
  const first = Math.floor(min / step + 1e-9);
  const last = Math.max(first + 1, Math.ceil(max / step - 1e-9));
  return Array.from({ length: last - first + 1 }, (_, index) => tidy((first + index) * step));
}

function stepOf(atLeast: number, isWhole: boolean): number {
  const power = 10 ** Math.floor(Math.log10(atLeast));
  const step = STEPS.map((factor) => factor * power).find((one) => one >= atLeast * (1 - 1e-9)) ?? 10 * power;
  if (!isWhole) return step;
  return step < 1 ? 1 : Math.ceil(step);
}

/** 0.30000000000000004 is 0.3. */
const tidy = (value: number): number => Number(value.toPrecision(12)) + 0;

/**
 * Which places of the time axis get a label: every so many that no two come nearer than `gapPx`. `widthsPx` of the labels,
 * `stepPx` from one place to the next.
 */
export function labelledPlaces(widthsPx: readonly number[], stepPx: number, gapPx: number): number[] {
  const count = widthsPx.length;
  if (count === 0) return [];
  const widest = Math.max(...widthsPx);
  const every = stepPx > 0 ? Math.max(1, Math.ceil((widest + gapPx) / stepPx)) : count;
  const round = roundStep(every);
  return Array.from({ length: Math.ceil(count / round) }, (_, index) => index * round);
}

/** Labels of hours that are all midnights are labels of days. */
export function withoutMidnights(labels: readonly string[]): readonly string[] {
  return labels.every((label) => / 00:00$/.test(label)) ? labels.map((label) => label.slice(0, -6)) : labels;
}

/** Weeks and round numbers are easier to read than "every 11th". */
function roundStep(every: number): number {
  const nice = [1, 2, 3, 4, 5, 6, 7, 10, 12, 14, 15, 20, 21, 24, 28, 30, 48, 60, 90, 120, 180, 240, 365];
  return nice.find((step) => step >= every) ?? Math.ceil(every / 100) * 100;
}

/**
 * Heights for labels, each as near as can be to where it belongs, none over another. Null where they do not fit between `top`
 * and `bottom`, or one would be more than `reachPx` away from its place.
 */
export function spreadLabels(
  wishes: readonly number[],
  { heightPx, top, bottom, reachPx }: { heightPx: number; top: number; bottom: number; reachPx: number },
): number[] | null {
  if (wishes.length * heightPx > bottom - top) return null;
  const order = wishes.map((wish, index) => ({ wish, index })).sort((a, b) => a.wish - b.wish || a.index - b.index);
  // Groups of labels that touch each other, each around the mean of its wishes.
  const groups: { start: number; members: typeof order }[] = [];
  for (const one of order) {
    groups.push({ start: one.wish - heightPx / 2, members: [one] });
    while (groups.length > 0) {
      const last = groups.at(-1)!;
      last.start = startOf(last.members, heightPx, top, bottom);
      const before = groups.at(-2);
      if (before === undefined || before.start + before.members.length * heightPx <= last.start) break;
      before.members.push(...last.members);
      groups.pop();
    }
  }
  const heights = new Array<number>(wishes.length).fill(0);
  for (const { start, members } of groups) {
    for (const [at, { index }] of members.entries()) heights[index] = start + (at + 0.5) * heightPx;
  }
  return heights.every((height, index) => Math.abs(height - wishes[index]!) <= reachPx) ? heights : null;
}

function startOf(members: readonly { wish: number }[], heightPx: number, top: number, bottom: number): number {
  const sum = members.reduce((total, { wish }, at) => total + wish - (at + 0.5) * heightPx, 0);
  return Math.max(top, Math.min(bottom - members.length * heightPx, sum / members.length));
}
