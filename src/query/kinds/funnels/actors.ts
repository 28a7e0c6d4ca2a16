import { type Static, Type } from "@sinclair/typebox";
import type { Json, JsonObject } from "../../../types/mod.ts";
import {
  alias,
  and,
  call,
  compare,
  constant,
  field,
  from,
  joined,
  select,
  unionAll,
} from "../../hogql/syntax/build.ts";
import type { Expression, Query } from "../../hogql/syntax/tree.ts";
import { bucketAt, matchingEvents } from "../../insight/behind.ts";
import { ALL_USERS } from "../../insight/breakdowns.ts";
import { invalidPart } from "../../shape/errors.ts";
import { anything, checkPart, object, optional, shown } from "../../shape/shapes.ts";
import type { QueryContext } from "../../source/context.ts";
import type { ActorRows } from "../kind.ts";
import type { FunnelsQuery } from "./node.ts";
import type { FunnelLine, FunnelPlan } from "./plan.ts";
import type { Shown } from "./result.ts";
import { namedValues, rowsOf } from "./rows.ts";
import { plannedFunnels, runFunnels } from "./run.ts";
import {
  didStep,
  hasReached,
  instantOf,
  OTHER,
  rankedWalk,
  requiredBefore,
  secondsBetween,
  shownValue,
  walkOf,
} from "./tree.ts";

const PartSchema = object({
  kind: Type.Union([Type.Literal("FunnelsActorsQuery"), Type.Literal("InsightActorsQuery")]),
  source: anything,
  funnelStep: optional(Type.Integer()),
  funnelStepBreakdown: optional(
    Type.Union([Type.String(), Type.Number(), Type.Array(Type.Union([Type.String(), Type.Number()]))]),
  ),
  funnelTrendsDropOff: optional(Type.Boolean()),
  funnelTrendsEntrancePeriodStart: optional(Type.String()),
  /** Seconds from the one step to the other, as of the bins of an answer: the first one within, the second not. */
  funnelConversionTimeFrom: optional(Type.Number()),
  funnelConversionTimeTo: optional(Type.Number()),
  compare: optional(Type.Union([Type.Literal("current"), Type.Literal("previous")])),
  includeRecordings: optional(Type.Boolean()),
  modifiers: anything,
  tags: anything,
  version: anything,
  response: anything,
});

type Part = Static<typeof PartSchema>;

/** Which attempts are meant, and the step whose time is told. */
interface Meant {
  conditions: Expression[];
  step: number;
}

/**
 * The actors behind a step, a drop-off (a negative step) or a bucket of a funnel, and how long they took (docs/queries.md#funnelsquery).
 * Errors: as of `runFunnels`.
 */
export async function behindFunnel(query: FunnelsQuery, json: JsonObject, context: QueryContext): Promise<ActorRows> {
  const part = checkPart(PartSchema, json);
  const plan = await plannedFunnels(query, context);
  const hasEvents = part.includeRecordings === true;
  const asked = unionAll(linesOf(plan, part).map((line) => attempts(plan, line, part)));
  const earliest = ["timestamp", "conversion_time"].map((name) => alias(name, call("min", field("attempts", name))));
  // An actor has an attempt for each of his values.
  const columns = [
    field("actor_id"),
    ...earliest,
    ...(hasEvents ? [matchingEvents(field("attempts", "timestamp"))] : []),
  ];
  return {
    query: select(columns, { select_from: from(asked, "attempts"), group_by: [field("actor_id")] }),
    group: plan.aggregate === null ? plan.actorGroup : null,
    columns: ["timestamp", "conversion_time", ...(hasEvents ? ["matching_events"] : [])],
  };
}

/**
 * The attempts of a line that a part means: rows of `actor_id`, the time of the step, and seconds since the first step; with
 * `includeRecordings` a row for each event that did the step.
 */
