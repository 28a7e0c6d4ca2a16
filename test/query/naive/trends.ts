import type { TestEvent } from "../../support/memoryLake.ts";
import { inCohort, passes } from "./filters.ts";
import { type Asked, counted, type NaiveSeries } from "./math.ts";
import { bucketsOf, earlierPeriod, type Interval, type NaivePeriod, type NaiveRange, periodOf } from "./periods.ts";
import { type NaivePart, NULL, OTHER, valueReader } from "./values.ts";
import { type NaiveFilter, personOf, type World } from "./world.ts";

// A TrendsQuery by plain loops over the events, written from docs/queries.md and sharing no code with the engine.

/** A formula as it is written, and what it means. */
export interface NaiveFormula {
  text: string;
  value: (series: (index: number) => number) => number;
}

export interface NaiveQuery {
  series: NaiveSeries[];
  interval: Interval;
  dateRange: NaiveRange;
  properties: NaiveFilter[];
  filterTestAccounts: boolean;
  aggregation_group_type_index: number | null;
  trendsFilter: { display: string; smoothingIntervals?: number; formulas?: NaiveFormula[] };
  compareFilter: { compare: boolean; compare_to?: string } | null;
  breakdownFilter:
    | { breakdowns: NaivePart[]; breakdown_limit?: number; breakdown_hide_other_aggregation?: boolean }
    | { breakdown: (number | "all")[]; breakdown_type: "cohort" }
    | null;
}

export interface NaiveItem {
  order: number;
  label: string;
  period: "current" | "previous";
  /** Null without a breakdown. */
  value: string[] | number | "all" | null;
  /** One number for a total. */
  data: number[];
  days: string[];
}

const TOTALS = ["BoldNumber", "ActionsPie", "ActionsBarValue", "ActionsTable", "WorldMap"];

/** The items of an answer, in no particular order, and whether values were put together. */
export function evaluate(query: NaiveQuery, world: World): { items: NaiveItem[]; hasMore: boolean } {
  const { display } = query.trendsFilter;
  const isTotal = TOTALS.includes(display);
  const isExact = display === "BoldNumber";
  const current = periodOf(query.dateRange, query.interval, isExact, world);
  const periods: [NaiveItem["period"], NaivePeriod][] = [["current", current]];
  if (query.compareFilter?.compare) {
    const { compare_to = null } = query.compareFilter;
    const earlier = earlierPeriod(current, query.dateRange, query.interval, isExact, compare_to, world.timezone);
    periods.push(["previous", earlier]);
  }
  const items = periods.flatMap(([label, period]) => {
    const buckets = isTotal ? null : bucketsOf(period, query.interval, world);
    const inDays = firstWholeDay(period, query.interval, isTotal, world);
    const base = {
      world,
      filters: [...query.properties, ...(query.filterTestAccounts ? world.testAccountFilters : [])],
      groupIndex: query.aggregation_group_type_index,
      isCumulative: display === "ActionsLineGraphCumulative",
      period: inDays,
      buckets,
      interval: query.interval,
    };
    const days = buckets?.map((bucket) => bucket.name) ?? [];
    const lines = query.series.flatMap((series, order) =>
      linesOf(series, base, query).map(({ value, numbers }) => ({
        order,
        label: labelOf(series, world),
        period: label,
        value,
        data: shown(numbers, query, isTotal),
        days,
      })),
    );
    return query.trendsFilter.formulas === undefined ? lines : formulas(query.trendsFilter.formulas, lines);
  });
  const isOther = (item: NaiveItem): boolean => Array.isArray(item.value) && item.value.includes(OTHER);
  const filter = query.breakdownFilter;
  const hidesOther = filter !== null && "breakdowns" in filter && filter.breakdown_hide_other_aggregation;
  return { items: hidesOther ? items.filter((item) => !isOther(item)) : items, hasMore: items.some(isOther) };
}

/** Weeks and more are counted from the whole first day on. */
export function firstWholeDay(period: NaivePeriod, interval: Interval, isTotal: boolean, world: World): NaivePeriod {
  if (isTotal || !["week", "month", "quarter", "year"].includes(interval)) return period;
  const [day] = bucketsOf({ ...period, toMs: period.fromMs }, "day", world);
  let fromMs = period.fromMs;
  // Quarters of an hour are where all clocks of the tests change.
  while (day!.holds(fromMs - 900_000)) fromMs -= 900_000;
  return { ...period, fromMs: Math.floor(fromMs / 900_000) * 900_000 };
}

function labelOf(series: NaiveSeries, world: World): string {
  if (series.kind === "ActionsNode") return world.actions.find((action) => action.id === series.id)!.name;
  return series.event ?? "All events";
}

type Line = { value: NaiveItem["value"]; numbers: number[] };

