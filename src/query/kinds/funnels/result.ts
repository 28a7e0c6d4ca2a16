import { ALL_USERS } from "../../insight/breakdowns.ts";
import { scaled } from "../../insight/sampling.ts";
import type { FunnelLine, FunnelPlan, Step } from "./plan.ts";
import { OTHER } from "./tree.ts";

/** What a breakdown shows: a list of values, the value of a group, or a cohort. */
export type Shown = string | number | string[];

/** What an item says of the breakdown and of the period that it is of. */
type Told = {
  breakdown?: Shown;
  breakdown_value?: Shown;
  compare?: true;
  compare_label?: "current" | "previous";
};

/** A step of a funnel (docs/queries.md#funnelsquery). Times are in seconds. */
export interface FunnelStep extends Told {
  /** The event or the id of the action; null for the steps of an unordered funnel. */
  action_id: string | number | null;
  name: string;
  custom_name: string | null;
  order: number;
  people: [];
  count: number;
  type: "events" | "actions";
  average_conversion_time: number | null;
  median_conversion_time: number | null;
}

/** Conversion over time. */
export interface FunnelSeries extends Told {
  /** How many buckets there are. */
  count: number;
  /** Per cent of those who reached the first step asked about, to two digits. */
  data: number[];
  days: string[];
  labels: string[];
  reached_from_step_count: number[];
  reached_to_step_count: number[];
}

/** How long conversion took. */
export type FunnelTimes = Told & {
  /** From how many seconds on, and how many actors. */
  bins: [number, number][];
  average_conversion_time: number | null;
};

/** A funnel of a value of the breakdown in a period. */
interface OfValue {
  line: FunnelLine;
  value: string | null;
  counts: number[];
}

/** Rows as `funnelTree` gives them. */
type StepRow = (number | string | null)[];

/** Steps; with a breakdown a list of them for each value, those with most conversions first. */
export function stepResults(plan: FunnelPlan, rows: StepRow[]): FunnelStep[] | FunnelStep[][] {
  const length = plan.steps.length;
  const funnels = rows.map((row) => {
    const [line, ...rest] = row as number[];
    const [counts, times] = [rest.slice(0, length), rest.slice(length, 3 * length - 2)];
    const value = plan.breakdown?.kind === "properties" ? (row.at(-1) as string) : null;
    return { line: plan.lines[line!]!, counts, times, value };
  });
  const begun = funnels.filter(({ counts }) => counts[0]! > 0);
  if (plan.breakdown === null) {
    // Of two periods both have steps where one of them has.
    const shown = begun.length === 0 ? [] : funnels;
    return shown.flatMap((funnel) => stepsOf(plan, funnel));
  }
  return inOrder(plan, begun).map((funnel) => stepsOf(plan, funnel));
}

function stepsOf(plan: FunnelPlan, funnel: OfValue & { times: (number | null)[] }): FunnelStep[] {
  const told = toldOf(plan, funnel);
  return plan.steps.map((step, i) => ({
    ...headOf(plan, step, i),
    people: [],
    count: scaled(funnel.counts[i]!, plan.samplingFactor, "total"),
    average_conversion_time: i === 0 ? null : (funnel.times[2 * (i - 1)] ?? null),
    median_conversion_time: i === 0 ? null : (funnel.times[2 * (i - 1) + 1] ?? null),
    ...told,
  }));
}

function headOf({ program }: FunnelPlan, { node, name }: Step, order: number) {
  const type = node.kind === "ActionsNode" ? ("actions" as const) : ("events" as const);
  if (program.order === "unordered") {
    const completed = `Completed ${order + 1} step${order === 0 ? "" : "s"}`;
    return { action_id: null, name: completed, custom_name: null, order, type };
  }
  const id = node.kind === "ActionsNode" ? node.id : node.kind === "EventsNode" ? (node.event ?? null) : name;
  return { action_id: id, name, custom_name: node.custom_name ?? null, order, type };
}

/** Those with most conversions first: by the last step, then by those before it, then by the value. */
function inOrder<T extends OfValue>({ lines }: FunnelPlan, funnels: T[]): T[] {
  const periodOf = ({ line }: T): number => Number(line.period.label === "previous");
  return funnels.toSorted((a, b) => {
    const step = a.counts.findLastIndex((count, i) => count !== b.counts[i]);
    const byCount = step < 0 ? 0 : b.counts[step]! - a.counts[step]!;
    return periodOf(a) - periodOf(b) || byCount || compareNames(a, b) || lines.indexOf(a.line) - lines.indexOf(b.line);
  });
}

