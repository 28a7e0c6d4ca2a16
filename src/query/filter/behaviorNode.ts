import { type Static, Type } from "@sinclair/typebox";
import type { Json, JsonObject } from "../../types/mod.ts";
import { invalidQuery } from "../shape/errors.ts";
import { anything, check, object, optional, shown } from "../shape/shapes.ts";
import type { Unit } from "../time/dates.ts";

/** What persons of a cohort did, in PostHog's words. */
export const BEHAVIORS = [
  "performed_event",
  "performed_event_multiple",
  "performed_event_first_time",
  "performed_event_regularly",
  "stopped_performing_event",
  "restarted_performing_event",
  "performed_event_sequence",
] as const;
export type BehaviorName = (typeof BEHAVIORS)[number];

const wholeNumber = () => optional(Type.Union([Type.Integer(), Type.String({ pattern: "^\\d{1,9}$" })]));
const word = () => optional(Type.String());
const name = () => optional(Type.Union([Type.String(), Type.Integer()]));

const BehaviorSchema = object({
  type: Type.Literal("behavioral"),
  value: Type.String(),
  key: name(),
  event_type: word(),
  event_filters: anything,
  negation: optional(Type.Boolean()),
  time_value: wholeNumber(),
  time_interval: word(),
  explicit_datetime: word(),
  explicit_datetime_to: word(),
  operator: word(),
  operator_value: wholeNumber(),
  min_periods: wholeNumber(),
  total_periods: wholeNumber(),
  seq_event: name(),
  seq_event_type: word(),
  seq_time_value: wholeNumber(),
  seq_time_interval: word(),
  // Marks of PostHog's own calculation.
  conditionHash: anything,
  bytecode: anything,
});
type BehaviorFilter = Static<typeof BehaviorSchema>;

/** PostHog's names of units, with those of relative dates. */
const UNITS = {
  minute: "M",
  hour: "h",
  day: "d",
  week: "w",
  month: "m",
  year: "y",
} as const satisfies Record<string, Unit>;
type IntervalName = keyof typeof UNITS;

/** A length of time as a cohort says it. */
export interface Length {
  amount: number;
  interval: IntervalName;
  /** As in relative dates. */
  unit: Unit;
}

/** The events or the action that a behavior names. */
export interface Named {
  /** The name of the event, or the id of the action. */
  event: string | null;
  action: number | null;
  /** Names its field in errors. */
  place: string;
}

const COMPARISONS: ReadonlyMap<string, string> = new Map(
  Object.entries({ gte: ">=", gt: ">", lte: "<=", lt: "<", eq: "==", exact: "==" }),
);

/** No length of time is longer. */
const MAX_AMOUNT = 10_000;
const MAX_COUNT = 999_999_999;
/** Each period is a column of the statement. */
const MAX_PERIODS = 100;

/** A filter by behavior, whose members are read when they are asked for. Errors, of all: TerminalError `invalid_query`. */
export class Behavior {
  readonly name: BehaviorName;
  private readonly filter: BehaviorFilter;

  constructor(
    filter: JsonObject,
    readonly place: string,
  ) {
    this.filter = check(BehaviorSchema, filter, place);
    const name = BEHAVIORS.find((one) => one === this.filter.value);
    if (name === undefined) {
      throw invalidQuery(`${place}.value`, `must be one of ${BEHAVIORS.join(", ")}, not ${shown(this.filter.value)}`);
    }
    this.name = name;
  }

  get isNegated(): boolean {
    return this.filter.negation === true;
  }

  get eventFilters(): Json {
    return (this.filter.event_filters ?? null) as Json;
  }

  get entity(): Named {
    return this.named("key", "event_type");
  }

  /** The second event of a sequence. */
  get nextEntity(): Named {
    return this.named("seq_event", "seq_event_type");
  }

  get length(): Length {
    return this.lengthOf("time_value", "time_interval");
  }

  /** Of the later part of the time, or between two events of a sequence. */
  get nextLength(): Length {
    return this.lengthOf("seq_time_value", "seq_time_interval");
  }

  /** The dates that are given in place of a length. */
  get dates(): { date_from: string; date_to: string | null } | null {
    const { explicit_datetime: from, explicit_datetime_to: to } = this.filter;
    if (from == null || from === "") {
      if (to == null || to === "") return null;
      throw invalidQuery(`${this.place}.explicit_datetime`, "is missing, and explicit_datetime_to is there");
    }
    return { date_from: from, date_to: to || null };
  }

  /** The dates where the behavior has no use for them. */
  refuseDates(): void {
    if (this.dates !== null) throw invalidQuery(`${this.place}.explicit_datetime`, `does not go with ${this.name}`);
  }

  /** How a number of events is compared, as HogQL has it. */
  get comparison(): { op: string; count: number } {
    const { operator } = this.filter;
    const op = COMPARISONS.get(operator ?? "exact");
    if (op === undefined) {
      const known = [...COMPARISONS.keys()].join(", ");
      throw invalidQuery(`${this.place}.operator`, `must be one of ${known}, not ${shown(operator)}`);
    }
    return { op, count: this.number("operator_value", MAX_COUNT) };
  }

  /** In how many of how many periods. */
  get periods(): { least: number; total: number } {
    const total = this.number("total_periods", MAX_PERIODS);
    const least = this.number("min_periods", MAX_PERIODS);
    if (least > total) throw invalidQuery(`${this.place}.min_periods`, `must not be more than total_periods, ${total}`);
    return { least, total };
  }

  private number(member: keyof BehaviorFilter, max: number): number {
    const given = this.filter[member];
    const number = Number(given ?? Number.NaN);
    if (number >= 1 && number <= max) return number;
    throw invalidQuery(`${this.place}.${member}`, `must be a whole number from 1 to ${max}, not ${shown(given)}`);
  }

  private lengthOf(value: "time_value" | "seq_time_value", name: "time_interval" | "seq_time_interval"): Length {
    const amount = this.number(value, MAX_AMOUNT);
    const interval = this.filter[name] ?? "";
    if (!isInterval(interval)) {
      const known = Object.keys(UNITS).join(", ");
      throw invalidQuery(`${this.place}.${name}`, `must be one of ${known}, not ${shown(this.filter[name])}`);
    }
    return { amount, interval, unit: UNITS[interval] };
  }

  private named(key: "key" | "seq_event", type: "event_type" | "seq_event_type"): Named {
    const { [key]: given, [type]: kind } = this.filter;
    const place = `${this.place}.${key}`;
    if (kind === "actions") {
      const id = typeof given === "string" && /^\d{1,15}$/.test(given) ? Number(given) : given;
      if (typeof id === "number") return { event: null, action: id, place };
      throw invalidQuery(place, `must be the id of an action, not ${shown(given)}`);
    }
    if (kind !== "events") {
      throw invalidQuery(`${this.place}.${type}`, `must be events or actions, not ${shown(kind)}`);
    }
    if (typeof given === "string" && given !== "") return { event: given, action: null, place };
    throw invalidQuery(place, `must be the name of an event, not ${shown(given)}`);
  }
}

const isInterval = (name: string): name is IntervalName => Object.hasOwn(UNITS, name);
