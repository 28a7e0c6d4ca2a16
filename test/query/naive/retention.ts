import type { TestEvent } from "../../support/memoryLake.ts";
import { DAY_MS } from "./clock.ts";
import { inCohort, passes } from "./filters.ts";
import { isMeant } from "./math.ts";
import { bucketsOf, type Interval, type NaiveBucket, type NaiveRange, periodOf } from "./periods.ts";
import { type NaivePart, NULL, OTHER, valueReader } from "./values.ts";
import {
  type NaiveFilter,
  numberIn,
  personKey,
  personOf,
  propertiesOf,
  subjectText,
  textOf,
  type World,
} from "./world.ts";

// A RetentionQuery by plain loops over the events, written from docs/queries.md and sharing no code with the engine.

export interface NaiveEntity {
  kind: "EventsNode" | "ActionsNode";
  event?: string | null;
  id?: number;
  properties: NaiveFilter[];
}

export interface NaiveRetention {
  interval: Interval;
  totalIntervals: number;
  dateRange: NaiveRange;
  type: "each" | "first" | "firstOfName";
  target: NaiveEntity;
  returning: NaiveEntity;
  isCumulative: boolean;
  minimum: number;
  areWindows: boolean;
  brackets: number[] | null;
  summed: { type: "sum" | "avg"; property: string; owner: "event" | "person" } | null;
  breakdown:
    | { breakdowns: NaivePart[]; breakdown_limit?: number; breakdown_hide_other_aggregation?: boolean }
    | { breakdown: (number | "all")[]; breakdown_type: "cohort" }
    | null;
  properties: NaiveFilter[];
  filterTestAccounts: boolean;
  groupIndex: number | null;
}

export interface NaiveCohorts {
  /** Null without a breakdown. */
  value: string[] | null;
  /** By cohort and column. */
  counts: number[][];
  sums: number[][];
}

/** What an event of the question is, once everything of it is known. */
interface Seen {
  ms: number;
  uuid: string;
  actor: string;
  key: string;
  /** The cohort's interval that it lies in; -1 for none. */
  row: number;
  /** The hour or the day, where windows are measured. */
  step: number;
  isNamed: boolean;
  isStart: boolean;
  isReturn: boolean;
  value: number;
}

interface Start {
  actor: string;
  key: string;
  row: number;
  step: number;
}

/** All cohorts of each value of the breakdown, in the order of the answer. */
export function evaluateRetention(query: NaiveRetention, world: World): NaiveCohorts[] {
  const axis = axisOf(query, world);
  const events = eventsOf(query, world);
  const columns = columnsOf(query);
  const found = new Map<string, NaiveCohorts>();
  const cellsOf = (key: string): NaiveCohorts => {
    const blank = () => axis.rows.map(() => new Array<number>(columns.length + 1).fill(0));
    if (!found.has(key)) found.set(key, { value: JSON.parse(key), counts: blank(), sums: blank() });
    return found.get(key)!;
  };
  if (query.breakdown === null) cellsOf("null");
  for (const { keyOf, isIn } of groupsOf(query, world, events, axis)) {
    const seen = events.filter(isIn).map((event) => seenOf(event, keyOf(event), query, world, axis));
    const asked = seen.filter((one): one is Seen => one !== null && (one.row >= 0 || one.ms < axis.toMs));
    for (const start of startsOf(asked, query)) {
      const cells = cellsOf(start.key);
      const { hits, sums } = cellsOfStart(start, asked, query, columns, axis);
      hits.forEach((isHit, j) => {
        if (isHit) cells.counts[start.row]![j]!++;
        cells.sums[start.row]![j]! += sums[j]!;
      });
    }
  }
  return ranked([...found.values()], query);
}

interface Axis {
  rows: NaiveBucket[];
  /** Within the last of them. */
  toMs: number;
  /** Hours or days, in which windows are measured. */
  steps: NaiveBucket[];
  stepsPerWindow: number;
}

