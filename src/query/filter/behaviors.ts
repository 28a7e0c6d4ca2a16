import type { JsonObject } from "../../types/mod.ts";
import {
  alias,
  and,
  call,
  compare,
  constant,
  field,
  from,
  identity,
  list,
  not,
  or,
  over,
  select,
  tuple,
} from "../hogql/syntax/build.ts";
import type { Expression, Query } from "../hogql/syntax/tree.ts";
import { invalidQuery } from "../shape/errors.ts";
import { shown } from "../shape/shapes.ts";
import type { QueryContext } from "../source/context.ts";
import { Behavior, type Named } from "./behaviorNode.ts";
import { before, lastOf, lastPeriods, lengthMs, since, type Window, windowOf, within } from "./behaviorTimes.ts";
import { filtersOf } from "./filters.ts";

const PERSON = identity("person_id");
const [ACTOR, MOMENT, FIRSTS, SECONDS] = ["actor", "moment", "firsts", "seconds"].map((one) => field(one)) as [
  Expression,
  Expression,
  Expression,
  Expression,
];
const COUNT = call("count");
const NONE = constant(0);

/**
 * A filter by what persons did (docs/queries.md#cohorts) as a condition on the table `persons`. Only events of now known persons
 * count, after all merges. Errors: TerminalError `invalid_query` that names the place.
 */
export function behaviorCondition(filter: JsonObject, context: QueryContext, place: string): Expression {
  const behavior = new Behavior(filter, place);
  const did = compare(identity("id"), "in", performers(behavior, context));
  return behavior.isNegated ? not(did) : did;
}

/** The persons that did it, one column, each once. */
function performers(behavior: Behavior, context: QueryContext): Query {
  const { place, eventFilters } = behavior;
  const entity = entityConditions(behavior.entity, context);
  const filters = filtersOf(eventFilters, context, `${place}.event_filters`);
  const meant = [...entity, ...filters];
  switch (behavior.name) {
    case "performed_event":
      return those(within(windowOf(behavior, context)), meant);
    case "performed_event_multiple": {
      const { op, count } = behavior.comparison;
      return those(within(windowOf(behavior, context)), meant, [compare(COUNT, op, constant(count))]);
    }
    case "performed_event_first_time":
      return firstTimers(windowOf(behavior, context), entity, filters);
    case "performed_event_regularly":
      return regulars(behavior, meant, context);
    case "stopped_performing_event": {
      const { whole, recent } = partsOf(behavior, context);
      return those(within(whole), meant, [isNone(since(recent.from))]);
    }
    case "restarted_performing_event": {
      const { whole, recent } = partsOf(behavior, context);
      const pause = and([since(whole.from), before(recent.from)])!;
      const having = [isSome(since(recent.from)), isNone(pause), isSome(before(whole.from))];
      return those([before(whole.before)], meant, having);
    }
    case "performed_event_sequence":
      return inSequence(behavior, meant, context);
  }
}

/** Persons by their events of a time, of which `having` is asked. */
const those = (times: Expression[], meant: Expression[], having: Expression[] = []): Query =>
  select([PERSON], {
    select_from: from("events"),
    where: and([...times, ...meant]),
    group_by: [PERSON],
    having: and(having),
  });

const countIf = (condition: Expression): Expression => call("countIf", condition);
const isNone = (condition: Expression): Expression => compare(countIf(condition), "==", NONE);
const isSome = (condition: Expression): Expression => compare(countIf(condition), ">", NONE);

function entityConditions({ event, action, place }: Named, { records }: QueryContext): Expression[] {
  if (action === null) return [compare(field("event"), "==", constant(event))];
  if (records.action(action) === null) throw invalidQuery(place, `there is no action ${shown(action)}`);
  return [call("matchesAction", constant(action))];
}

/** The very first event that is meant lies in the window, and meets the filters. Of two at one instant the smaller uuid is the first. */
function firstTimers(window: Window, entity: Expression[], filters: Expression[]): Query {
  const order = tuple(field("timestamp"), field("uuid"));
  const meets = filters.map((filter) =>
    compare(call("argMin", call("if", filter, constant(1), NONE), order), "==", constant(1)),
  );
  return those([before(window.before)], entity, [isNone(before(window.from)), ...meets]);
}

/** The whole time of a behavior that has changed, and the recent part of it. */
function partsOf(behavior: Behavior, context: QueryContext): { whole: Window; recent: Window } {
  behavior.refuseDates();
  const { place } = behavior;
  const whole = lastOf(behavior.length, context, `${place}.time_value`);
  const recent = lastOf(behavior.nextLength, context, `${place}.seq_time_value`);
  if (whole.from.epochMilliseconds < recent.from.epochMilliseconds) return { whole, recent };
  throw invalidQuery(`${place}.seq_time_value`, "must be a shorter time than time_value");
}

function regulars(behavior: Behavior, meant: Expression[], context: QueryContext): Query {
  behavior.refuseDates();
  const { least, total } = behavior.periods;
  const { op, count } = behavior.comparison;
  const periods = lastPeriods(behavior.length, total, context, `${behavior.place}.time_value`);
  const isRegular = (period: Window): Expression => {
    const events = countIf(and(within(period))!);
    // A period without events is none in which a few were done.
    const conditions = [compare(events, ">", NONE), compare(events, op, constant(count))];
    return call("if", and(conditions)!, constant(1), NONE);
  };
  const all = { from: periods.at(-1)!.from, before: periods[0]!.before };
  const times = call("arraySum", list(...periods.map(isRegular)));
  return those(within(all), meant, [compare(times, ">=", constant(least))]);
}

/**
 * One event and then another one, both in the window: not later than a length of time, at the same instant too. Events of one
 * instant are put together: `firsts`, `seconds` and all of them are counted, and the last first event before each is found.
 */
function inSequence(behavior: Behavior, meant: Expression[], context: QueryContext): Query {
  const next = and(entityConditions(behavior.nextEntity, context))!;
  const first = and(meant)!;
  const limitMs = constant(lengthMs(behavior.nextLength));
  const columns = [
    alias("actor", PERSON),
    alias("moment", call("toUnixTimestamp64Milli", field("timestamp"))),
    alias("firsts", countIf(first)),
    alias("seconds", countIf(next)),
    alias("events", COUNT),
  ];
  const moments = select(columns, {
    select_from: from("events"),
    where: and([...within(windowOf(behavior, context)), or([first, next])]),
    group_by: [ACTOR, MOMENT],
  });
  const lastFirst = over("max", [call("if", compare(FIRSTS, ">", NONE), MOMENT, constant(null))], {
    partition_by: [ACTOR],
    order_by: [{ node: "OrderExpr", expr: MOMENT, order: "ASC" }],
    frame_method: "ROWS",
    frame_start: { node: "WindowFrameExpr", frame_type: "PRECEDING" },
    frame_end: { node: "WindowFrameExpr", frame_type: "PRECEDING", frame_value: 1 },
  });
  const seen = select([ACTOR, MOMENT, FIRSTS, SECONDS, field("events"), alias("last_first", lastFirst)], {
    select_from: from(moments),
  });
  const sinceFirst: Expression = { node: "ArithmeticOperation", left: MOMENT, op: "-", right: field("last_first") };
  const atOnce = and([compare(FIRSTS, ">", NONE), compare(field("events"), ">", constant(1))])!;
  return select([ACTOR], {
    distinct: true,
    select_from: from(seen),
    where: and([compare(SECONDS, ">", NONE), or([compare(sinceFirst, "<=", limitMs), atOnce])]),
  });
}
