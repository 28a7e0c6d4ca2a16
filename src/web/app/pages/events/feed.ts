/** Rows with a number of their own, by which they are told apart: uuids come from strangers. */
export type Numbered<R> = R & { n: number };

/** What came, the last first: what the list shows, and what waits above it. Both are bounded; nothing in them is left out. */
export interface Feed<R> {
  rows: readonly Numbered<R>[];
  waiting: readonly Numbered<R>[];
  /** All that wait, of which `waiting` has the last. */
  waitingCount: number;
  /** What waits does not go on from the rows: it takes their place. */
  isAnew: boolean;
  /** Since the page was opened. */
  cameCount: number;
  nextN: number;
}

/** So many rows are shown, and so many wait: the last ones of all that came, without a gap. */
export const KEPT = 1_000;

export const NO_FEED: Feed<never> = {
  rows: [],
  waiting: [],
  waitingCount: 0,
  isAnew: false,
  cameCount: 0,
  nextN: 0,
};

/** The list begins, or begins anew where some could not be told. */
export function begun<R>(feed: Feed<R>, rows: readonly R[], { isPaused }: { isPaused: boolean }): Feed<R> {
  const numbered = number(feed, rows.slice(0, KEPT));
  const next = { ...feed, nextN: feed.nextN + numbered.length };
  if (!isPaused || feed.rows.length === 0) {
    return { ...next, rows: numbered, waiting: [], waitingCount: 0, isAnew: false };
  }
  return { ...next, waiting: numbered, waitingCount: numbered.length, isAnew: true };
}

/** Some came: the last `rows` of `count`. Where that is more than `rows` has, what was there before does not go on from them. */
export function arrived<R>(
  feed: Feed<R>,
  { rows, count }: { rows: readonly R[]; count: number },
  { isPaused }: { isPaused: boolean },
): Feed<R> {
  if (count === 0) return feed;
  const numbered = number(feed, rows);
  const isWhole = rows.length >= count;
  const behind = <B>(before: readonly B[]) => (isWhole ? before : []);
  const next = { ...feed, nextN: feed.nextN + rows.length, cameCount: feed.cameCount + count };
  if (!isPaused) return { ...next, rows: [...numbered, ...behind(feed.rows)].slice(0, KEPT) };
  const waiting = [...numbered, ...behind(feed.waiting)].slice(0, KEPT);
  const waitingCount = feed.waitingCount + count;
  return { ...next, waiting, waitingCount, isAnew: feed.isAnew || waiting.length < waitingCount };
}

/** What waits is shown. */
export function resumed<R>(feed: Feed<R>): Feed<R> {
  if (feed.waiting.length === 0) return feed;
  const rows = feed.isAnew ? feed.waiting : [...feed.waiting, ...feed.rows].slice(0, KEPT);
  return { ...feed, rows, waiting: [], waitingCount: 0, isAnew: false };
}

/** The last has the highest number. */
const number = <R>({ nextN }: Feed<R>, rows: readonly R[]): Numbered<R>[] =>
  rows.map((row, at) => ({ ...row, n: nextN + rows.length - 1 - at }));
