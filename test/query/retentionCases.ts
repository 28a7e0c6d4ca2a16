import { expect } from "bun:test";
import { withEmbedded } from "../../src/query/hogql/embedding.ts";
import { compileTree } from "../../src/query/hogql/mod.ts";
import { actorsBehind } from "../../src/query/kinds/retention/actors.ts";
import { readRetention } from "../../src/query/kinds/retention/node.ts";
import type { RetentionItem } from "../../src/query/kinds/retention/result.ts";
import type { RetentionResponse } from "../../src/query/kinds/retention/run.ts";
import { type QueryContext, runQuery } from "../../src/query/mod.ts";
import { ParsedQuery } from "../../src/query/parsed.ts";
import { selectRows } from "../../src/query/source/statement.ts";
import type { Json, JsonObject } from "../../src/types/mod.ts";
import { DAY_MS } from "./naive/clock.ts";
import { evaluateRetention, type NaiveEntity, type NaiveRetention } from "./naive/retention.ts";
import type { World } from "./naive/world.ts";
import type { AskedRetention } from "./retentionArbitraries.ts";
import { contextOf } from "./support.ts";
import { type Place, recordsOf, worldOf } from "./trendsCases.ts";

// Asks the engine and plain loops the same, and compares.

const OTHER = "$$_posthog_breakdown_other_$$";

function rangeOf({ retentionForm: form, startDay, length }: AskedRetention, world: World): NaiveRetention["dateRange"] {
  const lastDay = new Date(world.nowMs - DAY_MS).toISOString().slice(0, 10);
  switch (form) {
    case "last":
      return length % 2 === 0 ? {} : { date_to: lastDay };
    case "exclude":
      return { excludeIncompletePeriods: true };
    case "range":
      return { date_from: startDay, date_to: lastDay };
    case "from":
      return { date_from: `-${length}d` };
    default:
      return { date_from: `${startDay}T05:30:00Z`, date_to: `${startDay}T22:15:00Z` };
  }
}

const entityNode = ({ kind, event, id, properties }: NaiveEntity) =>
  kind === "ActionsNode" ? { type: "actions", id: id!, properties } : { type: "events", id: event ?? null, properties };

const TYPES = {
  each: "retention_recurring",
  first: "retention_first_time",
  firstOfName: "retention_first_ever_occurrence",
};
const PERIODS: Record<string, string> = { hour: "Hour", day: "Day", week: "Week", month: "Month" };

export function nodeOf(query: NaiveRetention): JsonObject {
  const { summed } = query;
  const node = {
    kind: "RetentionQuery",
    dateRange: query.dateRange,
    properties: query.properties,
    filterTestAccounts: query.filterTestAccounts,
    aggregation_group_type_index: query.groupIndex,
    breakdownFilter: query.breakdown,
    retentionFilter: {
      retentionType: TYPES[query.type],
      period: PERIODS[query.interval],
      totalIntervals: query.totalIntervals,
      targetEntity: entityNode(query.target),
      returningEntity: entityNode(query.returning),
      cumulative: query.isCumulative,
      minimumOccurrences: query.minimum,
      timeWindowMode: query.areWindows ? "24_hour_windows" : "strict_calendar_dates",
      retentionCustomBrackets: query.brackets,
      ...(summed !== null && {
        aggregationType: summed.type,
        aggregationProperty: summed.property,
        aggregationPropertyType: summed.owner,
      }),
    },
  };
  return JSON.parse(JSON.stringify(node));
}

/**
 * Asks both and compares, then calls `answered`; then who is in one of the cohorts. `skip` is called for what has no right answer.
 */
export async function checkRetention(
  given: AskedRetention,
  place: (world: World) => Promise<Place>,
  skip: () => void,
  answered: () => void = () => {},
): Promise<void> {
  const world = worldOf(given);
  const query: NaiveRetention = {
    ...given,
    returning: given.returning ?? given.target,
    breakdown: given.retentionBreakdown,
    dateRange: rangeOf(given, world),
  };
  // Near the day that Apia never had, and where clocks change by half an hour, ends of ranges have no right answer.
  if (given.timezone === "Pacific/Apia" && given.startDay === "2011-12-29") skip();
  if (given.timezone === "Australia/Lord_Howe" && (given.interval === "hour" || query.areWindows)) skip();
  if (query.interval === "hour" && query.dateRange.excludeIncompletePeriods) skip();
  const { lake, teamId } = await place(world);
  const { timezone, weekStartDay, nowMs } = world;
  const context = contextOf(lake, {
    teamId,
    timezone,
    weekStartDay,
    nowMs,
    records: recordsOf(world),
    aggregateByDistinctId: world.byDistinctId,
    testAccountFilters: world.testAccountFilters as Json,
  });
  const node = nodeOf(query);
  const { results } = (await runQuery(node, context)) as RetentionResponse;
  answered();
  const isList = query.breakdown !== null && "breakdowns" in query.breakdown && query.breakdown.breakdowns.length > 1;
  const expected = evaluateRetention(query, world).flatMap(({ value, counts, sums }) =>
    counts.map((row, i) => ({
      value: value === null || isList || query.breakdown === null ? value : value[0]!,
      counts: row,
      sums: query.summed === null ? [] : sums[i]!.map(rounded),
    })),
  );
  const found = results.map(({ breakdown_value: value, values }) => ({
    value: isList ? [value].flat() : value,
    counts: values.map(({ count }) => count),
    sums: query.summed === null ? [] : values.map((cell) => rounded(cell.aggregation_value!)),
  }));
  const text = (cohort: object): string => JSON.stringify(cohort);
  expect(found.map(text)).toEqual(expected.map(text));
  if (results.length > 0) await checkPeople(node, results, given.part % results.length, context);
}

/** Sums of fractions depend on their order in the last digits. */
const rounded = (number: number): number => Number(number.toPrecision(9)) + 0;

/** The people behind a row are as many as it says, in each column. */
export async function checkPeople(
  node: JsonObject,
  results: readonly RetentionItem[],
  index: number,
  context: QueryContext,
): Promise<void> {
  const { values, breakdown_value: value, label } = results[index]!;
  if ([value].flat().includes(OTHER)) return;
  const interval = Number(label.split(" ")[1]);
  const part = { kind: "InsightActorsQuery", interval, ...(value !== null && { breakdown: value }) };
  const people = await peopleBehind(node, part, context);
  expect(new Set(people.map(([id]) => id)).size).toBe(people.length);
  expect(values.map((_, i) => people.filter(([, appearances]) => appearances.includes(i)).length)).toEqual(
    values.map(({ count }) => count),
  );
  for (const [, appearances, ...flags] of people) {
    expect(flags.flatMap((flag, i) => (flag ? [i] : []))).toEqual(appearances);
  }
}

type Person = [id: string, appearances: number[], ...flags: boolean[]];

export async function peopleBehind(node: JsonObject, part: JsonObject, context: QueryContext): Promise<Person[]> {
  const inside = new ParsedQuery(node).hogqlInside(context);
  const timed = { ...context, endsAtMs: performance.now() + 60_000 };
  return withEmbedded(inside, timed, async (parsed) => {
    const prepared: QueryContext = { ...timed, parsed };
    const { query } = await actorsBehind(readRetention(node), part, prepared);
    const { sql, span } = compileTree(query, prepared);
    const rows = await selectRows<[string, number[] | string, ...boolean[]]>(sql, { span, maxRows: 10_000 }, prepared);
    return rows.map(([id, appearances, ...flags]): Person => {
      const list = typeof appearances === "string" ? JSON.parse(appearances) : appearances;
      return [id, list.map(Number), ...flags];
    });
  });
}
