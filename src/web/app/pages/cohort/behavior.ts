import type { DateRange, EntityNode, PropertyFilter } from "../../question/types.ts";

/** What persons did, as a condition of a cohort (docs/queries.md, "Cohorts"). Members that its `value` does not read stay. */
export interface Behavior {
  type: "behavioral";
  value: string;
  /** The name of an event, or the id of an action. */
  key: string | number;
  event_type: "events" | "actions";
  event_filters?: readonly PropertyFilter[] | null;
  negation?: boolean | null;
  time_value?: number | null;
  time_interval?: string | null;
  explicit_datetime?: string | null;
  explicit_datetime_to?: string | null;
  operator?: string | null;
  operator_value?: number | null;
  min_periods?: number | null;
  total_periods?: number | null;
  seq_event?: string | number | null;
  seq_event_type?: "events" | "actions" | null;
  seq_time_value?: number | null;
  seq_time_interval?: string | null;
}

/** What a behavior asks for besides its event. */
interface Form {
  label: string;
  needs: readonly Need[];
}
type Need = "count" | "time" | "dates" | "periods" | "recent" | "next";

const FORMS: Record<string, Form> = {
  performed_event: { label: "did", needs: ["time", "dates"] },
  performed_event_multiple: { label: "did several times", needs: ["count", "time", "dates"] },
  performed_event_first_time: { label: "did for the first time", needs: ["time", "dates"] },
  performed_event_regularly: { label: "did regularly", needs: ["count", "periods"] },
  stopped_performing_event: { label: "stopped doing", needs: ["time", "recent"] },
  restarted_performing_event: { label: "began again to do", needs: ["time", "recent"] },
  performed_event_sequence: { label: "did, then another event,", needs: ["next", "time", "dates"] },
};
export const BEHAVIORS = Object.entries(FORMS).map(([value, { label }]) => ({ value, label }));

export const COMPARISONS = [
  { value: "gte", label: "at least" },
  { value: "lte", label: "at most" },
  { value: "exact", label: "exactly" },
  { value: "gt", label: "more than" },
  { value: "lt", label: "fewer than" },
] as const;

export const INTERVALS = ["minute", "hour", "day", "week", "month", "year"] as const;

export const isBehavior = (one: { type: string }): one is Behavior => one.type === "behavioral";
export const needs = ({ value }: Behavior, need: Need): boolean => FORMS[value]?.needs.includes(need) ?? false;

/** A new one: somebody did something in the last 30 days. It is half said: its event is missing. */
export const newBehavior = (): Behavior => ({
  type: "behavioral",
  value: "performed_event",
  key: "",
  event_type: "events",
  time_value: 30,
  time_interval: "day",
});

const FIRST: Record<Need, Partial<Behavior>> = {
  count: { operator: "gte", operator_value: 2 },
  time: { time_value: 30, time_interval: "day" },
  dates: {},
  periods: { time_value: 1, time_interval: "week", min_periods: 3, total_periods: 4 },
  recent: { seq_time_value: 7, seq_time_interval: "day" },
  next: { seq_event: "", seq_event_type: "events", seq_time_value: 7, seq_time_interval: "day" },
};

/** The same event asked for in another way: what that way needs is there, what it has no use for goes. */
export function withValue(behavior: Behavior, value: string): Behavior {
  const { type, key, event_type, event_filters, negation } = behavior;
  const wanted = FORMS[value]?.needs ?? [];
  const next: Behavior = {
    type,
    value,
    key,
    event_type,
    ...(event_filters != null && { event_filters }),
    ...(negation === true && { negation }),
  };
  const kept = wanted.filter((need) => needs(behavior, need) && need !== "dates");
  for (const need of wanted) Object.assign(next, FIRST[need], kept.includes(need) && pick(behavior, FIRST[need]));
  const { from, to } = datesOf(behavior);
  return wanted.includes("dates") && from !== null ? withDates(next, { date_from: from, date_to: to }) : next;
}

function pick(behavior: Behavior, members: Partial<Behavior>): Partial<Behavior> {
  return Object.fromEntries(Object.entries(behavior).filter(([name, value]) => name in members && value != null));
}

/** The dates in place of a length of time; null: there are none. */
function datesOf({ explicit_datetime: from, explicit_datetime_to: to }: Behavior) {
  return { from: from || null, to: to || null };
}

export const hasDates = (behavior: Behavior): boolean => datesOf(behavior).from !== null;

export function rangeOf(behavior: Behavior): DateRange {
  const { from, to } = datesOf(behavior);
  return { date_from: from, date_to: to };
}

/** With dates; without a beginning with a length of time again. */
export function withDates(behavior: Behavior, { date_from: from, date_to: to }: DateRange): Behavior {
  const { explicit_datetime: _from, explicit_datetime_to: _to, time_value: _v, time_interval: _i, ...rest } = behavior;
  if (!from) return { ...rest, ...FIRST.time };
  return { ...rest, explicit_datetime: from, ...(to && { explicit_datetime_to: to }) };
}

/** Its event or action as pickers have it. `names`: of actions, by id. */
export function entityOf(
  key: string | number | null | undefined,
  type: string | null | undefined,
  names: ReadonlyMap<number, string>,
): EntityNode | null {
  if (key === "" || key == null) return null;
  if (type === "actions") return { kind: "ActionsNode", id: Number(key), name: names.get(Number(key)) };
  return { kind: "EventsNode", event: String(key) };
}

/** An entity that was picked as a condition names it. */
export function namedBy({ kind, id, event }: EntityNode): { key: string | number; type: "events" | "actions" } {
  return kind === "ActionsNode" ? { key: id ?? 0, type: "actions" } : { key: event ?? "", type: "events" };
}

/** Whether it is said to its end. */
export function isWhole(behavior: Behavior): boolean {
  const { key, seq_event: next, operator_value: count, min_periods: least, total_periods: total } = behavior;
  if (key === "") return false;
  if (needs(behavior, "next") && (next === "" || next == null)) return false;
  if (needs(behavior, "count") && count == null) return false;
  if (needs(behavior, "periods") && (least == null || total == null || least > total)) return false;
  const hasLength = behavior.time_value != null || (needs(behavior, "dates") && hasDates(behavior));
  const hasSecond = behavior.seq_time_value != null;
  return hasLength && (hasSecond || !(needs(behavior, "recent") || needs(behavior, "next")));
}
