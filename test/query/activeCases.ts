import { expect } from "bun:test";
import fc from "fast-check";
import { withEmbedded } from "../../src/query/hogql/embedding.ts";
import { compileTree } from "../../src/query/hogql/mod.ts";
import type { LifecycleResponse } from "../../src/query/kinds/lifecycle/run.ts";
import type { StickinessResponse } from "../../src/query/kinds/stickiness/run.ts";
import { ParsedQuery, runQuery } from "../../src/query/mod.ts";
import type { QueryContext } from "../../src/query/source/context.ts";
import { selectRows } from "../../src/query/source/statement.ts";
import type { Json, JsonObject } from "../../src/types/mod.ts";
import { HOGQL_VALUES } from "./naive/hogql.ts";
import { evaluateLifecycle, type NaiveLifecycle } from "./naive/lifecycle.ts";
import type { NaiveSeries } from "./naive/math.ts";
import { evaluateStickiness, type NaiveStickiness } from "./naive/stickiness.ts";
import type { World } from "./naive/world.ts";
import { contextOf } from "./support.ts";
import { type Asked, asked, DAY_MS, HOUR_MS } from "./trendsArbitraries.ts";
import { type Place, rangeOf, recordsOf, worldOf } from "./trendsCases.ts";

// Asks the engine and plain loops for stickiness and lifecycles, and compares; with the actors behind some numbers.

const of = <T>(...values: T[]): fc.Arbitrary<T> => fc.constantFrom(...values);

const extras = fc.record({
  /** By turns, whether an event is personless. */
  personless: fc.oneof(fc.constant([false]), fc.array(fc.boolean(), { minLength: 1, maxLength: 5 })),
  /** By turns, the event with which a person or a group was made. */
  made: fc.array(fc.nat(50), { minLength: 1, maxLength: 4 }),
  /** Nothing but days is asked for. */
  isPlain: fc.boolean(),
  /** Two people do everything, at a few times. */
  isSmall: fc.boolean(),
  places: fc.array(fc.nat(200), { minLength: 1, maxLength: 2 }),
  math: of<Partial<NaiveSeries>>(
    { math: "total" },
    { math: "dau" },
    { math: "unique_group", math_group_type_index: 0 },
    ...[...HOGQL_VALUES.keys()].map((text) => ({ math: "hogql", math_hogql: text })),
  ),
  intervalCount: fc.option(of(1, 2, 3, 7), { nil: null, freq: 2 }),
  computedAs: of<"cumulative" | "non_cumulative">("cumulative", "non_cumulative"),
  criteria: fc.option(fc.record({ operator: of<"gte" | "lte" | "exact">("gte", "lte", "exact"), value: of(1, 2, 3) }), {
    freq: 2,
  }),
});

/** Fields of a trend, of which these kinds take some, and what is theirs alone. */
export const activeAsked = fc.tuple(asked, extras).map(([given, more]) => ({ given, more }));
export type ActiveAsked = typeof activeAsked extends fc.Arbitrary<infer T> ? T : never;

function makeWorld({ given, more }: ActiveAsked): { world: World; common: CommonMembers } {
  const base = Date.parse(`${given.startDay}T00:00:00Z`);
  const turn = <T>(list: readonly T[], i: number): T => list[i % list.length]!;
  const madeAtMs = (i: number): number => {
    const event = given.events[turn(more.made, i)];
    if (event === undefined) return base;
    return base + (more.isSmall ? smallOf(event, given.interval) : event).offsetMs;
  };
  const events = given.events.map((event, i) => ({
    ...event,
    ...(more.isSmall && smallOf(event, given.interval)),
    personMode: turn(more.personless, i) ? 1 : 0,
  }));
  const persons = given.persons.map((person, i) => ({ ...person, createdAtMs: madeAtMs(i) }));
  const groups = given.groups.map((group, i) => ({ ...group, createdAtMs: madeAtMs(i + 1) }));
  const plain = more.isPlain && { properties: [], filterTestAccounts: false, groupIndex: null, byDistinctId: false };
  const asked: Asked = { ...given, ...plain, events, persons, groups };
  const world = worldOf(asked);
  const series = asked.series.map((one) => ({ ...one, properties: more.isPlain ? [] : one.properties }));
  const { interval, properties, filterTestAccounts, groupIndex } = asked;
  const dateRange = rangeOf(asked, world);
  const rest = { interval, properties, filterTestAccounts, aggregation_group_type_index: groupIndex };
  return { world, common: { ...rest, dateRange, series } };
}

/** The same event as one of a small world. */
function smallOf({ distinctId, offsetMs }: Asked["events"][number], interval: string) {
  const stepMs = interval === "hour" || interval === "minute" ? HOUR_MS : DAY_MS;
  const step = Math.abs(Math.floor(offsetMs / HOUR_MS)) % 6;
  return {
    distinctId: distinctId === "p1" || distinctId === "p2" ? "p1" : "p3",
    offsetMs: 12 * HOUR_MS + step * stepMs,
  };
}

type CommonMembers = Omit<NaiveLifecycle, "series"> & { series: NaiveSeries[] };

