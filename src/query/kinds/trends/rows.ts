import type { GroupIndex } from "../../../types/mod.ts";
import { filterCondition } from "../../filter/filters.ts";
import {
  binColumns,
  binLabel,
  binnedNumber,
  breakdownValue,
  cohortMember,
  type Part,
} from "../../insight/breakdowns.ts";
import { sampled } from "../../insight/sampling.ts";
import { entityCondition, ownFilters } from "../../insight/series.ts";
import { EventsTable } from "../../source/events.ts";
import { groupIndexOf } from "../../source/lookups.ts";
import { allOf, integer, join, name, type Sql, sql, TRUE } from "../../sql/sql.ts";
import { bucketIndex, inRange } from "../../time/buckets.ts";
import type { Line, SeriesPlan, Span, TrendsPlan } from "./plan.ts";

const all = (...conditions: Sql[]): Sql => allOf(conditions.filter((condition) => condition !== TRUE));

/** One use of the events; a scan of its own has one. `days`: by day, where that is enough. */
export const eventsOf = ({ sessions }: TrendsPlan, days: string | null = null): EventsTable =>
  new EventsTable("e", { sessions, days });

/** Maths that ask no event for more than its day. */
const OF_DAYS: ReadonlySet<SeriesPlan["math"]["kind"]> = new Set([
  "count",
  "actors",
  "active",
  "first",
  "countPerActor",
]);

/** The zone whose whole days a line is about; null where it asks for more. */
export function daysOf({ context }: TrendsPlan, { period, series }: Line): string | null {
  return period.isOfDays && OF_DAYS.has(series.math.kind) ? context.timezone : null;
}

/** Filters of the whole query, and those of test accounts where they are asked for. */
export function queryFilters({ query, context }: TrendsPlan, events: EventsTable): Sql {
  const test = query.filterTestAccounts ? context.testAccountFilters : null;
  return all(
    filterCondition(query.properties, events, context, "properties"),
    filterCondition(test, events, context, "test_account_filters"),
  );
}

/** Which events a series means, of those that are sampled, and its own filters. */
export function seriesConditions(plan: TrendsPlan, { node, place }: SeriesPlan, events: EventsTable) {
  const { context, query } = plan;
  return {
    entity: all(entityCondition(node, events, context, place), sampled(events, query.samplingFactor ?? 1)),
    filters: ownFilters(node, events, context, place),
  };
}

/** The number of the group type whose groups are counted instead of people; null for people. */
function actorGroup({ query }: TrendsPlan, { math }: SeriesPlan): GroupIndex | null {
  return math.kind === "groups" ? math.index : groupIndexOf(query.aggregation_group_type_index);
}

/** Who did it: a person, a distinct id or a group, as the series, the query and the environment say; NULL for nobody. */
function actorOf(plan: TrendsPlan, series: SeriesPlan, events: EventsTable): Sql {
  const group = actorGroup(plan, series);
  if (group !== null) return sql`nullif(${events.property(`$group_${group}`)}, '')`;
  return plan.context.aggregateByDistinctId ? events.column("distinct_id") : events.who();
}

/** How many did it, of the rows that meet `filter`; the result has at most `groups` rows. */
export function actorCount(
  plan: TrendsPlan,
  series: SeriesPlan,
  events: EventsTable,
  o: { filter: Sql; groups: number },
): Sql {
  const isPerson = actorGroup(plan, series) === null && !plan.context.aggregateByDistinctId;
  if (isPerson) return events.countPersons({ groups: () => o.groups, where: o.filter });
  return sql`count(DISTINCT ${actorOf(plan, series, events)}) FILTER (WHERE ${o.filter})`;
}

export function inSpan(events: EventsTable, { fromMs, toMs }: Span): Sql {
  const timestamp = events.when();
  if (fromMs !== null) return inRange(timestamp, fromMs, toMs);
  return sql`${timestamp} < make_timestamp_ms(${integer(toMs + 1)})`;
}

/** The number of a time's bucket; 0 for a total. */
export function bucketOf({ period }: Line, timestamp: Sql): Sql {
  return period.buckets === null ? integer(0) : bucketIndex(timestamp, period.buckets);
}

