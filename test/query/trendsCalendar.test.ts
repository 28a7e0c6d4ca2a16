import { afterAll, beforeAll, expect, test } from "bun:test";
import { MemoryLake } from "../support/memoryLake.ts";
import { trends } from "./support.ts";

const HOUR_MS = 3_600_000;
/** Weeks around a change of the clock. */
const START = Date.UTC(2025, 9, 20);
const NOW = START + 28 * 24 * HOUR_MS;
const WEEKDAYS = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];

const events = Array.from({ length: 400 }, (_, i) => ({
  event: i % 9 === 0 ? "other" : "view",
  distinctId: `person ${(i * i) % 7}`,
  timestampMs: START + ((i * 7919) % (26 * 24 * 60)) * 60_000,
}));
let lake: MemoryLake;
beforeAll(async () => {
  lake = await MemoryLake.open(events);
});
afterAll(() => lake.close());

/** By the clock on the wall, as the browser's own calendar has it. */
function placeOf(timestampMs: number, timeZone: string): { row: number; column: number } {
  const parts = new Intl.DateTimeFormat("en-US", { timeZone, weekday: "short", hour: "2-digit", hourCycle: "h23" });
  const { weekday, hour } = Object.fromEntries(
    parts.formatToParts(timestampMs).map(({ type, value }) => [type, value]),
  );
  return { row: WEEKDAYS.indexOf(weekday!) + 1, column: Number(hour) };
}

const count = {
  total: (all: typeof events) => all.length,
  dau: (all: typeof events) => new Set(all.map((one) => one.distinctId)).size,
};

/** Numbers of groups of events, by what they are called. */
function grouped(math: keyof typeof count, nameOf: (place: { row: number; column: number }) => string, zone: string) {
  const views = events.filter(({ event }) => event === "view");
  const groups = Map.groupBy(views, ({ timestampMs }) => nameOf(placeOf(timestampMs, zone)));
  return new Map(Array.from(groups, ([name, all]) => [name, count[math](all)]));
}

const ZONES = ["UTC", "America/St_Johns", "Asia/Kathmandu"];

test.each(ZONES.flatMap((zone) => (["total", "dau"] as const).map((math) => [zone, math] as const)))(
  "a calendar in %s counts weekdays and hours (%s)",
  async (timezone, math) => {
    const query = {
      series: [
        { kind: "EventsNode", event: "view", math },
        { kind: "EventsNode", event: "other", math: "total" },
      ],
      dateRange: { date_from: "2025-10-18", date_to: "2025-11-17" },
      breakdownFilter: { breakdown: "plan" },
      compareFilter: { compare: true },
      trendsFilter: { display: "CalendarHeatmap" },
    };
    const { results, hogql } = await trends(lake, query, { nowMs: NOW, timezone });
    expect(results).toHaveLength(1);
    const [{ calendar_heatmap_data: calendar, data, aggregated_value }] = results as [(typeof results)[0]];
    expect([data, aggregated_value, calendar!.allAggregations]).toEqual([
      [],
      grouped(math, () => "all", timezone).get("all"),
      grouped(math, () => "all", timezone).get("all"),
    ]);
    const sorted = (entries: Iterable<[string, number]>) => Array.from(entries).sort(([a], [b]) => (a < b ? -1 : 1));
    const cells = calendar!.data.map(({ row, column, value }): [string, number] => [`${row} ${column}`, value]);
    expect(sorted(cells)).toEqual(sorted(grouped(math, ({ row, column }) => `${row} ${column}`, timezone)));
    const rows = calendar!.rowAggregations.map(({ row, value }): [string, number] => [`${row}`, value]);
    expect(sorted(rows)).toEqual(sorted(grouped(math, ({ row }) => `${row}`, timezone)));
    const columns = calendar!.columnAggregations.map(({ column, value }): [string, number] => [`${column}`, value]);
    expect(sorted(columns)).toEqual(sorted(grouped(math, ({ column }) => `${column}`, timezone)));
    expect(hogql).toContain("toHour");
  },
);

test("a calendar of nothing is empty", async () => {
  const { results } = await trends(
    lake,
    { series: [{ kind: "EventsNode", event: "none" }], trendsFilter: { display: "CalendarHeatmap" } },
    { nowMs: NOW },
  );
  expect(results[0]!.calendar_heatmap_data).toEqual({
    data: [],
    rowAggregations: [],
    columnAggregations: [],
    allAggregations: 0,
  });
});
