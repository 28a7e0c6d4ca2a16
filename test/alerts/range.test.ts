import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { dateFromOf, TREND_INTERVALS, type TrendInterval } from "../../src/alerts/rule/range.ts";
import { askedNode, watchedTrend } from "../../src/manage/alerts/trend.ts";
import type { AlertRule } from "../../src/metadata/mod.ts";
import { StoredLake } from "../query/storedLake.ts";
import { trends } from "../query/support.ts";

const DAY = 86_400_000;
const HOUR = 3_600_000;
/** A Wednesday in the middle of a month. */
const NOW = Date.UTC(2026, 0, 14, 12, 34);
const TIMES = Array.from({ length: 120 * 4 }, (_, n) => NOW - n * 6 * HOUR - 60_000);

let lake: StoredLake;
beforeAll(async () => {
  lake = await StoredLake.open();
  const events = TIMES.map((timestampMs) => ({ event: "seen", distinctId: "p", timestampMs }));
  await lake.store(1, { events, persons: [{ distinctIds: ["p"] }], groups: [] });
});
afterAll(() => lake.close());

/** When the interval began that was complete `ago` intervals ago, by plain dates; 0 is the present one. Weeks begin on Sunday. */
function startOf(interval: TrendInterval, ago: number): number {
  const now = new Date(NOW);
  if (interval === "month") return Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - ago, 1);
  if (interval === "week") return Math.floor(NOW / DAY) * DAY - now.getUTCDay() * DAY - ago * 7 * DAY;
  const width = { minute: 60_000, hour: HOUR, day: DAY }[interval];
  return Math.floor(NOW / width) * width - ago * width;
}
const counted = (interval: TrendInterval, ago: number): number =>
  TIMES.filter((time) => time >= startOf(interval, ago) && time < startOf(interval, ago - 1)).length;

const RULE: AlertRule = {
  ...{ condition: "absolute_value", threshold: { type: "absolute", lower: null, upper: null }, detector: null },
  config: { seriesIndex: 0, checkOngoingInterval: false },
};
const CHANGE: AlertRule = { ...RULE, condition: "relative_increase" };
const WEEKS: AlertRule = {
  ...RULE,
  detector: { weeks: 3, sensitivity: 3, direction: "both" },
};
/** How many intervals ago the oldest one is that a rule looks at. */
const CASES: [string, AlertRule, (interval: TrendInterval) => number][] = [
  ["its value", RULE, () => 1],
  ["a change", CHANGE, () => 2],
  ["past weeks", WEEKS, (interval) => 1 + 3 * ({ hour: 168, day: 7, week: 1 }[interval as "day"] ?? 0)],
];

describe.each(CASES)("the intervals for %s", (_, rule, oldest) => {
  const fitting = TREND_INTERVALS.filter((interval) => rule !== WEEKS || !["minute", "month"].includes(interval));
  test.each(fitting)("are whole: %s", async (interval) => {
    const query = { kind: "TrendsQuery", interval, series: [{ kind: "EventsNode", event: "seen" }] };
    const trend = watchedTrend({ query, filters: {} });
    const node = askedNode(trend, dateFromOf(rule, interval));
    const { results } = await trends(lake, node, { nowMs: NOW });
    const data = results[0]!.data!;
    for (let ago = 1; ago <= oldest(interval); ago++) {
      expect([ago, data.at(-1 - ago)]).toEqual([ago, counted(interval, ago)]);
    }
  });
});

test("a smoothed value is that of the insight's own chart", async () => {
  const query = {
    ...{ kind: "TrendsQuery", interval: "week", series: [{ kind: "EventsNode", event: "seen" }] },
    ...{ trendsFilter: { smoothingIntervals: 3 }, dateRange: { date_from: "-100d" } },
  };
  const trend = watchedTrend({ query, filters: {} });
  const asked = askedNode(trend, dateFromOf(CHANGE, "week", trend.smoothedOver));
  const [own, alert] = await Promise.all([query, asked].map((node) => trends(lake, node, { nowMs: NOW })));
  const last = (answer: typeof own) => answer!.results[0]!.data!.slice(-3, -1);
  expect(last(alert)).toEqual(last(own));
});
