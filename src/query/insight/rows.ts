import type { EventsTable } from "../source/events.ts";
import { allOf, join, name, type Sql, sql, TRUE } from "../sql/sql.ts";
import { bucketOf, inSpan, type Past, type Period } from "./axis.ts";
import {
  type ALL_USERS,
  binColumns,
  binLabel,
  binnedNumber,
  breakdownValue,
  cohortMember,
  type Part,
} from "./breakdowns.ts";
import { Actors, eventsOf, type Insight, insightFilters } from "./insight.ts";
import type { SeriesMath } from "./math.ts";
import { sampled } from "./sampling.ts";
import { entityCondition, ownFilters, type SeriesNode } from "./series.ts";

/** One of the things that an insight counts. */
export interface Series {
  node: SeriesNode;
  math: SeriesMath;
  /** For errors. */
  place: string;
}

/** One question: a series in a period, and with a breakdown by cohorts in one of them. */
export interface Line {
  series: Series;
  period: Period;
  cohort: { id: number | typeof ALL_USERS; name: string } | null;
}

/** Maths that ask no event for more than its day. */
const OF_DAYS: ReadonlySet<SeriesMath["kind"]> = new Set(["count", "actors", "active", "first", "countPerActor"]);

/** The zone whose whole days a line is about; null where it asks for more. */
export function daysOf({ context }: Insight, { period, series }: Line): string | null {
  return period.isOfDays && OF_DAYS.has(series.math.kind) ? context.timezone : null;
}

/** Who is counted in a series. */
export const actorsOf = (insight: Insight, { math }: Series): Actors =>
  new Actors(insight, math.kind === "groups" ? math.index : null);

/** Which events a series means, of those that are sampled, and its own filters. */
export function seriesConditions({ context, samplingFactor }: Insight, { node, place }: Series, events: EventsTable) {
  return {
    entity: allOf([entityCondition(node, events, context, place), sampled(events, samplingFactor)]),
    filters: ownFilters(node, events, context, place),
  };
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
  private readonly actors: Actors;

  /** `byId`: actors are told by their ids, not only apart. */
  constructor(
    readonly insight: Insight,
    readonly line: Line,
    private readonly o: { byId: boolean } = { byId: false },
  ) {
    const { breakdown } = insight;
    this.events = eventsOf(insight, daysOf(insight, line));
    const { entity, filters } = conditionsOf(insight, line, this.events);
    this.entity = entity;
    this.filters = filters;
    this.parts = breakdown?.kind === "properties" ? breakdown.parts : [];
    this.keys = this.parts.map((_, i) => name(`b${i}`));
    this.actors = actorsOf(insight, line.series);
  }

  get actor(): Sql {
    return this.o.byId ? this.actors.id(this.events) : this.actors.key(this.events);
  }

  get bucket(): Sql {
    return bucketOf(this.line.period, this.events.when());
  }

  /** The values that the columns of the breakdown get. */
  keyValues(): Sql[] {
    const { events, parts } = this;
    const { context } = this.insight;
    return parts.map((part, i) =>
      part.bins === null
        ? breakdownValue(part, events, context)
        : binLabel(binnedNumber(part, events, context), binNames(i)),
    );
  }

  /** `SELECT` of the keys and of columns by their names, over the events of a span. To be made last. */
  select(columns: Record<string, Sql>, span: Past = this.line.period): Sql {
    const keys = this.keyValues().map((value, i) => sql`${value} AS ${this.keys[i]!}`);
    const others = Object.entries(columns).map(([key, value]) => sql`${value} AS ${name(key)}`);
    const where = allOf([inSpan(this.events.when(), span), allOf([this.entity, this.filters])]);
    return sql`SELECT ${join([...keys, ...others], ", ")} FROM ${this.from()} WHERE ${where}`;
  }

  /** The columns of the breakdown, and others behind them. */
  columns(...others: Sql[]): Sql {
    return join([...this.keys, ...others], ", ");
  }

  /** The columns of the breakdown and `more` behind them by their numbers, for GROUP BY. */
  firstColumns(more: number): Sql {
    const numbers = Array.from({ length: this.keys.length + more }, (_, i): Sql => ({ parts: [String(i + 1)] }));
    return join(numbers, ", ");
  }

  /** The condition on events from the first one ever to the end of the period. */
  everBefore(isFiltered: boolean): Sql {
    const span = { fromMs: null, toMs: this.line.period.toMs };
    return allOf([inSpan(this.events.when(), span), this.entity, isFiltered ? this.filters : TRUE]);
  }

  /** The events, beside the one row of bins where numbers are put into some. */
  from(): Sql {
    const bins = this.parts.some((part) => part.bins !== null) ? sql`, ${this.bins()} AS h` : sql``;
    return sql`${this.events.from()}${bins}`;
  }

  /** The bins of the numbers of the line's own period. */
  private bins(): Sql {
    const { insight, line, parts } = this;
    const events = eventsOf(insight);
    const { entity, filters } = conditionsOf(insight, line, events);
    const binned = parts.flatMap((part, i) => (part.bins === null ? [] : [{ part, bins: part.bins, i }]));
    const extremes = binned.flatMap(({ part, i }) => {
      const number = binnedNumber(part, events, insight.context);
      return [sql`min(${number}) AS ${name(`low${i}`)}`, sql`max(${number}) AS ${name(`high${i}`)}`];
    });
    const where = allOf([inSpan(events.when(), line.period), entity, filters]);
    const found = sql`SELECT ${join(extremes, ", ")} FROM ${events.from()} WHERE ${where}`;
    const columns = binned.map(({ bins, i }) =>
      binColumns(bins, name(`low${i}`), name(`high${i}`), { edges: name(`edges${i}`), labels: name(`labels${i}`) }),
    );
    return sql`(SELECT ${join(columns, ", ")} FROM (${found}))`;
  }
}

const binNames = (i: number) => ({ edges: name(`edges${i}`), labels: name(`labels${i}`) });

function conditionsOf(insight: Insight, { series, cohort }: Line, events: EventsTable): { entity: Sql; filters: Sql } {
  const { entity, filters } = seriesConditions(insight, series, events);
  const isMember =
    cohort === null ? TRUE : cohortMember(cohort.id, events, insight.context, "breakdownFilter.breakdown");
  return { entity, filters: allOf([filters, insightFilters(insight, events), isMember]) };
}