function attempts(plan: FunnelPlan, line: FunnelLine, part: Part): Query {
  const { conditions, step } = meantBy(plan, line, part);
  const value = askedValue(plan, part);
  const walk = value === null ? { select_from: walkOf(plan, line, true) } : rankedWalk(plan, line, true);
  const hasEvents = part.includeRecordings === true;
  const own = select(
    [
      alias("actor_id", field("actor")),
      alias("timestamp", instantOf(step)),
      alias("conversion_time", secondsBetween(instantOf(0), instantOf(step))),
      ...(hasEvents && isOfValue(plan, step) ? [alias("own_value", field("value"))] : []),
    ],
    { ...walk, where: and([...conditions, ...(value === null ? [] : [compare(shownValue(plan), "==", value)])]) },
  );
  return hasEvents ? withEvents(plan, line, step, own) : own;
}

/** Attempts beside each event that did their step. */
function withEvents(plan: FunnelPlan, line: FunnelLine, step: number, own: Query): Query {
  const fits = compare(field("steps"), ">", constant(0));
  // Steps that are done in any order have no number.
  const isOfStep =
    plan.program.order === "unordered"
      ? fits
      : compare(call("bitTest", field("steps"), constant(step)), "==", constant(1));
  const value = isOfValue(plan, step) ? [alias("event_value", field("value"))] : [];
  const events = select([alias("who", field("actor")), alias("at", field("timestamp")), ...value, ...EVENT], {
    select_from: from(rowsOf(plan, line, true, EVENT)),
    where: isOfStep,
  });
  const ms = (at: Expression) => call("toUnixTimestamp64Milli", at);
  const text = (value: Expression) => call("ifNull", value, constant(""));
  const on = [
    compare(field("events", "who"), "==", field("own", "actor_id")),
    compare(ms(field("events", "at")), "==", ms(field("own", "timestamp"))),
    ...(isOfValue(plan, step) ? [compare(text(field("event_value")), "==", text(field("own_value")))] : []),
  ];
  const told = ["actor_id", "timestamp", "conversion_time"].map((name) => field("own", name));
  return select([...told, ...EVENT], { select_from: from(own, "own", joined(events, and(on), "events")) });
}

/** Whether only events with the value of an attempt do a step of it. */
const isOfValue = ({ program: { attribution } }: FunnelPlan, step: number): boolean =>
  attribution === "all" || attribution === step;

const EVENT = ["uuid", "$session_id", "$window_id"].map((name) => field(name));

function meantBy(plan: FunnelPlan, line: FunnelLine, part: Part): Meant {
  if (plan.shape === "trends") return ofBucket(plan, line, part);
  const { funnelConversionTimeFrom: fromS, funnelConversionTimeTo: toS } = part;
  return fromS == null && toS == null ? meantByStep(plan, part.funnelStep) : ofTimes(plan, part);
}

/** Those who converted, and how long that took. */
function ofTimes({ fromStep, toStep }: FunnelPlan, part: Part): Meant {
  const { funnelConversionTimeFrom: fromS, funnelConversionTimeTo: toS } = part;
  const seconds = secondsBetween(instantOf(fromStep), instantOf(toStep));
  const conditions = [
    hasReached(toStep),
    ...(fromS == null ? [] : [compare(seconds, ">=", constant(fromS))]),
    ...(toS == null ? [] : [compare(seconds, "<", constant(toS))]),
  ];
  return { conditions, step: toStep };
}

/** Step 2 are those who did it, step -2 those who did the one before and not this one. Errors: `InvalidPart`. */
export function meantByStep(plan: FunnelPlan, funnelStep: number | null | undefined): Meant {
  const number = funnelStep ?? 0;
  const { length } = plan.steps;
  if (number === 0 || number === -1 || Math.abs(number) > length) {
    throw invalidPart("funnelStep", `must be 1 to ${length}, or -2 to ${-length} for those who dropped off`);
  }
  const step = Math.abs(number) - 1;
  if (number > 0) return { conditions: [didStep(step)], step };
  const before = requiredBefore(plan, step);
  return { conditions: [didStep(before), call("isNull", instantOf(step))], step: before };
}

