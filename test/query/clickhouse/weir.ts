import { runTree } from "../../../src/query/hogql/mod.ts";
import type { HogqlResponse } from "../../../src/query/mod.ts";
import type { Json } from "../../../src/types/mod.ts";
import { MemoryLake, type TestEvent } from "../../support/memoryLake.ts";
import { NO_RECORDS } from "../../support/noRecords.ts";
import { contextOf, hogql } from "../support.ts";
import { CallTrees, type NamedCall } from "./callTrees.ts";
import type { Case, RowsCase } from "./cases.ts";
import { SETS } from "./rows.ts";

/** What Weir answers, or why it does not. */
export type Answer = { is: unknown } | { error: string };

const NOW = Date.parse("2024-07-01T00:00:00Z");
/** Expressions that are asked at once. */
const AT_ONCE = 25;

/** An event for each of the calls of a case that are asked for, in order, whose properties are the arguments. */
const eventsOf = ({ calls }: Case, asked: readonly number[], event: string): TestEvent[] =>
  asked.map((place) => {
    const properties = calls[place]!.args.flatMap(({ property }, at) =>
      property === undefined ? [] : [[`p${at}`, property]],
    );
    return { event, distinctId: "d", timestampMs: NOW - 100_000 + place, properties: Object.fromEntries(properties) };
  });

const rowsOf = (set: string): TestEvent[] =>
  SETS[set]!.map((row) => ({ event: set, distinctId: "d", timestampMs: NOW - 1000, properties: row }));

/** A way to call a function, and the places of those of its calls that are asked for. */
export interface AskedCase {
  one: Case;
  asked: readonly number[];
}

/** Answers HogQL, over events whose properties are the arguments of cases. */
export class Weir {
  private readonly trees = new CallTrees();
  private readonly events: ReadonlyMap<Case, string>;

  private constructor(
    private readonly lake: MemoryLake,
    all: readonly AskedCase[],
  ) {
    this.events = new Map(all.map(({ one }, i) => [one, `case ${i}`]));
  }

  static async open(all: readonly AskedCase[]): Promise<Weir> {
    const events = all.flatMap(({ one, asked }, i) => (one.columns === null ? [] : eventsOf(one, asked, `case ${i}`)));
    return new Weir(await MemoryLake.open([...events, ...Object.keys(SETS).flatMap(rowsOf)]), all);
  }

  /** Each call that is asked for with its arguments written out. */
  async literals({ one, asked }: AskedCase): Promise<Answer[]> {
    const answers: Answer[] = [];
    for (let i = 0; i < asked.length; i += AT_ONCE) {
      const calls = asked.slice(i, i + AT_ONCE).map((place) => ({ ...one.calls[place]!, name: one.name }));
      answers.push(...(await this.together(calls, one.zone)));
    }
    return answers;
  }

  private async together(calls: readonly NamedCall[], timezone: string): Promise<Answer[]> {
    try {
      const tree = await this.trees.selectOf(calls);
      const context = contextOf(this.lake, { timezone, nowMs: NOW, records: NO_RECORDS });
      const { results } = await runTree({ tree, placeholders: new Map() }, context);
      return (results[0] as unknown[]).map((is) => ({ is }));
    } catch (error) {
      if (calls.length === 1) return [{ error: String(error) }];
      const half = calls.length >> 1;
      const first = await this.together(calls.slice(0, half), timezone);
      return [...first, ...(await this.together(calls.slice(half), timezone))];
    }
  }

  /** The calls that are asked for with columns as arguments, a row each. */
  async columns({ one, asked }: AskedCase): Promise<Answer[]> {
    const args = one.columns!.map((column, i) => (typeof column === "function" ? column(`properties.p${i}`) : column));
    const call = `${one.name}(${args.join(", ")})`;
    try {
      // The text is the same in all zones, so it is parsed once.
      const text = `select ${call} as c from events where event = {event} order by timestamp`;
      const { results } = await this.ask(text, one.zone, { event: this.events.get(one)! });
      return results.map((row) => ({ is: (row as unknown[])[0] }));
    } catch (error) {
      return asked.map(() => ({ error: `${call}: ${error}` }));
    }
  }

  /** An aggregate, or a window function row by row. */
  async rows({ set, expression, isWindow }: RowsCase): Promise<Answer> {
    const rows = `select toInt(properties.i) as i, toInt(properties.x) as x, toFloat(properties.y) as y, properties.s as s
      from events where event = {event}`;
    try {
      const { results } = await this.ask(
        `select ${expression} as c from (${rows}) ${isWindow ? "order by i" : ""}`,
        "UTC",
        { event: set },
      );
      return { is: results.map((row) => (row as unknown[])[0]) };
    } catch (error) {
      return { error: String(error) };
    }
  }

  private ask(query: string, timezone: string, values: { [key: string]: Json }): Promise<HogqlResponse> {
    return hogql(this.lake, query, { timezone, nowMs: NOW, records: NO_RECORDS }, { values });
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
