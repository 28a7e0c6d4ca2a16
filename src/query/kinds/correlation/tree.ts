import {
  alias,
  and,
  arithmetic,
  call,
  compare,
  constant,
  field,
  from,
  joined,
  lambda,
  list,
  not,
  orderBy,
  select,
  tuple,
} from "../../hogql/syntax/build.ts";
import type { Expression, Query } from "../../hogql/syntax/tree.ts";
import { inSpan } from "../../insight/axis.ts";
import { TIMESTAMP } from "../../insight/rows.ts";
import { sampled } from "../../insight/sampling.ts";
import { notSupported } from "../../shape/errors.ts";
import { type FunnelPlan, funnelActors } from "../funnels/plan.ts";
import { didStep, instantOf, walkOf } from "../funnels/tree.ts";
import type { CorrelationQuery } from "./node.ts";

/** Between an event, a property and its value in a name. */
export const DIVIDER = "::";
/** Between the type of a click and what was clicked. */
export const CHAIN_DIVIDER = "__~~__";
export const AUTOCAPTURE = "$autocapture";
export const CHAIN = "elements_chain";
/** All properties. */
const ALL = "$all";

const [NAME, WHO, AT, PAIR] = [field("name"), field("who"), field("at"), field("pair")];
const EVENT = field("events", "event");
const [FIRST, LAST] = [field("first"), field("last")];
export const IS_DONE = call("isNotNull", LAST);

/** Who began the funnel: rows of `actor`, when he began, and when he came to its end, NULL where he did not. `isNamed`: as of `rowsOf`. */
export function attempts(plan: FunnelPlan, isNamed: boolean): Query {
  const end = plan.steps.length - 1;
  return select([field("actor"), alias("first", instantOf(0)), alias("last", instantOf(end))], {
    select_from: walkOf(plan, plan.lines[0]!, isNamed),
    where: didStep(0),
  });
}

/** One row: how many came to the end of the funnel, and how many did not. */
export const totalsTree = (plan: FunnelPlan): Query =>
  select([call("countIf", IS_DONE), call("countIf", not(IS_DONE))], { select_from: from(attempts(plan, false)) });

/** Rows of a name, how many of those who came to the end have it, and of those who did not: at least `fewest` of both together. */
export function correlationTree(plan: FunnelPlan, query: CorrelationQuery, fewest: number): Query {
  const seen = query.funnelCorrelationType === "properties" ? propertiesOf(plan, query) : eventsOf(plan, query);
  const count = call("count");
  return select([NAME, call("countIf", field("isDone")), call("countIf", not(field("isDone")))], {
    select_from: from(seen),
    group_by: [NAME],
    having: compare(count, ">=", constant(fewest)),
    order_by: [orderBy(count, "DESC"), orderBy(NAME)],
  });
}

/** What each actor did between the first step and the last one, or the end of the window: rows of `name`, `isDone` and `who`. */
function eventsOf(plan: FunnelPlan, query: CorrelationQuery): Query {
  const excluded = query.funnelCorrelationExcludeEventNames ?? [];
  const names = query.funnelCorrelationEventNames ?? [];
  const withProperties = query.funnelCorrelationType === "event_with_properties";
  const conditions = [
    ...(excluded.length === 0 ? [] : [compare(EVENT, "not in", tuple(...excluded.map(constant)))]),
    ...(withProperties ? [compare(EVENT, "in", tuple(...names.map(constant)))] : []),
  ];
  const columns = withProperties
    ? [alias("event", EVENT), alias("pair", call("arrayJoin", eventPairs(query)))]
    : [alias("name", EVENT)];
  const rows = happened(plan, { columns, conditions });
  const without = query.funnelCorrelationEventExcludePropertyNames;
  const own = withProperties ? named(rows, [field("event")], [WHO, AT], without) : rows;
  return inAttempts(plan, own, { columns: [NAME, alias("isDone", IS_DONE), WHO] });
}

/** The events that a correlation may tell of: rows of `who`, `at` and more `columns`. `isNamed`: as of `rowsOf`. */
export function happened(
  plan: FunnelPlan,
  o: { columns: Expression[]; conditions: Expression[]; isNamed?: boolean },
): Query {
  const { isOne, key, id } = funnelActors(plan);
  const steps = stepNames(plan);
  const where = [
    ...inSpan(TIMESTAMP, plan.lines[0]!.period, plan.context),
    ...(steps.length === 0 ? [] : [compare(EVENT, "not in", tuple(...steps.map(constant)))]),
    ...sampled(plan.samplingFactor),
    ...isOne,
    ...o.conditions,
  ];
  const columns = [...o.columns, alias("who", o.isNamed === true ? id : key), alias("at", TIMESTAMP)];
  return select(columns, { select_from: from("events"), where: and(where) });
}

