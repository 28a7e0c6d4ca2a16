import type { FunnelProgram } from "../../src/walk/mod.ts";

/** A row of a walk; `value` 0 is none. */
export interface Row {
  actor: number;
  us: number;
  steps: number;
  excluded: number;
  value: number;
}

/** What is expected of one actor, value and bucket. */
export interface Expected {
  actor: number;
  value: number;
  bucket: number;
  reached: number;
  times: (number | null)[];
}

type Program = Omit<FunnelProgram, "kind">;
const fits = (mask: number, bit: number) => ((mask >> bit) & 1) === 1;
const distinct = (values: number[]) => [...new Set(values)].sort((a, b) => a - b);

/** Everything that the walk of a program finds, by trying all ways to do the steps. */
export function naive(rows: readonly Row[], program: Program): Expected[] {
  return distinct(rows.map(({ actor }) => actor)).flatMap((actor) => {
    const own = rows.filter((row) => row.actor === actor);
    return chosen(own, program).flatMap(({ value, of, beginsWith }) =>
      bucketsOf(program).flatMap((bucket) => {
        const mayBegin = (row: Row) => bucketOf(row.us, program) === bucket && beginsWith(row);
        const best = program.order === "unordered" ? anyOrder(of, mayBegin, program) : inOrder(of, mayBegin, program);
        return best === null ? [] : [{ actor, value, bucket, ...best }];
      }),
    );
  });
}

/** The rows that count for each value of an actor. */
function chosen(rows: Row[], { attribution, order }: Program) {
  const all = () => true;
  const withValue = rows.filter(({ value }) => value !== 0);
  const at = (us: number) => withValue.filter((row) => row.us === us).map(({ value }) => value);
  const times = withValue.map(({ us }) => us);
  switch (attribution) {
    case null:
      return [{ value: 0, of: rows, beginsWith: all }];
    case "first":
      return [{ value: times.length === 0 ? 0 : Math.min(...at(Math.min(...times))), of: rows, beginsWith: all }];
    case "last":
      return [{ value: times.length === 0 ? 0 : Math.max(...at(Math.max(...times))), of: rows, beginsWith: all }];
    case "all":
      return distinct(rows.map(({ value }) => value)).map((value) => ({
        value,
        of: rows.filter((row) => row.value === value),
        beginsWith: all,
      }));
  }
  if (order === "unordered") {
    const values = distinct(rows.filter(({ steps }) => steps !== 0).map(({ value }) => value));
    return values.map((value) => ({ value, of: rows, beginsWith: (row: Row) => row.value === value }));
  }
  const values = distinct(rows.filter(({ steps }) => fits(steps, attribution)).map(({ value }) => value));
  return values.map((value) => ({
    value,
    of: rows.map((row) => (row.value === value ? row : { ...row, steps: row.steps & ~(1 << attribution) })),
    beginsWith: all,
  }));
}

const bucketsOf = ({ bucketStartsMs }: Program) => (bucketStartsMs ?? [0]).map((_, bucket) => bucket);

const bucketOf = (us: number, { bucketStartsMs }: Program) =>
  bucketStartsMs === null ? 0 : bucketStartsMs.filter((ms) => ms * 1000 <= us).length - 1;

/** Whether the events at an instant fit the same; others are known to be neither between two steps nor behind one. */
function isPlain(us: number, rows: readonly Row[]): boolean {
  const [first, ...rest] = rows.filter((row) => row.us === us);
  return rest.every(({ steps, excluded }) => steps === first!.steps && excluded === first!.excluded);
}

/** An attempt, in the order of its steps. */
interface Chain {
  steps: number[];
  events: number[];
}

type Found = { reached: number; times: (number | null)[] } | null;

