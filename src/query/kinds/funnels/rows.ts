import type { FunnelProgram } from "../../../walk/mod.ts";
import {
  alias,
  and,
  call,
  compare,
  constant,
  field,
  from,
  joined,
  list,
  select,
  withQuery,
} from "../../hogql/syntax/build.ts";
import type { Expression, Query } from "../../hogql/syntax/tree.ts";
import { inSpan } from "../../insight/axis.ts";
import { binsOf, cohortMember, valueOfPart } from "../../insight/breakdowns.ts";
import { insightFilters } from "../../insight/insight.ts";
import { TIMESTAMP } from "../../insight/rows.ts";
import { sampled } from "../../insight/sampling.ts";
import { anyOf, entityConditions, namesOf, nodeFilters, type SeriesNode } from "../../insight/series.ts";
import { maskOf } from "../../insight/walkRows.ts";
import { type FunnelLine, type FunnelPlan, funnelActors, type Step } from "./plan.ts";

/**
 * The rows that a line's program walks over: `actor`, `timestamp`, `steps`, and `excluded` and `value` where it reads them.
 * `isNamed`: actors by what others know them by; else they are only told apart. `more`: further fields of events.
 */
export function rowsOf(plan: FunnelPlan, line: FunnelLine, isNamed: boolean, more: readonly Expression[] = []): Query {
  const { context, breakdown, query, program } = plan;
  const parts = breakdown?.kind === "properties" ? breakdown.parts : [];
  const actors = funnelActors(plan);
  const asked = query.exclusions.map(({ node, place }) => ({ node, conditions: eventConditions(plan, node, place) }));
  const nodes = [...plan.steps, ...asked].map(({ node }) => node);
  const where = [
    ...inSpan(TIMESTAMP, line.period, context),
    // Between the steps of a strict funnel any event counts.
    ...(program.order === "strict" ? [] : namesOf(nodes)),
    ...sampled(plan.samplingFactor),
    ...insightFilters(plan),
    ...actors.isOne,
    ...(line.cohort === null ? [] : cohortMember(line.cohort.id, context, "breakdownFilter.breakdown")),
  ];
  const meant =
    program.order === "strict"
      ? []
      : anyOf([...plan.steps, ...query.exclusions].map((one) => eventConditions(plan, one.node, one.place)));
  const bins = binsOf(parts, { select_from: from("events"), where: and([...where, ...meant]) }, context);
  const columns = [
    alias("actor", isNamed ? actors.id : actors.key),
    alias("timestamp", TIMESTAMP),
    alias("steps", maskOf(plan.steps.map((step) => stepConditions(plan, line, step)))),
    ...(asked.length > 0 ? [alias("excluded", maskOf(asked.map(({ conditions }) => conditions)))] : []),
    ...(parts.length > 0 ? [alias("value", shownText(parts.map((part, i) => valueOfPart(part, i, context))))] : []),
    ...more,
  ];
  const isPlain = program.order === "strict" || nodes.every((node) => node.kind === "EventsNode" && hasNoFilters(node));
  const rows = select(columns, {
    ctes: bins === null ? [] : [withQuery("bins", bins)],
    select_from: bins === null ? from("events") : from("events", undefined, joined("bins")),
    where: and(isPlain || !allTaken(plan) ? where : [...where, ...meant]),
  });
  if (program.order === "strict" || allTaken(plan)) return rows;
  // Which event is the first one is found out once.
  const fits = ["steps", ...(asked.length > 0 ? ["excluded"] : [])].map((mask) =>
    compare(field(mask), ">", constant(0)),
  );
  const names = columns.map((column) => (column.node === "Alias" ? field(column.alias) : column));
  return select(names, { select_from: from(rows), where: fits.length === 1 ? fits[0]! : { node: "Or", exprs: fits } });
}

const hasNoFilters = ({ properties, fixedProperties }: SeriesNode): boolean =>
  [properties, fixedProperties].every((filters) => filters == null || (Array.isArray(filters) && filters.length === 0));

const allTaken = ({ steps }: FunnelPlan): boolean => steps.every(({ takes }) => takes === "all");

/** The value of a breakdown as text, of several parts as JSON; NULL where an event has none. */
function shownText(values: Expression[]): Expression {
  if (values.length === 1) return values[0]!;
  const texts = values.map((value) => call("ifNull", value, constant("")));
  return call("nullIf", namedValues(texts), constant(JSON.stringify(values.map(() => ""))));
}

/** Values of several parts as one text. */
export const namedValues = (texts: Expression[]): Expression => call("toJSONString", list(...texts));

const eventConditions = ({ context }: FunnelPlan, node: SeriesNode, place: string): Expression[] => [
  ...entityConditions(node, context, place),
  ...nodeFilters(node, context, place),
];

function stepConditions(plan: FunnelPlan, line: FunnelLine, step: Step): Expression[] {
  const { node, place, takes } = step;
  if (takes === "all") return eventConditions(plan, node, place);
  return [...entityConditions(node, plan.context, place), compare(field("uuid"), "in", firstEvents(plan, line, step))];
}

/** The first event of each actor that fits a step, as far as filters agree to it. Of events at one instant the smallest uuid is the first. */
function firstEvents(plan: FunnelPlan, { period }: FunnelLine, { node, place, takes }: Step): Query {
  const { context } = plan;
  const actors = funnelActors(plan);
  const filters = [...nodeFilters(node, context, place), ...insightFilters(plan)];
  const meets = takes === "first" ? and(filters) : null;
  const where = [
    ...inSpan(TIMESTAMP, { fromMs: null, toMs: period.toMs }, context),
    ...entityConditions(node, context, place),
    ...(takes === "first" ? [] : filters),
    ...sampled(plan.samplingFactor),
    ...actors.isOne,
  ];
  const uuid = field("uuid");
  const told = call("tuple", uuid, meets ?? constant(true));
  const first = call("argMin", told, call("tuple", TIMESTAMP, uuid));
  const firsts = select([alias("first", first)], {
    select_from: from("events"),
    where: and(where),
    group_by: [actors.key],
  });
  const member = (index: number): Expression => ({ node: "TupleAccess", tuple: field("first"), index });
  return select([member(1)], { select_from: from(firsts), where: meets === null ? null : member(2) });
}

/** The program of a line. */
export function programOf({ program, shape }: FunnelPlan, { period }: FunnelLine): FunnelProgram {
  const starts = shape === "trends" ? period.buckets!.starts : null;
  return { ...program, bucketStartsMs: starts?.map((at) => at.epochMilliseconds) ?? null };
}