/** Those of the rows of `happened` that are between the first step and the last one, or the end of the window, each once. */
export function inAttempts(
  plan: FunnelPlan,
  rows: Query,
  o: { columns: Expression[]; conditions?: Expression[]; isNamed?: boolean },
): Query {
  const ms = (at: Expression) => call("toUnixTimestamp64Milli", at);
  const end = call("ifNull", ms(LAST), arithmetic(ms(FIRST), "+", constant(plan.program.windowMs)));
  const isOfActor = compare(field("happened", "who"), "==", field("actors", "actor"));
  return select(o.columns, {
    distinct: true,
    select_from: from(rows, "happened", joined(attempts(plan, o.isNamed === true), isOfActor, "actors")),
    where: and([compare(ms(AT), ">", ms(FIRST)), compare(ms(AT), "<", end), ...(o.conditions ?? [])]),
  });
}

/** Refuses actors of which no properties are known. Errors: TerminalError `invalid_query`. */
export function checkActors({ actorGroup, aggregate, context }: FunnelPlan): void {
  const place = "funnelCorrelationType";
  if (aggregate !== null) throw notSupported(place, "properties of what HogQL names");
  if (actorGroup === null && context.aggregateByDistinctId) throw notSupported(place, "properties of distinct ids");
}

/** The properties of each actor: rows of `name` and `isDone`. */
function propertiesOf(plan: FunnelPlan, query: CorrelationQuery): Query {
  checkActors(plan);
  const { actorGroup } = plan;
  const table = actorGroup === null ? "persons" : "groups";
  const on = and([
    compare(field(table, actorGroup === null ? "id" : "key"), "==", field("actors", "actor")),
    ...(actorGroup === null ? [] : [compare(field(table, "index"), "==", constant(actorGroup))]),
  ]);
  const of = field(table, "properties");
  const pairs = query.funnelCorrelationNames!.includes(ALL)
    ? pairsOf(of)
    : list(
        ...query.funnelCorrelationNames!.map((name) =>
          tuple(constant(name), call("ifNull", call("toString", field(table, "properties", name)), constant(""))),
        ),
      );
  const rows = select([alias("isDone", IS_DONE), alias("pair", call("arrayJoin", pairs))], {
    select_from: from(attempts(plan, true), "actors", joined(table, on)),
  });
  return named(rows, [], [field("isDone")], query.funnelCorrelationExcludeNames);
}

/** Rows with the pair of a property as a part of their name. */
function named(
  rows: Query,
  before: Expression[],
  columns: Expression[],
  excluded: readonly string[] | null | undefined,
) {
  const [key, value] = [1, 2].map((index): Expression => ({ node: "TupleAccess", tuple: PAIR, index })) as [
    Expression,
    Expression,
  ];
  const parts = [...before, key, value].flatMap((part, i) => (i === 0 ? [part] : [constant(DIVIDER), part]));
  return select([alias("name", call("concat", ...parts)), ...columns], {
    select_from: from(rows),
    where: excluded?.length ? compare(key, "not in", tuple(...excluded.map(constant))) : null,
  });
}

/** The properties of an event; of a click what was clicked, since its properties do not say it. */
function eventPairs({ funnelCorrelationEventNames: names }: CorrelationQuery): Expression {
  if (!names!.includes(AUTOCAPTURE)) return pairsOf(field("events", "properties"));
  const type = call("ifNull", call("toString", field("events", "properties", "$event_type")), constant(""));
  const clicked = call("concat", type, constant(CHAIN_DIVIDER), field("events", "elements_chain"));
  return list(tuple(constant(CHAIN), clicked));
}

/** Key and value of each property, the value as text. */
function pairsOf(properties: Expression): Expression {
  const raw: Expression = { node: "TupleAccess", tuple: field("one"), index: 2 };
  const key: Expression = { node: "TupleAccess", tuple: field("one"), index: 1 };
  const text = call("if", call("startsWith", raw, constant('"')), call("JSONExtractString", raw), raw);
  const all = call("JSONExtractKeysAndValuesRaw", call("ifNull", call("toString", properties), constant("{}")));
  return call("arrayMap", lambda("one", tuple(key, text)), all);
}

/** The names of the events that steps can be: what leads there does not explain it. */
function stepNames({ steps, context }: FunnelPlan): string[] {
  const namesOf = (node: (typeof steps)[number]["node"]): string[] => {
    if (node.kind === "GroupNode") return node.nodes.flatMap(namesOf);
    if (node.kind === "EventsNode") return node.event == null ? [] : [node.event];
    const action = context.records.action(Number(node.id));
    return (action?.steps ?? []).flatMap(({ event }) => (event === null ? [] : [event]));
  };
  return [...new Set(steps.flatMap(({ node }) => namesOf(node)))];
}