const compareNames = (a: OfValue, b: OfValue): number =>
  (a.value ?? "") < (b.value ?? "") ? -1 : a.value === b.value ? 0 : 1;

/** Series over time; with a breakdown one for each value. */
export function trendResults(plan: FunnelPlan, rows: StepRow[]): FunnelSeries[] {
  const found = new Map<string, OfValue & { from: number[]; to: number[] }>();
  const seriesOf = (index: number, value: string | null) => {
    const key = JSON.stringify([index, value]);
    const line = plan.lines[index]!;
    const zeros = () => line.period.buckets!.starts.map(() => 0);
    const series = found.get(key) ?? { line, value, counts: [], from: zeros(), to: zeros() };
    found.set(key, series);
    return series;
  };
  if (plan.breakdown === null) for (const index of plan.lines.keys()) seriesOf(index, null);
  for (const row of rows) {
    const [line, from, to, bucket] = row as number[];
    const series = seriesOf(line!, plan.breakdown?.kind === "properties" ? (row[4] as string) : null);
    series.from[bucket!] = from!;
    series.to[bucket!] = to!;
  }
  const sum = (numbers: number[]): number => numbers.reduce((total, number) => total + number, 0);
  const reached = [...found.values()].filter(({ from }) => plan.breakdown === null || sum(from) > 0);
  return inOrder(
    plan,
    reached.map((series) => ({ ...series, counts: [sum(series.to), sum(series.from)] })),
  ).map((series) => {
    const { buckets } = series.line.period;
    const shown = (numbers: number[]) => numbers.map((number) => scaled(number, plan.samplingFactor, "total"));
    return {
      count: series.from.length,
      data: series.from.map((from, i) => (from === 0 ? 0 : Math.round((series.to[i]! / from) * 10_000) / 100)),
      days: buckets!.days,
      labels: buckets!.labels,
      reached_from_step_count: shown(series.from),
      reached_to_step_count: shown(series.to),
      ...toldOf(plan, series),
    };
  });
}

/** How long conversion took; of two periods one after the other. */
export function timeResults(plan: FunnelPlan, rows: StepRow[]): FunnelTimes | FunnelTimes[] {
  const each = plan.lines.map((line, index): FunnelTimes => {
    const own = (rows as number[][]).filter(([of]) => of === index);
    const told = toldOf(plan, { line, value: null });
    if (own.length === 0) return { bins: [], average_conversion_time: null, ...told };
    const [, , , low, width, bins, average] = own[0]! as [number, number, number, number, number, number, number];
    const counts = new Map(own.map(([, bin, count]) => [bin!, count!]));
    const shown = Array.from({ length: bins + 1 }, (_, i): [number, number] => {
      return [low + i * width, scaled(counts.get(i) ?? 0, plan.samplingFactor, "total")];
    });
    return { bins: shown, average_conversion_time: average, ...told };
  });
  return each.length === 1 ? each[0]! : each;
}

/** What items of a funnel say of its value and its period. */
function toldOf(plan: FunnelPlan, { line, value }: Omit<OfValue, "counts">): Told {
  const compared = plan.periods.length > 1 && ({ compare: true, compare_label: line.period.label } as const);
  const { cohort } = line;
  if (cohort !== null) {
    const id = cohort.id === ALL_USERS ? ALL_USERS : cohort.id;
    return { ...compared, breakdown: cohort.name, breakdown_value: id };
  }
  if (value === null) return { ...compared };
  const shown = shownAs(plan, value);
  return { ...compared, breakdown: shown, breakdown_value: shown };
}

/** A value of the breakdown as items show it: a list, but of a group. */
function shownAs({ breakdown, query }: FunnelPlan, value: string): string | string[] {
  const parts = breakdown?.kind === "properties" ? breakdown.parts : [];
  if (parts.length === 1 && query.breakdownFilter?.breakdown_type === "group") return value;
  if (parts.length === 1 || value === OTHER) return [value];
  return value === "" ? parts.map(() => "") : (JSON.parse(value) as string[]);
}