/** Those who began in a bucket and converted, or dropped off after the first step asked about. */
function ofBucket(plan: FunnelPlan, { period }: FunnelLine, part: Part): Meant {
  const member = "funnelTrendsEntrancePeriodStart";
  const start = part.funnelTrendsEntrancePeriodStart;
  if (start == null) throw invalidPart(member, "is missing");
  const bucket = bucketAt(period, start, plan.context, member);
  const { fromStep, toStep } = plan;
  const isIn = compare(field("bucket"), "==", constant(bucket));
  if (part.funnelTrendsDropOff !== true) return { conditions: [isIn, hasReached(toStep)], step: toStep };
  const hasNot = compare(field("reached"), "<=", constant(toStep));
  return { conditions: [isIn, hasReached(fromStep), hasNot], step: fromStep };
}

/** The lines that a part is about: of its period, and of its cohort where it names one. */
function linesOf(
  { lines, breakdown, periods }: FunnelPlan,
  { compare: label, funnelStepBreakdown }: Part,
): FunnelLine[] {
  if (label === "previous" && periods.length === 1) throw invalidPart("compare", "the funnel is compared with nothing");
  const own = lines.filter(({ period }) => period.label === (label ?? "current"));
  if (breakdown?.kind !== "cohorts" || funnelStepBreakdown == null) return own;
  const [id] = [funnelStepBreakdown].flat();
  const named = own.filter(({ cohort }) => String(cohort?.id) === String(id === 0 ? ALL_USERS : id));
  if (named.length > 0) return named;
  throw invalidPart("funnelStepBreakdown", `the funnel is not broken down by the cohort ${shown(id)}`);
}

/** The value that a part asks for, as rows name it; null for all. */
function askedValue({ breakdown }: FunnelPlan, { funnelStepBreakdown: given }: Part): Expression | null {
  if (breakdown?.kind !== "properties" || given == null) return null;
  const count = breakdown.parts.length;
  const values = (typeof given === "string" && count > 1 ? parsed(given) : [given].flat()).map(String);
  if (values.length === 1 && (count === 1 || values[0] === OTHER)) return constant(values[0]!);
  if (values.length !== count) throw invalidPart("funnelStepBreakdown", `must have ${count} values`);
  return values.every((value) => value === "") ? constant("") : namedValues(values.map(constant));
}

function parsed(text: string): Json[] {
  try {
    return [JSON.parse(text)].flat();
  } catch {
    return [text];
  }
}

type Option = { label: string; value: Json };

const NO_VALUE = "None (i.e. no value)";

/** The values of the breakdown and the periods that actors can be asked for by. Errors: as of `runFunnels`. */
export async function funnelOptions(query: FunnelsQuery, context: QueryContext): Promise<Record<string, Option[]>> {
  const { results } = await runFunnels(query, context);
  const items = [results].flat(2) as { breakdown?: Shown; breakdown_value?: Shown; compare_label?: string }[];
  const options = items.flatMap(({ breakdown, breakdown_value: value }): Option[] => {
    if (breakdown === undefined || value === undefined) return [];
    const labels = [breakdown].flat().map((label) => (label === "" ? NO_VALUE : String(label)));
    const values = [value].flat();
    return [{ label: labels.join(", "), value: values.length === 1 ? values[0]! : JSON.stringify(values) }];
  });
  const different = [...new Map(options.map((option) => [JSON.stringify(option.value), option])).values()];
  const periods = ["current", "previous"].map((value) => ({
    label: value === "current" ? "Current" : "Previous",
    value,
  }));
  return {
    ...(different.length > 0 && { breakdown: different }),
    ...(query.compareFilter?.compare === true && { compare: periods }),
  };
}