function inOrder(given: Row[], mayBegin: (row: Row) => boolean, program: Program): Found {
  const rows = [...given].sort((a, b) => a.us - b.us);
  if (program.exclusions.length > 0) return withExclusions(rows, mayBegin, program);
  const chains: Chain[] = [];
  const extend = (chain: Chain) => {
    if (chain.steps.length > 0) chains.push(chain);
    for (let step = (chain.steps.at(-1) ?? -1) + 1; step < program.steps; step++) {
      for (const event of rows.keys()) if (canFollow(chain, step, event)) extend(add(chain, step, event));
      if (step === 0 || !fits(program.optional, step)) break;
    }
  };
  const canFollow = ({ steps, events }: Chain, step: number, event: number): boolean => {
    const row = rows[event]!;
    if (!fits(row.steps, step) || events.includes(event)) return false;
    if (events.length === 0) return mayBegin(row);
    const [first, before] = [rows[events[0]!]!, rows[events.at(-1)!]!];
    if (row.us < before.us || row.us - first.us > program.windowMs * 1000) return false;
    // Equal events: in the order in which they stand.
    if (row.us === before.us && isPlain(row.us, rows) && event < events.at(-1)!) return false;
    return program.order !== "strict" || isUndisturbed(rows, events.at(-1)!, event, steps.at(-1)!);
  };
  extend({ steps: [], events: [] });
  return bestOf(chains, rows, program);
}

const add = ({ steps, events }: Chain, step: number, event: number): Chain => ({
  steps: [...steps, step],
  events: [...events, event],
});

/** All events between two of them fit the step that was done. */
function isUndisturbed(rows: readonly Row[], from: number, to: number, step: number): boolean {
  const [start, end] = [rows[from]!.us, rows[to]!.us];
  return rows.every((row, i) => {
    const isBetween = row.us > start && row.us < end;
    const isBeside =
      (row.us === start && i > from && (end > start || i < to)) || (row.us === end && i < to && end > start);
    return !(isBetween || isBeside) || !isPlain(row.us, rows) || fits(row.steps, step);
  });
}

/** The deepest; which came there first; with most optional steps; begun last; each step as early as can be. */
function bestOf(chains: readonly Chain[], rows: readonly Row[], program: Program): Found {
  const keyed = chains.map(({ steps, events }) => {
    const times = events.map((event) => rows[event]!.us);
    const optional = steps.filter((step) => fits(program.optional, step)).length;
    return { steps, times, key: [-steps.at(-1)!, times.at(-1)!, -optional, -times[0]!, ...times] };
  });
  const [best] = keyed.sort((a, b) => compareLists(a.key, b.key));
  if (best === undefined) return null;
  const { steps, times } = best;
  const at = Array.from({ length: program.steps }, (_, step) => times[steps.indexOf(step)] ?? null);
  return { reached: steps.at(-1)! + 1, times: at };
}

function compareLists(a: readonly number[], b: readonly number[]): number {
  for (const [i, left] of a.entries()) if (left !== b[i]) return left - b[i]!;
  return 0;
}

/** How an attempt ended that began at one instant. */
interface Outcome {
  depth: number;
  us: number;
  begun: number;
  times: (number | null)[];
  isEnded: boolean;
  wentOn: boolean;
}

/** Each attempt by itself: it takes every step as early as it can. */
function withExclusions(rows: Row[], mayBegin: (row: Row) => boolean, program: Program): Found {
  const all = outcomesOf(rows, mayBegin, program);
  // Where two come to a step at one instant, that which began first is given up.
  const isGivenUp = (one: Outcome) => all.some((o) => o.depth === one.depth && o.us === one.us && o.begun > one.begun);
  const outcomes = all.filter((outcome) => !isGivenUp(outcome));
  const deepest = Math.max(0, ...outcomes.map(({ depth }) => depth));
  const clean = outcomes.filter(({ depth, isEnded }) => depth === deepest && !isEnded);
  const [best] = clean.sort((a, b) => a.us - b.us || b.begun - a.begun);
  return best === undefined ? null : { reached: best.depth, times: best.times };
}