function linesOf(series: NaiveSeries, base: Omit<Asked, "keyOf">, query: NaiveQuery): Line[] {
  const filter = query.breakdownFilter;
  const length = base.buckets?.length ?? 1;
  if (filter === null) {
    const found = counted(series, { ...base, keyOf: () => "" });
    return [{ value: null, numbers: found.get("") ?? new Array(length).fill(0) }];
  }
  if ("breakdown" in filter) {
    return filter.breakdown.flatMap((id) => {
      const isMember = (event: TestEvent): boolean => {
        const person = personOf(event, base.world);
        return id === "all" || (person !== undefined && inCohort(person, id, base.world));
      };
      const found = counted(series, { ...base, keyOf: (event) => String(isMember(event)) });
      // Who did it first must be a member as well: the cohort is a filter.
      const within = { ...base, filters: [...base.filters, ...memberFilter(id)] };
      const exact = series.math.startsWith("first_") ? counted(series, { ...within, keyOf: () => "true" }) : found;
      const numbers = exact.get("true");
      return numbers === undefined ? [] : [{ value: id, numbers }];
    });
  }
  return limited(series, base, query, filter);
}

const memberFilter = (id: number | "all"): NaiveFilter[] =>
  id === "all" ? [] : [{ type: "cohort", key: "id", value: id }];

function limited(
  series: NaiveSeries,
  base: Omit<Asked, "keyOf">,
  query: NaiveQuery,
  filter: { breakdowns: NaivePart[]; breakdown_limit?: number },
): Line[] {
  const { world, period } = base;
  const inside = world.events.filter((event) => {
    const isIn = event.timestampMs >= period.fromMs && event.timestampMs <= period.toMs;
    return isIn && isMeantAndPasses(event, series, base);
  });
  const parts = filter.breakdowns.map((part) => valueReader(part, inside, world));
  const keyOf = (event: TestEvent): string => JSON.stringify(parts.map((read) => read(event)));
  const found = [...counted(series, { ...base, keyOf })].map(([key, numbers]) => ({
    value: JSON.parse(key) as string[],
    numbers,
  }));
  const isMissing = ({ value }: { value: string[] }): boolean => value.includes(NULL);
  const isCumulative = base.isCumulative;
  const total = ({ numbers }: Line): number => sum(isCumulative ? running(numbers) : numbers);
  found.sort(
    (a, b) => Number(isMissing(a)) - Number(isMissing(b)) || total(b) - total(a) || compareLists(a.value, b.value),
  );
  const limit = filter.breakdown_limit ?? 25;
  const kept: Line[] = found.slice(0, limit);
  const rest = found.slice(limit);
  if (rest.length > 0) {
    const length = base.buckets?.length ?? 1;
    const numbers = Array.from({ length }, (_, i) => sum(rest.map((line) => line.numbers[i]!)));
    kept.push({ value: filter.breakdowns.map(() => OTHER), numbers });
  }
  const isAllMissing = ({ value }: Line): boolean => Array.isArray(value) && value.every((one) => one === NULL);
  return kept.filter(
    (line) => !isAllMissing(line) || shown(line.numbers, query, base.buckets === null).some((n) => n !== 0),
  );
}

function isMeantAndPasses(
  event: TestEvent,
  series: NaiveSeries,
  { world, filters, period }: Omit<Asked, "keyOf">,
): boolean {
  // Its own math does not matter here: what is counted of one event alone.
  const alone = { ...world, events: [event] };
  const asked = {
    world: alone,
    filters: [],
    groupIndex: null,
    isCumulative: false,
    period,
    buckets: null,
    interval: "day",
  };
  const isMeant =
    counted({ ...series, math: "total", math_property: undefined, properties: [] }, { ...asked, keyOf: () => "" })
      .size > 0;
  return isMeant && passes(event, [...series.properties, ...filters], world);
}

function compareLists(a: string[], b: string[]): number {
  const i = a.findIndex((value, at) => value !== b[at]);
  return i < 0 ? 0 : a[i]! < b[i]! ? -1 : 1;
}

const sum = (numbers: number[]): number => numbers.reduce((total, number) => total + number, 0);
const running = (numbers: number[]): number[] => numbers.map((_, i) => sum(numbers.slice(0, i + 1)));

function shown(numbers: number[], query: NaiveQuery, isTotal: boolean): number[] {
  if (isTotal) return numbers;
  const summed = query.trendsFilter.display === "ActionsLineGraphCumulative" ? running(numbers) : numbers;
  const intervals = query.trendsFilter.smoothingIntervals ?? 1;
  if (intervals === 1) return summed;
  return summed.map((_, i) => {
    const window = summed.slice(Math.max(0, i - intervals + 1), i + 1);
    return Math.floor(sum(window) / window.length);
  });
}

function formulas(all: NaiveFormula[], lines: NaiveItem[]): NaiveItem[] {
  return all.flatMap(({ text, value }, order) =>
    [...Map.groupBy(lines, (line) => JSON.stringify(line.value)).values()].map((group) => {
      const ofSeries = (index: number, i: number) => group.find((line) => line.order === index)?.data[i] ?? 0;
      const data = group[0]!.data.map((_, i) => value((index) => ofSeries(index, i)));
      return { ...group[0]!, order, label: `Formula (${text})`, data };
    }),
  );
}
