import type { Past, Wish } from "./types.ts";

/** What events can become, in the order of the equation. */
export const OUTCOMES = ["stored", "duplicates", "dropped", "dead_letters"] as const;
export type Outcome = (typeof OUTCOMES)[number];

export const LANES = ["live", "history", "overflow", "identity"] as const;
export type LaneName = (typeof LANES)[number];

type Values = (number | null)[];

/** The places of a chart. Null: not known. */
export interface Steps {
  /** The beginning of each place, epoch milliseconds. */
  atMs: number[];
  placeMs: number;
  /** How many events came to each end within the place; below 0 where dead letters were sent in again. */
  became: Record<Outcome, Values>;
  /** The longest queue, and the highest lags in milliseconds. */
  queued: Values;
  lagMs: Record<LaneName, Values>;
}

/** A time of which there are no figures. */
export interface Gap {
  fromMs: number;
  toMs: number;
  minutes: number;
  /** Why, as a code; null: nobody was there to read them. */
  problem: string | null;
}

/** How a range is asked for and drawn: `group` steps are one place. */
export interface Range extends Wish {
  key: string;
  label: string;
  group: number;
}

export const RANGES: readonly Range[] = [
  { key: "3h", label: "3 hours", step: "minute", steps: 180, group: 2 },
  { key: "24h", label: "24 hours", step: "minute", steps: 1_440, group: 10 },
  { key: "2d", label: "2 days", step: "minute", steps: 2_870, group: 20 },
  { key: "7d", label: "7 days", step: "hour", steps: 168, group: 2 },
  { key: "90d", label: "90 days", step: "hour", steps: 2_150, group: 24 },
];

/** The places of a chart: differences of totals, summed up, and the highest of the rest. The first step is only what the second differs from. */
export function stepsOf(past: Past, group: number): Steps {
  const firstMs = Date.parse(past.date_from);
  const count = past.accepted.length;
  const places = Math.ceil((count - 1) / group);
  // The last place ends with the last step.
  const startOf = (place: number) => count - (places - place) * group;
  const each = <T>(read: (from: number, to: number) => T): T[] =>
    Array.from({ length: places }, (_, place) => read(Math.max(1, startOf(place)), startOf(place + 1)));
  const became = (outcome: Outcome): Values => {
    const differences = differencesOf(past[outcome]);
    return each((from, to) => sumOf(differences.slice(from, to)));
  };
  const highest = (values: Values): Values => each((from, to) => highestOf(values.slice(from, to)));
  return {
    atMs: each((from) => firstMs + from * past.step_ms),
    placeMs: group * past.step_ms,
    became: {
      stored: became("stored"),
      duplicates: became("duplicates"),
      dropped: became("dropped"),
      dead_letters: became("dead_letters"),
    },
    queued: highest(past.queued_max),
    lagMs: {
      live: highest(past.lag_ms.live),
      history: highest(past.lag_ms.history),
      overflow: highest(past.lag_ms.overflow),
      identity: highest(past.lag_ms.identity),
    },
  };
}

/** Of each total from the last one that is known; null where one of them is not. */
function differencesOf(totals: readonly (number | null)[]): Values {
  let before: number | null = null;
  return totals.map((total) => {
    if (total === null) return null;
    const difference = before === null ? null : total - before;
    before = total;
    return difference;
  });
}

function sumOf(values: Values): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0);
}

function highestOf(values: Values): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : Math.max(...known);
}

/** The times without figures since the history begins, newest first. In hours a gap is as exact as its number of minutes. */
export function gapsOf(past: Past): Gap[] {
  const firstMs = Date.parse(past.date_from);
  const first = past.accepted.findIndex((value) => value !== null);
  const gaps: Gap[] = [];
  for (let at = Math.max(0, first); first >= 0 && at < past.missing.length; at++) {
    const minutes = past.missing[at]!;
    if (minutes === 0) continue;
    const problem = past.problem[at] ?? null;
    const fromMs = firstMs + at * past.step_ms;
    const toMs = fromMs + past.step_ms;
    const last = gaps.at(-1);
    if (last?.toMs === fromMs && last.problem === problem)
      Object.assign(last, { toMs, minutes: last.minutes + minutes });
    else gaps.push({ fromMs, toMs, minutes, problem });
  }
  return gaps.reverse();
}
