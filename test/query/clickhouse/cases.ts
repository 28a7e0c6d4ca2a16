import { CALLS } from "./calls.ts";
import { AGGREGATES, SETS, WINDOWS } from "./rows.ts";
import { type Argument, KINDS, times, ZONES } from "./values.ts";

/** One way to call a function in a zone, with all arguments that are tried. */
export interface Case {
  name: string;
  zone: string;
  calls: Call[];
  /** Of each argument how it is read out of a property; null where one is none. */
  columns: (((property: string) => string) | string)[] | null;
}

export interface Call {
  hogql: string;
  clickhouse: string;
  args: Argument[];
}

/** The most calls of one way; of one with times, which is asked in every zone, in each of them. */
const MOST = 12;
const MOST_OF_TIMES = 5;

/** All lists of arguments, thinned out evenly where they are too many. */
function combined(lists: readonly (readonly Argument[])[], most: number): Argument[][] {
  if (lists.length === 1) return lists[0]!.map((argument) => [argument]);
  const all = lists.reduce<Argument[][]>(
    (rows, list) => rows.flatMap((row) => list.map((argument) => [...row, argument])),
    [[]],
  );
  if (all.length <= most) return all;
  // A step that shares no factor with the number meets all of them in a mixed order.
  const step = [17, 19, 23, 29].find((prime) => all.length % prime !== 0)!;
  return Array.from({ length: most }, (_, i) => all[(i * step * 7) % all.length]!);
}

/** `time` is asked in every zone, `instant` in those two that most others are like. */
const isTime = (kind: string): boolean => kind === "time" || kind === "instant";

function zonesOf(way: readonly string[]): readonly string[] {
  if (way.includes("time")) return Object.keys(ZONES);
  if (way.includes("instant")) return ["UTC", "Europe/Berlin"];
  return way.includes("timeText") ? ["Europe/Berlin"] : ["UTC"];
}

function caseOf(name: string, way: readonly string[], zone: string, print?: (...args: string[]) => string): Case {
  const kinds = way.map((one) => {
    if (one.startsWith("="))
      return { values: [{ hogql: one.slice(1), clickhouse: one.slice(1) }], column: one.slice(1) };
    const kind = isTime(one) ? times(zone) : KINDS[one];
    if (kind === undefined) throw new Error(`${name}: there is no kind ${one}`);
    return { values: kind.values, column: kind.column };
  });
  const most = way.some(isTime) ? MOST_OF_TIMES : MOST;
  const calls = combined(
    kinds.map((kind) => kind.values),
    most,
  ).map((args): Call => {
    const [hogql, clickhouse] = [args.map((one) => one.hogql), args.map((one) => one.clickhouse)];
    return {
      args,
      hogql: `${name}(${hogql.join(", ")})`,
      clickhouse: print === undefined ? `${name}(${clickhouse.join(", ")})` : print(...clickhouse),
    };
  });
  const columns = kinds.map((kind) => kind.column);
  const isColumn = kinds.some((kind) => typeof kind.column === "function") && columns.every((one) => one !== undefined);
  return { name, zone, calls, columns: isColumn ? columns : null };
}

/** Every way to call every function; what a clock changes in each zone. */
export function cases(): Case[] {
  return [...CALLS].flatMap(([name, all]) =>
    all.flatMap(({ ways, print }) =>
      ways.flatMap((way) => {
        return zonesOf(way).map((zone) => caseOf(name, way, zone, print));
      }),
    ),
  );
}

export interface RowsCase {
  set: string;
  expression: string;
  isWindow: boolean;
}

/** Aggregates and window functions over each set of rows. */
export function rowsCases(): RowsCase[] {
  return Object.keys(SETS).flatMap((set) => [
    ...AGGREGATES.map((expression) => ({ set, expression, isWindow: false })),
    ...WINDOWS.map((expression) => ({ set, expression, isWindow: true })),
  ]);
}