/** One reading of the events for one line, told apart by the columns `b0`, `b1`, … where there is a breakdown. */
export class LineRows {
  readonly events: EventsTable;
  /** Names of the columns of the breakdown. */
  readonly keys: Sql[];
  /** The events that are meant, whatever the filters say. */
  readonly entity: Sql;
  readonly filters: Sql;
  private readonly parts: readonly Part[];

  constructor(
    readonly plan: TrendsPlan,
    readonly line: Line,
  ) {
    const { breakdown } = plan;
    this.events = eventsOf(plan, daysOf(plan, line));
    const { entity, filters } = conditionsOf(plan, line, this.events);
    this.entity = entity;
    this.filters = filters;
    this.parts = breakdown?.kind === "properties" ? breakdown.parts : [];
    this.keys = this.parts.map((_, i) => name(`b${i}`));
  }

  get actor(): Sql {
    return actorOf(this.plan, this.line.series, this.events);
  }

  get bucket(): Sql {
    return bucketOf(this.line, this.events.when());
  }

  /** The values that the columns of the breakdown get. */
  keyValues(): Sql[] {
    return this.parts.map((part, i) => {
      if (part.bins === null) return breakdownValue(part, this.events, this.plan.context);
      return binLabel(binnedNumber(part, this.events, this.plan.context), binNames(i));
    });
  }

  /** `SELECT` of the keys and of columns by their names, over the events of a span. To be made last. */
  select(columns: Record<string, Sql>, span: Span = this.line.period, condition = all(this.entity, this.filters)): Sql {
    const keys = this.keyValues().map((value, i) => sql`${value} AS ${this.keys[i]!}`);
    const others = Object.entries(columns).map(([key, value]) => sql`${value} AS ${name(key)}`);
    const where = all(inSpan(this.events, span), condition);
    return sql`SELECT ${join([...keys, ...others], ", ")} FROM ${this.from()} WHERE ${where}`;
  }

  /** The condition on events from the first one ever to the end of the period. */
  everBefore(isFiltered: boolean): Sql {
    const span = { fromMs: null, toMs: this.line.period.toMs };
    return all(inSpan(this.events, span), this.entity, isFiltered ? this.filters : TRUE);
  }

  /** The events, beside the one row of bins where numbers are put into some. */
  from(): Sql {
    const bins = this.parts.some((part) => part.bins !== null) ? sql`, ${this.bins()} AS h` : sql``;
    return sql`${this.events.from()}${bins}`;
  }

  /** The bins of the numbers of the line's own period. */
  private bins(): Sql {
    const { plan, line, parts } = this;
    const events = eventsOf(plan);
    const { entity, filters } = conditionsOf(plan, line, events);
    const binned = parts.flatMap((part, i) => (part.bins === null ? [] : [{ part, bins: part.bins, i }]));
    const extremes = binned.flatMap(({ part, i }) => {
      const number = binnedNumber(part, events, plan.context);
      return [sql`min(${number}) AS ${name(`low${i}`)}`, sql`max(${number}) AS ${name(`high${i}`)}`];
    });
    const where = all(inSpan(events, line.period), entity, filters);
    const found = sql`SELECT ${join(extremes, ", ")} FROM ${events.from()} WHERE ${where}`;
    const columns = binned.map(({ bins, i }) =>
      binColumns(bins, name(`low${i}`), name(`high${i}`), { edges: name(`edges${i}`), labels: name(`labels${i}`) }),
    );
    return sql`(SELECT ${join(columns, ", ")} FROM (${found}))`;
  }
}

const binNames = (i: number) => ({ edges: name(`edges${i}`), labels: name(`labels${i}`) });

function conditionsOf(plan: TrendsPlan, { series, cohort }: Line, events: EventsTable): { entity: Sql; filters: Sql } {
  const { entity, filters } = seriesConditions(plan, series, events);
  const isMember = cohort === null ? TRUE : cohortMember(cohort.id, events, plan.context, "breakdownFilter.breakdown");
  return { entity, filters: all(filters, queryFilters(plan, events), isMember) };
}
