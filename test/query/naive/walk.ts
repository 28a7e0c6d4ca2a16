import type { NaiveAttempt, NaiveProgram, NaiveRow } from "./funnels.ts";

// How far an actor's events come in a funnel. Each attempt is followed for itself, from each instant at which one may begin;
// events at one instant are given to steps in every possible way.

/** What an attempt has done when it came to a level: so many steps done or left out. */
interface State {
  level: number;
  timesMs: (number | null)[];
  optionalDone: number;
  /** It met an exclusion: it takes one step more, which only shows that it went on. */
  isEnded: boolean;
  wentOnEnded: boolean;
  atMs: number;
}

interface Attempt {
  beganMs: number;
  states: State[];
  /** Where it met exclusions. */
  ends: { level: number; atMs: number }[];
}

/** The deepest attempts of an actor by value and bucket. */
export function walk(rows: NaiveRow[], program: NaiveProgram): NaiveAttempt[] {
  const { attribution } = program;
  if (attribution === null) return walkValue(rows, program, null);
  if (attribution === "first" || attribution === "last") {
    const having = rows.filter(({ value }) => value !== null);
    const row = attribution === "first" ? having[0] : having.at(-1);
    return walkValue(rows, program, row?.value ?? null);
  }
  if (program.order === "unordered" && attribution !== "all") {
    const begun = [...new Set(rows.filter(({ steps }) => steps > 0).map(({ value }) => value))];
    return begun.flatMap((value) => walkValue(rows, program, value, (row) => row.value === value));
  }
  const isOfStep = ({ steps }: NaiveRow): boolean => attribution === "all" || hasBit(steps, attribution);
  const values = [...new Set(rows.filter(isOfStep).map(({ value }) => value))];
  return values.flatMap((value) => {
    const own = rows.flatMap((row) => {
      if (row.value === value) return [row];
      return attribution === "all" ? [] : [{ ...row, steps: without(row.steps, attribution) }];
    });
    const needed = own.filter(({ steps, excluded }) => program.order === "strict" || steps > 0 || excluded > 0);
    return walkValue(needed, program, value);
  });
}

const hasBit = (bits: number, i: number): boolean => Math.floor(bits / 2 ** i) % 2 === 1;
const without = (bits: number, i: number): number => (hasBit(bits, i) ? bits - 2 ** i : bits);

function walkValue(
  rows: NaiveRow[],
  program: NaiveProgram,
  value: string | null,
  begins: (row: NaiveRow) => boolean = () => true,
): NaiveAttempt[] {
  const { bucketStartsMs: starts } = program;
  const buckets: (number | null)[] = starts === null ? [null] : [...starts.keys()];
  const isIn = (ms: number, bucket: number | null): boolean =>
    bucket === null || starts!.findLastIndex((start) => start <= ms) === bucket;
  if (program.order === "unordered") {
    return buckets.flatMap((bucket) =>
      toldOf(
        unordered(rows, program, (row) => isIn(row.atMs, bucket) && begins(row)),
        value,
        bucket,
      ),
    );
  }
  const instants = [...Map.groupBy(rows, ({ atMs }) => atMs)].toSorted(([a], [b]) => a - b);
  const best = buckets.map((bucket) => {
    const begins = instants.filter(([ms]) => isIn(ms, bucket)).map(([ms]) => follow(ms, instants, program));
    return { bucket, best: deepest(begins, program) };
  });
  const isOnlyDone = best.some(({ best }) => best?.wentOnEnded);
  return best.flatMap(({ bucket, best }) => {
    const counts = best !== null && !best.isEnded && (!isOnlyDone || best.level === program.steps);
    return counts ? toldOf({ reached: best.level, timesMs: best.timesMs }, value, bucket) : [];
  });
}

function toldOf(
  found: { reached: number; timesMs: (number | null)[] },
  value: string | null,
  bucket: number | null,
): NaiveAttempt[] {
  return found.reached === 0 ? [] : [{ value, bucket, ...found }];
}