function axisOf(query: NaiveRetention, world: World): Axis {
  const { interval, dateRange, totalIntervals } = query;
  const days = { hour: 1, day: 1, week: 7, month: 31 }[interval as string]! * totalIntervals;
  const longAgo = new Date(world.nowMs - (days + 60) * DAY_MS).toISOString().slice(0, 10);
  const hasFrom = dateRange.date_from != null;
  const period = periodOf(hasFrom ? dateRange : { ...dateRange, date_from: longAgo }, interval, false, world);
  // Hours of more than a year would take long.
  const sinceMs = hasFrom || interval !== "hour" ? period.fromMs : period.toMs - (totalIntervals + 3) * 3_600_000;
  const all = bucketsOf(since(period, sinceMs), interval, world);
  const rows = hasFrom ? all : all.slice(-totalIntervals);
  const [unit, stepsPerWindow] = WINDOWS[interval]!;
  const end = { ...period, toMs: period.toMs + 31 * DAY_MS };
  const first = hasFrom ? period.fromMs - 31 * DAY_MS : period.toMs - (days + 31) * DAY_MS;
  const steps = query.areWindows ? bucketsOf(since(end, first), unit, world) : [];
  return { rows, toMs: period.toMs, steps, stepsPerWindow };
}

function since<T extends { fromMs: number; fromWall: number }>(period: T, fromMs: number): T {
  return { ...period, fromMs, fromWall: period.fromWall + fromMs - period.fromMs };
}

const WINDOWS: Partial<Record<Interval, [Interval, number]>> = {
  hour: ["hour", 1],
  day: ["hour", 24],
  week: ["day", 7],
  month: ["day", 30],
};

/** The intervals after the start that each column is about. */
function columnsOf({ brackets, totalIntervals }: NaiveRetention): number[][] {
  const sizes = brackets ?? new Array<number>(totalIntervals - 1).fill(1);
  let next = 1;
  return sizes.map((size) => Array.from({ length: size }, () => next++));
}

function eventsOf(query: NaiveRetention, world: World): TestEvent[] {
  const filters = [...query.properties, ...(query.filterTestAccounts ? world.testAccountFilters : [])];
  return world.events.filter((event) => passes(event, filters, world));
}

const isOf = (event: TestEvent, entity: NaiveEntity, world: World): boolean =>
  isMeant(event, entity, world) && passes(event, entity.properties, world);

/** The events told apart by values, or those of each cohort of people. */
function groupsOf(query: NaiveRetention, world: World, events: TestEvent[], { rows }: Axis) {
  const { breakdown } = query;
  const isIn = () => true;
  if (breakdown === null) return [{ keyOf: () => "null", isIn }];
  if ("breakdown" in breakdown) {
    return breakdown.breakdown.map((id) => ({
      keyOf: () => JSON.stringify([id === "all" ? "0" : String(id)]),
      isIn: (event: TestEvent) => {
        const person = personOf(event, world);
        return id === "all" || (person !== undefined && inCohort(person, id, world));
      },
    }));
  }
  const inside = events.filter(
    (event) =>
      rows.some((row) => row.holds(event.timestampMs)) &&
      (isOf(event, query.target, world) || isOf(event, query.returning, world)) &&
      actorOf(event, query, world) !== null,
  );
  const readers = breakdown.breakdowns.map((part) => valueReader(part, inside, world));
  return [{ keyOf: (event: TestEvent) => JSON.stringify(readers.map((read) => read(event))), isIn }];
}

function actorOf(event: TestEvent, { groupIndex }: NaiveRetention, world: World): string | null {
  if (groupIndex !== null) return textOf(propertiesOf(event)[`$group_${groupIndex}`]) || null;
  return world.byDistinctId ? event.distinctId : personKey(event, world);
}

function seenOf(
  event: TestEvent,
  key: string,
  query: NaiveRetention,
  world: World,
  { rows, steps }: Axis,
): Seen | null {
  const actor = actorOf(event, query, world);
  if (actor === null) return null;
  const { summed } = query;
  const text = summed === null ? null : subjectText(event, { type: summed.owner, key: summed.property }, world);
  return {
    ms: event.timestampMs,
    uuid: event.uuid!,
    actor,
    key,
    row: rows.findIndex((row) => row.holds(event.timestampMs)),
    step: steps.findIndex((step) => step.holds(event.timestampMs)),
    isNamed: isMeant(event, query.target, world),
    isStart: isOf(event, query.target, world),
    isReturn: isOf(event, query.returning, world),
    value: numberIn(text) ?? 0,
  };
}