/** Of the attempts at a funnel in order without optional steps. */
function outcomesOf(rows: Row[], mayBegin: (row: Row) => boolean, program: Program): Outcome[] {
  const starts = distinct(rows.filter((row) => fits(row.steps, 0) && mayBegin(row)).map(({ us }) => us));
  return starts.map((begun) => {
    const times: (number | null)[] = Array.from({ length: program.steps }, () => null);
    const outcome: Outcome = { depth: 0, us: begun, begun, times, isEnded: false, wentOn: false };
    for (const us of distinct(rows.map((row) => row.us))) {
      if (us < begun || us - begun > program.windowMs * 1000 || outcome.wentOn) continue;
      const events = rows.filter((row) => row.us === us);
      if (isPlain(us, rows)) for (const event of events) takeOne(outcome, event, program);
      else takeMost(outcome, events, program);
    }
    return outcome;
  });
}

function takeOne(outcome: Outcome, { us, steps, excluded }: Row, { exclusions, steps: count }: Program): void {
  const { depth } = outcome;
  if (outcome.wentOn || depth === count) return;
  const isHit = exclusions.some(({ from, to }, i) => fits(excluded, i) && from < depth && depth <= to);
  if (isHit) outcome.isEnded = true;
  if (!fits(steps, depth)) return;
  outcome.wentOn = outcome.isEnded;
  outcome.times[depth] = us;
  outcome.depth++;
  outcome.us = us;
}

function takeMost(outcome: Outcome, events: readonly Row[], program: Program): void {
  const most = (depth: number, left: readonly Row[]): number => {
    if (depth === program.steps) return depth;
    const next = left.flatMap((row, i) => (fits(row.steps, depth) ? [most(depth + 1, left.toSpliced(i, 1))] : []));
    return Math.max(depth, ...next);
  };
  const reached = outcome.isEnded
    ? Math.min(most(outcome.depth, events), outcome.depth + 1)
    : most(outcome.depth, events);
  if (reached === outcome.depth) return;
  outcome.wentOn = outcome.isEnded;
  outcome.times.fill(events[0]!.us, outcome.depth, reached);
  outcome.depth = reached;
  outcome.us = events[0]!.us;
}

/** Of each row that may begin: all that its window can do, unless an exclusion comes before it is done. */
function anyOrder(given: Row[], mayBegin: (row: Row) => boolean, program: Program): Found {
  const rows = [...given].sort((a, b) => a.us - b.us);
  let best: Found = null;
  for (const start of rows) {
    if (start.steps === 0 || !mayBegin(start)) continue;
    const inWindow = rows.filter(({ us }) => us >= start.us && us - start.us <= program.windowMs * 1000);
    const cut = inWindow.find(({ us, excluded }) => us > start.us && excluded !== 0 && isPlain(us, rows));
    const found = mostOf(
      inWindow.filter(({ us }) => cut === undefined || us < cut.us),
      program.steps,
    );
    if (cut !== undefined && found.length < program.steps) continue;
    if (found.length <= (best?.reached ?? 0)) continue;
    const times = Array.from({ length: program.steps }, (_, i) => found[i] ?? null);
    best = { reached: found.length, times };
  }
  return best;
}

/** The times, in order, of the most events that do different steps; the earliest of them. */
function mostOf(rows: readonly Row[], count: number): number[] {
  // For each set of steps: the earliest way to do them with the rows so far.
  let ways = new Map<number, number[]>([[0, []]]);
  for (const { us, steps } of rows) {
    const next = new Map(ways);
    for (const [done, times] of ways) {
      for (let step = 0; step < count; step++) {
        if (!fits(steps, step) || fits(done, step)) continue;
        const known = next.get(done | (1 << step));
        const way = [...times, us];
        if (known === undefined || compareLists(way, known) < 0) next.set(done | (1 << step), way);
      }
    }
    ways = next;
  }
  const all = [...ways.values()];
  const most = Math.max(...all.map((way) => way.length));
  return all.filter((way) => way.length === most).sort(compareLists)[0]!;
}
