import { DAY_MS } from "../../types/mod.ts";
import {
  alias,
  and,
  arithmetic,
  call,
  compare,
  constant,
  field,
  from,
  list,
  orderBy,
  over,
  select,
  unionAll,
  withQuery,
} from "../hogql/syntax/build.ts";
import type { Cte, Expression, Join, Query } from "../hogql/syntax/tree.ts";
import type { Buckets } from "../time/buckets.ts";
import { back } from "../time/dates.ts";
import { ACTOR, type LineRows, TIMESTAMP, VALUE } from "./rows.ts";

// For each bucket the actors of its day and of the days before it. An actor counts from a day on which something was done
// until the window has passed or the next such day comes: one row for each (actor, day), however long the window.

const [DAY, UNTIL] = [field("day"), field("until")];

/** How many actors each bucket has: rows of the columns of the breakdown, `bucket`, which is a day, and `value`. */
export function activeCounts(rows: LineRows, days: number): Query {
  const { keys } = rows;
  const axis = new DayAxis(rows, days);
  const change = (at: Expression, delta: number, of: Join) =>
    select([...keys, alias("day", at), alias("delta", constant(delta))], { select_from: of });
  const values = select(keys, { distinct: true, select_from: from("spans") });
  const changes = unionAll([
    change(DAY, 1, from("spans")),
    change(UNTIL, -1, from("spans")),
    change(
      field("at"),
      0,
      keys.length === 0 ? axis.rows : from(values, undefined, { ...axis.rows, join_type: "CROSS JOIN" }),
    ),
  ]);
  const sums = select([...keys, DAY, alias("delta", call("sum", field("delta")))], {
    select_from: from(changes),
    group_by: [...keys, DAY],
  });
  const running = over("sum", [field("delta")], { partition_by: keys, order_by: [orderBy(DAY)] });
  const levels = select([...keys, DAY, alias("value", running)], { select_from: from(sums) });
  return select([...keys, axis.bucket(DAY), VALUE], {
    ctes: [withSpans(rows, axis)],
    select_from: from(levels),
    where: and([...axis.isShown(DAY), compare(VALUE, ">", constant(0))]),
  });
}

/** `spans`, in which an actor counts from `day` to before `until`. */
function withSpans(rows: LineRows, axis: DayAxis): Cte {
  const { keys, line, actors } = rows;
  const span = { fromMs: axis.fromMs, toMs: line.period.toMs };
  const seen = rows.select(
    [...rows.namedKeys(), alias("day", axis.number(TIMESTAMP)), alias("actor", actors.key)],
    rows.within(span, actors.isOne),
    [...keys, DAY, ACTOR],
  );
  const next = over("lead", [DAY, constant(1), constant(axis.end)], {
    partition_by: [...keys, ACTOR],
    order_by: [orderBy(DAY)],
  });
  const until = call("least", next, arithmetic(DAY, "+", constant(axis.days)));
  return withQuery("spans", select([...keys, DAY, alias("until", until)], { select_from: from(seen) }));
}

/** The days of a window, numbered from the first one that any bucket looks back to. */
class DayAxis {
  /** A table of the numbers of the days that are shown, `at`. */
  readonly rows: Join;
  /** No window reaches so far. */
  readonly end: number;
  readonly fromMs: number;
  private readonly first: Temporal.PlainDate;
  private readonly buckets: Buckets;
  private readonly numbers: number[];

  constructor(
    rows: LineRows,
    readonly days: number,
  ) {
    const { range } = rows.line.period;
    this.buckets = rows.line.period.buckets!;
    const first = back((this.buckets.starts[0] ?? range.from).startOfDay(), "d", days - 1);
    this.fromMs = first.epochMilliseconds;
    this.first = first.toPlainDate();
    const firstMs = Date.parse(this.first.toString());
    this.numbers = [...new Set(this.buckets.days.map((day) => (Date.parse(day.slice(0, 10)) - firstMs) / DAY_MS))];
    this.end = this.first.until(range.to.toPlainDate()).days + 1 + days;
    const [low = 0] = this.numbers;
    const all = select([alias("at", field("number"))], {
      select_from: { ...from("numbers"), table_args: [constant(low), constant(this.numbers.length)] },
    });
    const some = select([alias("at", call("arrayJoin", list(...this.numbers.map(constant))))], {});
    this.rows = from(this.isWhole ? all : some, "axis");
  }

  /** Whether every day is shown from the first one on. */
  private get isWhole(): boolean {
    const { numbers } = this;
    return numbers.length === 0 || numbers.at(-1)! - numbers[0]! === numbers.length - 1;
  }

  /** The conditions that the day of a number is shown. */
  isShown(number: Expression): Expression[] {
    const [low = 0, high = -1] = [this.numbers[0], this.numbers.at(-1)];
    if (!this.isWhole) return [compare(number, "in", { node: "Tuple", exprs: this.numbers.map(constant) })];
    return [compare(number, ">=", constant(low)), compare(number, "<=", constant(high))];
  }

  /** The number of a time's day. */
  number(time: Expression): Expression {
    return call("dateDiff", constant("day"), this.start, call("toDate", time));
  }

  /** The column `bucket` of the number of a day. */
  bucket(number: Expression): Expression {
    return alias("bucket", call("addDays", this.start, number));
  }

  private get start(): Expression {
    return call("toDate", constant(this.first.toString()));
  }
}