function startsOf(seen: Seen[], query: NaiveRetention): Start[] {
  if (query.type === "firstOfName") {
    const byActor = Map.groupBy(
      seen.filter((one) => one.isNamed),
      (one) => one.actor,
    );
    return [...byActor.values()].flatMap((own) => {
      const ms = Math.min(...own.map((one) => one.ms));
      const firsts = own.filter((one) => one.ms === ms).sort((a, b) => (a.uuid < b.uuid ? -1 : 1));
      return firsts[0]!.row >= 0 && firsts.some((one) => one.isStart) ? [firsts[0]!] : [];
    });
  }
  const byActor = Map.groupBy(
    seen.filter((one) => one.isStart),
    (one) => `${one.actor} ${one.key}`,
  );
  return [...byActor.values()].flatMap((own) => {
    const inRange = own.filter((one) => one.row >= 0);
    if (query.type === "each" && !query.areWindows) {
      return [...Map.groupBy(inRange, (one) => one.row).values()].map(([first]) => first!);
    }
    const [first] = (query.type === "each" ? inRange : own).toSorted((a, b) => a.ms - b.ms);
    return first === undefined || first.row < 0 ? [] : [first];
  });
}

/** Of one start: the columns in which it counts, and the sum of the property in each. */
function cellsOfStart(start: Start, seen: Seen[], query: NaiveRetention, columns: number[][], axis: Axis) {
  const own = seen.filter(
    (one) => one.actor === start.actor && one.row >= 0 && (query.type === "firstOfName" || one.key === start.key),
  );
  const pastOf = (one: Seen): number =>
    query.areWindows ? Math.floor((one.step - start.step) / axis.stepsPerWindow) : one.row - start.row;
  const returns = Map.groupBy(
    own.filter((one) => one.isReturn),
    pastOf,
  );
  const enough = (past: number): Seen[] => {
    const found = returns.get(past) ?? [];
    return found.length >= query.minimum ? found : [];
  };
  const later = columns.map((pasts) => pasts.flatMap(enough));
  const hits = later.map((found, j) =>
    query.isCumulative ? later.slice(j).some((one) => one.length > 0) : found.length > 0,
  );
  const firstMs = Math.min(...own.filter((one) => one.isStart && one.row === start.row).map((one) => one.ms));
  const areSame = JSON.stringify(query.target) === JSON.stringify(query.returning);
  const now = own.filter((one) => one.isReturn && one.row === start.row && (areSame || one.ms > firstMs));
  return { hits: [true, ...hits], sums: [now, ...later].map((found) => sum(found.map((one) => one.value))) };
}

const sum = (numbers: number[]): number => numbers.reduce((total, number) => total + number, 0);

function ranked(found: NaiveCohorts[], query: NaiveRetention): NaiveCohorts[] {
  const { breakdown } = query;
  const size = ({ counts }: NaiveCohorts): number => sum(counts.map((row) => row[0]!));
  const sorted = found.toSorted((a, b) => size(b) - size(a) || compareLists(a.value ?? [], b.value ?? []));
  const limit = breakdown !== null && "breakdowns" in breakdown ? (breakdown.breakdown_limit ?? 25) : 25;
  const [kept, rest] = [sorted.slice(0, limit), sorted.slice(limit)];
  const isHidden = breakdown !== null && "breakdowns" in breakdown && breakdown.breakdown_hide_other_aggregation;
  const added = (of: (one: NaiveCohorts) => number[][]) =>
    of(rest[0]!).map((row, i) => row.map((_, j) => sum(rest.map((one) => of(one)[i]![j]!))));
  const other =
    rest.length === 0 || isHidden
      ? []
      : [
          {
            value: rest[0]!.value!.map(() => OTHER),
            counts: added((one) => one.counts),
            sums: added((one) => one.sums),
          },
        ];
  return [...kept, ...other].map(({ value, counts, sums }) => ({
    value: value?.map((one) => (one === NULL ? "" : one)) ?? null,
    counts,
    sums: sums.map((row, i) => row.map((one, j) => (query.summed?.type === "avg" ? one / (counts[i]![j]! || 1) : one))),
  }));
}

function compareLists(a: string[], b: string[]): number {
  const i = a.findIndex((value, at) => value !== b[at]);
  return i < 0 ? 0 : a[i]! < b[i]! ? -1 : 1;
}