const contextIn = ({ lake, teamId }: Place, world: World): QueryContext =>
  contextOf(lake, {
    teamId,
    timezone: world.timezone,
    weekStartDay: world.weekStartDay,
    nowMs: world.nowMs,
    records: recordsOf(world),
    aggregateByDistinctId: world.byDistinctId,
    testAccountFilters: world.testAccountFilters as Json,
  });

/** How many are behind a part of an answer; each must be there once. */
export async function countBehind(node: JsonObject, part: JsonObject, context: QueryContext): Promise<number> {
  const parsed = new ParsedQuery(node);
  return withEmbedded(parsed.hogqlInside(context), context, async (parsedText) => {
    const prepared = { ...context, parsed: parsedText };
    const { query } = await parsed.query.actors!.behind({ source: node, ...part }, prepared);
    const { sql, span } = compileTree(query, prepared);
    const rows = await selectRows<[string | null]>(sql, { span, maxRows: 10_000 }, prepared);
    const ids = rows.map(([id]) => id);
    expect(ids).not.toContain(null);
    expect(new Set(ids).size).toBe(ids.length);
    return ids.length;
  });
}

/** Whether there is a right answer: not near the day that Apia never had. */
export const hasAnswer = ({ given }: ActiveAsked): boolean =>
  given.timezone !== "Pacific/Apia" || given.startDay !== "2011-12-29";

const json = (value: unknown): JsonObject => JSON.parse(JSON.stringify(value));

export async function checkLifecycle(asked: ActiveAsked, place: (world: World) => Promise<Place>): Promise<void> {
  const { world, common } = makeWorld(asked);
  const query: NaiveLifecycle = { ...common, series: [{ ...common.series[0]!, math: "dau" }] };
  const { math_property: _, math_property_type: __, math_hogql: ___, ...series } = query.series[0];
  const node = json({ kind: "LifecycleQuery", ...query, series: [series] });
  const context = contextIn(await place(world), world);
  const { results } = (await runQuery(node, context)) as LifecycleResponse;
  const { days, actors } = evaluateLifecycle(query, world);
  for (const { status, data, days: found, count } of results) {
    const isDormant = status === "dormant";
    expect(found).toEqual(days);
    expect([status, data]).toEqual([status, actors[status].map(({ size }) => (isDormant ? 0 - size : size) + 0)]);
    expect(count).toBe(data.reduce((sum, value) => sum + value, 0));
  }
  expect(results.map(({ status }) => status)).toEqual(["new", "returning", "resurrecting", "dormant"]);
  const places = results.flatMap(({ status, data }) => data.map((value, i) => ({ status, value, day: days[i]! })));
  for (const number of places.length === 0 ? [] : asked.more.places) {
    const { status, value, day } = places[number % places.length]!;
    // The name of an hour that is told twice means the first of them.
    if (days.filter((one) => one === day).length > 1) continue;
    const part = { kind: "InsightActorsQuery", day, status };
    expect([day, status, await countBehind(node, part, context)]).toEqual([day, status, Math.abs(value)]);
  }
  const everyone = new Set(Object.values(actors).flatMap((sets) => sets.flatMap((set) => [...set])));
  if (days.length > 0 && asked.more.isPlain)
    expect(await countBehind(node, { kind: "InsightActorsQuery" }, context)).toBe(everyone.size);
}

export async function checkStickiness(asked: ActiveAsked, place: (world: World) => Promise<Place>): Promise<void> {
  const { world, common } = makeWorld(asked);
  const { more, given } = asked;
  const series = common.series.map(({ math_property: _, math_property_type: __, math_hogql: ___, ...one }, i) => ({
    ...one,
    ...(i === 0 || more.isPlain ? { math: "dau" } : more.math),
  })) as NaiveSeries[];
  const query: NaiveStickiness = {
    ...common,
    series,
    intervalCount: more.intervalCount,
    compareFilter: given.compare,
    stickinessFilter: {
      computedAs: more.computedAs,
      ...(more.criteria !== null && { stickinessCriteria: more.criteria }),
    },
  };
  const node = json({ kind: "StickinessQuery", ...query });
  const context = contextIn(await place(world), world);
  const { results } = (await runQuery(node, context)) as StickinessResponse;
  const expected = evaluateStickiness(query, world);
  const found = results.map(({ action, compare_label: period = "current", data, count }) => {
    return { order: action.order as number, period, data, count };
  });
  expect(found).toEqual(
    expected.map(({ order, period, bars, count }) => ({ order, period, data: bars.map(({ size }) => size), count })),
  );
  for (const { days, labels, data } of results) {
    expect(days).toEqual(data.map((_, i) => i + 1));
    expect(labels).toHaveLength(data.length);
  }
  const places = expected.flatMap(({ order, period, bars }) =>
    bars.map(({ size }, i) => ({ order, period, size, day: i + 1 })),
  );
  for (const number of places.length === 0 ? [] : more.places) {
    const { order, period, size, day } = places[number % places.length]!;
    const part = { kind: "StickinessActorsQuery", day, series: order, compare: period };
    expect([day, await countBehind(node, part, context)]).toEqual([day, size]);
  }
}