/** The one that counts: the deepest, the first that came so far and met no exclusion, with most optional steps, begun last. */
function deepest(attempts: Attempt[], { windowMs }: NaiveProgram): State | null {
  const ends = attempts.flatMap((attempt) => attempt.ends);
  // Also an attempt that has come so far and was over already, but for its window, is ended with another one there.
  const isEnded = (state: State, beganMs: number): boolean =>
    state.isEnded ||
    ends.some(({ level, atMs }) => level === state.level && atMs > state.atMs && atMs - beganMs <= windowMs);
  const each = attempts.flatMap(({ beganMs, states }) =>
    states.map((state) => ({ ...state, beganMs, isEnded: isEnded(state, beganMs) })),
  );
  // Of two that come to a step at one instant, that which began first is given up, whatever becomes of the other one.
  const all = each.filter(
    (one) =>
      !each.some(
        (other) => isSame(one, other) && other.atMs === one.atMs && other.beganMs > one.beganMs && !other.wentOnEnded,
      ),
  );
  const depth = Math.max(0, ...all.map(({ level }) => level));
  const deep = all.filter(({ level }) => level === depth);
  const clean = deep.filter(({ isEnded }) => !isEnded);
  if (clean.length === 0) return deep.find(({ wentOnEnded }) => wentOnEnded) ?? deep[0] ?? null;
  const first = Math.min(...clean.map(({ atMs }) => atMs));
  const [chosen] = clean
    .filter(({ atMs }) => atMs === first)
    .toSorted((a, b) => b.optionalDone - a.optionalDone || b.beganMs - a.beganMs || compareTimes(a, b));
  return chosen!;
}

/** Each step as early as it can be. */
function compareTimes(a: State, b: State): number {
  const i = a.timesMs.findIndex((time, at) => time !== b.timesMs[at]);
  return i < 0 ? 0 : (a.timesMs[i] ?? Number.POSITIVE_INFINITY) - (b.timesMs[i] ?? Number.POSITIVE_INFINITY);
}

/** An attempt that begins at an instant, whatever others do. */
function follow(beganMs: number, instants: [number, NaiveRow[]][], program: NaiveProgram): Attempt {
  const attempt: Attempt = { beganMs, states: [], ends: [] };
  const nothing: State = {
    level: 0,
    timesMs: new Array(program.steps).fill(null),
    optionalDone: 0,
    isEnded: false,
    wentOnEnded: false,
    atMs: beganMs,
  };
  // What was reached counts, even where a strict funnel forgets where it was.
  const reached: State[] = [];
  for (const [ms, rows] of instants) {
    if (ms < beganMs || ms - beganMs > program.windowMs) continue;
    const isPlain = rows.every(({ steps, excluded }) => steps === rows[0]!.steps && excluded === rows[0]!.excluded);
    for (const batch of isPlain ? rows.map((row) => [row]) : [rows]) {
      if (isPlain) endBy(batch[0]!, attempt, program);
      const from =
        ms === beganMs && !attempt.states.some(({ level }) => level === 1)
          ? [nothing, ...attempt.states]
          : attempt.states;
      const next = from.flatMap((state) => extended(state, ms, batch, program));
      for (const state of next.toSorted((a, b) => b.optionalDone - a.optionalDone || compareTimes(a, b))) {
        if (!attempt.states.some((known) => isSame(known, state))) attempt.states.push(state);
        reached.push(state);
      }
      if (isPlain && program.order === "strict") {
        attempt.states = attempt.states.filter(
          ({ level, wentOnEnded }) => !wentOnEnded && hasBit(batch[0]!.steps, level - 1),
        );
      }
    }
    if (reached.some(({ level, isEnded }) => level === program.steps && !isEnded)) break;
  }
  return {
    ...attempt,
    states: [...new Set([...reached.filter((state) => isFirst(state, reached)), ...attempt.states])],
  };
}

const isSame = (a: State, b: State): boolean => a.level === b.level && a.optionalDone === b.optionalDone;
const isFirst = (state: State, all: State[]): boolean => all.find((one) => isSame(one, state)) === state;

