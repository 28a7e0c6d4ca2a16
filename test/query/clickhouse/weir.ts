import { type HogqlResponse, NO_RECORDS } from "../../../src/query/mod.ts";
import { MemoryLake, type TestEvent } from "../../support/memoryLake.ts";
import { hogql } from "../support.ts";
import type { Call, Case, RowsCase } from "./cases.ts";
import { SETS } from "./rows.ts";

/** What Weir answers, or why it does not. */
export type Answer = { is: unknown } | { error: string };

const NOW = Date.parse("2024-07-01T00:00:00Z");
/** Expressions that are asked at once. */
const AT_ONCE = 25;

/** An event for each call of a case, in order, whose properties are the arguments. */
const eventsOf = ({ calls }: Case, event: string): TestEvent[] =>
  calls.map(({ args }, i) => {
    const properties = args.flatMap(({ property }, at) => (property === undefined ? [] : [[`p${at}`, property]]));
    return { event, distinctId: "d", timestampMs: NOW - 100_000 + i, properties: Object.fromEntries(properties) };
  });

const rowsOf = (set: string): TestEvent[] =>
  SETS[set]!.map((row) => ({ event: set, distinctId: "d", timestampMs: NOW - 1000, properties: row }));

/** Answers HogQL, over events whose properties are the arguments of cases. */
export class Weir {
  private readonly places: ReadonlyMap<Case, string>;

  private constructor(
    private readonly lake: MemoryLake,
    all: readonly Case[],
  ) {
    this.places = new Map(all.map((one, i) => [one, `case ${i}`]));
  }

  static async open(all: readonly Case[]): Promise<Weir> {
    const events = all.flatMap((one, i) => (one.columns === null ? [] : eventsOf(one, `case ${i}`)));
    return new Weir(await MemoryLake.open([...events, ...Object.keys(SETS).flatMap(rowsOf)]), all);
  }

  /** Each call with its arguments written out. */
  async literals(calls: readonly Call[], zone: string): Promise<Answer[]> {
    const answers: Answer[] = [];
    for (let i = 0; i < calls.length; i += AT_ONCE) {
      const texts = calls.slice(i, i + AT_ONCE).map((call) => call.hogql);
      answers.push(...(await this.together(texts, zone)));
    }
    return answers;
  }

  private async together(expressions: readonly string[], zone: string): Promise<Answer[]> {
    try {
      const { results } = await this.ask(`select ${expressions.map((one, i) => `${one} as c${i}`).join(", ")}`, zone);
      return (results[0] as unknown[]).map((is) => ({ is }));
    } catch (error) {
      if (expressions.length === 1) return [{ error: String(error) }];
      const half = expressions.length >> 1;
      const first = await this.together(expressions.slice(0, half), zone);
      return [...first, ...(await this.together(expressions.slice(half), zone))];
    }
  }

  /** The calls of a case with columns as arguments, a row each; `places` are those of the calls that are asked for. */
  async columns(one: Case, places: readonly number[]): Promise<Answer[]> {
    const args = one.columns!.map((column, i) => (typeof column === "function" ? column(`properties.p${i}`) : column));
    const call = `${one.name}(${args.join(", ")})`;
    const times = places.map((i) => NOW - 100_000 + i).join(", ");
    try {
      const { results } = await this.ask(
        `select ${call} as c from events where event = '${this.places.get(one)}'
          and toUnixTimestamp64Milli(timestamp) in (${times}) order by timestamp`,
        one.zone,
      );
      return results.map((row) => ({ is: (row as unknown[])[0] }));
    } catch (error) {
      return places.map(() => ({ error: `${call}: ${error}` }));
    }
  }

  /** An aggregate, or a window function row by row. */
  async rows({ set, expression, isWindow }: RowsCase): Promise<Answer> {
    const rows = `select toInt(properties.i) as i, toInt(properties.x) as x, toFloat(properties.y) as y, properties.s as s
      from events where event = '${set}'`;
    try {
      const { results } = await this.ask(
        `select ${expression} as c from (${rows}) ${isWindow ? "order by i" : ""}`,
        "UTC",
      );
      return { is: results.map((row) => (row as unknown[])[0]) };
    } catch (error) {
      return { error: String(error) };
    }
  }

  private ask(query: string, timezone: string): Promise<HogqlResponse> {
    return hogql(this.lake, query, { timezone, nowMs: NOW, records: NO_RECORDS });
  }

  close(): Promise<void> {
    return this.lake.close();
  }
}

const TIME = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d+))?(Z|[+-]\d\d:\d\d)$/;

/** A value as it is compared: instants whatever their zone, numbers to twelve digits, TRUE as 1, large integers as numbers. */
export function comparable(value: unknown): unknown {
  if (typeof value === "boolean") return Number(value);
  if (typeof value === "number") return value === 0 ? 0 : Number(value.toPrecision(12));
  if (Array.isArray(value)) return value.map(comparable);
  if (typeof value === "string") {
    if (/^-?\d{16,20}$/.test(value)) return comparable(Number(value));
    const [, whole, fraction = "", zone] = TIME.exec(value) ?? [];
    return whole === undefined ? value : `${Date.parse(whole + zone)}.${fraction.padEnd(6, "0")}`;
  }
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, one]) => [key, comparable(one)]));
}
