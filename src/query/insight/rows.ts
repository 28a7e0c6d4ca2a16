import { alias, and, call, compare, constant, field, from, joined, select, withQuery } from "../hogql/syntax/build.ts";
import type { Cte, Expression, Join, Query, Select } from "../hogql/syntax/tree.ts";
import type { QueryContext } from "../source/context.ts";
import { bucketOf, inSpan, type Past } from "./axis.ts";
import { binsOf, keyOf } from "./breakdowns.ts";
import { type Actors, actorsOf, type Insight } from "./insight.ts";
import { type Line, lineConditions } from "./lines.ts";

export const [TIMESTAMP, BUCKET, VALUE, ACTOR] = ["timestamp", "bucket", "value", "actor"].map((one) => field(one)) as [
  Expression,
  Expression,
  Expression,
  Expression,
];

/** How an insight reads events: a SELECT over them, with the columns `k0`, `k1`, … of the breakdown where there is one. */
export class EventRows {
  /** The columns of the breakdown. */
  readonly keys: Expression[];
  /** What they get. */
  readonly keyValues: Expression[];
  /** The WITH of a query over the rows. */
  ctes: Cte[] = [];
  protected table: Join = from("events");
  private readonly parts: Parameters<typeof binsOf>[0];

  constructor({ breakdown, context }: Insight) {
    this.parts = breakdown?.kind === "properties" ? breakdown.parts : [];
    this.keys = this.parts.map((_, i) => field(`k${i}`));
    this.keyValues = this.parts.map((part, i) => keyOf(part, i, context));
  }

  /** Makes the bins of the breakdown, if it has any, of the numbers of the events that meet a condition. */
  protected bin(where: Expression | null, context: QueryContext): void {
    const bins = binsOf(this.parts, { select_from: from("events"), where }, context);
    if (bins === null) return;
    this.ctes = [withQuery("bins", bins)];
    this.table = from("events", undefined, joined("bins"));
  }

  /** The columns of the breakdown with their values. */
  namedKeys(values: readonly Expression[] = this.keyValues): Expression[] {
    return values.map((value, i) => alias(`k${i}`, value));
  }

  /** A SELECT over the events, a row for each of `by`; where that is empty, for each event. */
  select(columns: Expression[], where: Expression | null, by: Expression[], having: Expression | null = null): Select {
    return select(columns, { select_from: this.table, where, group_by: by.length === 0 ? null : by, having });
  }
}

/** How the events of one line are read. */
export class LineRows extends EventRows {
  /** The events that are meant, whatever the filters say. */
  readonly entity: Expression[];
  readonly filters: Expression[];
  readonly actors: Actors;

  constructor(
    readonly insight: Insight,
    readonly line: Line,
    /** The time whose numbers make the bins of a breakdown. */
    binned: Past = line.period,
  ) {
    super(insight);
    const { math } = line.series;
    const { entity, filters } = lineConditions(insight, line);
    this.entity = entity;
    this.filters = filters;
    this.actors = actorsOf(insight, math.kind === "groups" ? math.index : null);
    this.bin(this.within(binned), insight.context);
  }

  /** The column `bucket` of a time. */
  bucket(time: Expression = TIMESTAMP): Expression {
    return alias("bucket", bucketOf(this.line.period, time));
  }

  /** The bucket as a key of GROUP BY; none for a total. */
  get byBucket(): Expression[] {
    return this.line.period.buckets === null ? [] : [BUCKET];
  }

  /** The condition on events that are meant and meet the filters, and `more`. */
  within(span: Past, more: readonly Expression[] = []): Expression | null {
    return and([...inSpan(TIMESTAMP, span, this.insight.context), ...this.entity, ...this.filters, ...more]);
  }

  /** An aggregate of each cell over rows that have `keys`, and `bucket`. */
  cells(of: Join, columns: Expression[], value: Expression, where: Expression | null = null): Query {
    const isTotal = this.keys.length === 0 && this.line.period.buckets === null;
    return select([...columns, alias("value", value)], {
      select_from: of,
      where,
      group_by: [...this.keys, ...this.byBucket],
      // Without GROUP BY there is a row even of nothing.
      having: isTotal ? compare(call("count"), ">", constant(0)) : null,
    });
  }

  /** An aggregate of the events of each cell. */
  ofEvents(value: Expression, span: Past = this.line.period, more: readonly Expression[] = []): Query {
    return this.cells(this.table, [...this.namedKeys(), this.bucket()], value, this.within(span, more));
  }
}
