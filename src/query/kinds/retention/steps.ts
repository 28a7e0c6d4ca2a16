import { arithmetic, call, compare, constant, embedded, field, list } from "../../hogql/syntax/build.ts";
import type { Expression } from "../../hogql/syntax/tree.ts";
import type { EventsTable } from "../../source/events.ts";
import { integer, type Sql, sql } from "../../sql/sql.ts";
import { bucketIndex } from "../../time/buckets.ts";

/** Steps of unequal length, and more of them than these, have no readable text. */
const MAX_SHOWN = 100;

/** Steps of time one after the other, numbered from 0: which of them an event lies in. */
export class Steps {
  /** The number of the step of an event that lies in some. */
  readonly number: Expression;
  /** The same of any event before the end: -1 of one before the first step. */
  readonly numberOrBefore: Expression;
  /** The step as a bit, the first one the lowest; for at most 62 steps. */
  readonly bit: Expression;

  /** `edgesMs`: where each begins, and the last one ends. `areDays`: so that the day of an event tells its step. */
  constructor(
    readonly edgesMs: number[],
    private readonly areDays: boolean,
  ) {
    const shown = this.shown();
    const [firstMs = 0] = edgesMs;
    const seconds = call("toUnixTimestamp", field("timestamp"));
    const orBefore =
      shown && call("if", compare(seconds, "<", constant(Math.floor(firstMs / 1000))), constant(-1), shown);
    this.number = embedded("int", shown, (events) => this.index(events));
    this.numberOrBefore = embedded("int", orBefore, (events) => {
      return sql`CASE WHEN epoch_ms(${this.time(events)}) < ${integer(firstMs)} THEN -1 ELSE ${this.index(events)} END`;
    });
    this.bit = embedded("int", shown && call("bitShiftLeft", constant(1), shown), (events) => {
      return sql`(CAST(1 AS BIGINT) << ${this.index(events)})`;
    });
  }

  get count(): number {
    return Math.max(this.edgesMs.length - 1, 0);
  }

  private time(events: EventsTable): Sql {
    return this.areDays ? events.when() : events.column("timestamp");
  }

  private index(events: EventsTable): Sql {
    return bucketIndex(this.time(events), this);
  }

  /** The number as HogQL; null where that is too long. */
  private shown(): Expression | null {
    const seconds = call("toUnixTimestamp", field("timestamp"));
    const edges = this.edgesMs.map((ms) => Math.floor(ms / 1000));
    const [first = 0, second = 1] = edges;
    const step = second - first;
    if (edges.every((edge, i) => edge === first + i * step)) {
      return call("intDiv", arithmetic(seconds, "-", constant(first)), constant(step));
    }
    if (edges.length > MAX_SHOWN) return null;
    const hasBegun: Expression = {
      node: "Lambda",
      args: ["edge"],
      expr: compare(field("edge"), "<=", seconds),
    };
    return arithmetic(call("arrayCount", hasBegun, list(...edges.map(constant))), "-", constant(1));
  }
}