/** An event ends the attempt where that has not gone on. */
function endBy({ atMs, excluded }: NaiveRow, { states, ends }: Attempt, { exclusions }: NaiveProgram): void {
  for (const state of states) {
    if (states.some((other) => other.level > state.level)) continue;
    const meets = exclusions.some(({ from, to }, i) => hasBit(excluded, i) && state.level > from && state.level <= to);
    if (!meets) continue;
    state.isEnded = true;
    ends.push({ level: state.level, atMs });
  }
}

/** All levels that a state can come to with the events of an instant. */
function extended(state: State, ms: number, rows: NaiveRow[], program: NaiveProgram): State[] {
  if (state.wentOnEnded) return [];
  const found: State[] = [];
  const go = (step: number, left: NaiveRow[], timesMs: (number | null)[], done: number): void => {
    if (step === program.steps) return;
    const isOptional = program.optional.includes(step);
    left.forEach((row, i) => {
      if (!hasBit(row.steps, step)) return;
      const times = timesMs.with(step, ms);
      const optionalDone =
        state.optionalDone +
        times.filter((time, at) => time !== null && state.timesMs[at] === null && program.optional.includes(at)).length;
      found.push({
        level: step + 1,
        timesMs: times,
        optionalDone,
        isEnded: state.isEnded,
        wentOnEnded: state.isEnded,
        atMs: ms,
      });
      if (!state.isEnded) go(step + 1, left.toSpliced(i, 1), times, done + 1);
    });
    if (isOptional) go(step + 1, left, timesMs, done);
  };
  go(state.level, rows, state.timesMs, 0);
  return found;
}

/**
 * Steps in any order: from each row that `mayBegin`, all those within the window. An exclusion in it, beside which nothing else is, ends an
 * attempt that is not completed before.
 */
function unordered(rows: NaiveRow[], { steps, windowMs }: NaiveProgram, mayBegin: (row: NaiveRow) => boolean) {
  let best: { reached: number; timesMs: (number | null)[] } = { reached: 0, timesMs: [] };
  const endsAt = rows.filter(({ atMs, excluded }) => excluded > 0 && isPlainAt(rows, atMs)).map(({ atMs }) => atMs);
  for (const begin of rows.filter((row) => row.steps > 0 && mayBegin(row)).toSorted((a, b) => a.atMs - b.atMs)) {
    const isIn = (ms: number): boolean => ms >= begin.atMs && ms - begin.atMs <= windowMs;
    const endMs = Math.min(...endsAt.filter((ms) => isIn(ms) && ms > begin.atMs));
    const inside = rows.filter((row) => row.steps > 0 && isIn(row.atMs) && row.atMs < endMs);
    const timesMs = matched(inside, steps)
      .map(({ atMs }) => atMs)
      .toSorted((a, b) => a - b);
    if ((endMs < Number.POSITIVE_INFINITY && timesMs.length < steps) || timesMs.length <= best.reached) continue;
    best = { reached: timesMs.length, timesMs: Array.from({ length: steps }, (_, at) => timesMs[at] ?? null) };
  }
  return best;
}

function isPlainAt(rows: NaiveRow[], ms: number): boolean {
  const [first, ...others] = rows.filter(({ atMs }) => atMs === ms);
  return others.every(({ steps, excluded }) => steps === first!.steps && excluded === first!.excluded);
}

/** As many rows as different steps can have, the first ones. */
function matched(rows: NaiveRow[], steps: number): NaiveRow[] {
  const rowOf: (number | null)[] = new Array(steps).fill(null);
  const give = (row: number, tried: Set<number>): boolean => {
    for (let step = 0; step < steps; step++) {
      if (!hasBit(rows[row]!.steps, step) || tried.has(step)) continue;
      tried.add(step);
      if (rowOf[step] === null || give(rowOf[step]!, tried)) {
        rowOf[step] = row;
        return true;
      }
    }
    return false;
  };
  for (const row of rows.keys()) give(row, new Set());
  return rowOf.filter((row) => row !== null).map((row) => rows[row]!);
}
