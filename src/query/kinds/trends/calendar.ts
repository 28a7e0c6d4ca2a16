import type { QueryContext } from "../../source/context.ts";
import type { TrendsQuery } from "./node.ts";
import type { TrendsItem, TrendsResponse } from "./result.ts";

const DISPLAY = "CalendarHeatmap";
const WEEKDAY = "toDayOfWeek(timestamp)";
const HOUR = "toHour(timestamp)";
const CELLS = 7 * 24;

/** Whether an answer has the numbers of weekdays and hours. */
export const isCalendar = (query: TrendsQuery): boolean => query.trendsFilter?.display === DISPLAY;

/**
 * Answers a calendar by the same question in four ways: as it is, by weekdays, by hours, and by both. As PostHog has it,
 * the first series counts alone, without breakdowns, comparison and formulas. `hogql` is that of the cells.
 */
export async function runCalendar(
  query: TrendsQuery,
  context: QueryContext,
  run: (query: TrendsQuery, context: QueryContext) => Promise<TrendsResponse>,
): Promise<TrendsResponse> {
  const whole: TrendsQuery = {
    ...query,
    series: query.series.slice(0, 1),
    breakdownFilter: null,
    compareFilter: null,
    trendsFilter: { display: DISPLAY },
  };
  const by = (...expressions: string[]) => {
    const breakdowns = expressions.map((property) => ({ type: "hogql" as const, property }));
    return run({ ...whole, breakdownFilter: { breakdowns, breakdown_limit: CELLS } }, context);
  };
  const total = await run(whole, context);
  const [rows, columns, cells] = [await by(WEEKDAY), await by(HOUR), await by(WEEKDAY, HOUR)];
  const results = total.results.map((item) => ({
    ...item,
    count: numberOf(item),
    calendar_heatmap_data: {
      data: cells.results.map((cell) => ({
        row: placesOf(cell)[0]!,
        column: placesOf(cell)[1]!,
        value: numberOf(cell),
      })),
      rowAggregations: rows.results.map((cell) => ({ row: placesOf(cell)[0]!, value: numberOf(cell) })),
      columnAggregations: columns.results.map((cell) => ({ column: placesOf(cell)[0]!, value: numberOf(cell) })),
      allAggregations: numberOf(item),
    },
  }));
  return { ...total, hogql: cells.hogql, results };
}

const placesOf = ({ breakdown_value: value }: TrendsItem): number[] => [value ?? []].flat().map(Number);
const numberOf = ({ aggregated_value: value }: TrendsItem): number => value ?? 0;
