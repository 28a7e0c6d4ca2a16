import { useMemo } from "preact/hooks";
import type { QueryAnswer } from "../../../api/node.ts";
import { BigNumber } from "../../../charts/bigNumber.tsx";
import { RankBars } from "../../../charts/rankBars.tsx";
import { TimeChart } from "../../../charts/timeChart.tsx";
import { axisLabels, type Interval, placeTitle } from "../../../format/date.ts";
import { formatCount, formatNumber, formatShort } from "../../../format/number.ts";
import { Empty } from "../../../ui/notice.tsx";
import type { ChartWish } from "./chartWish.ts";
import { type ChartPlan, columnsOf, linesOf, planOf } from "./columns.ts";

const LOOKS = {
  ActionsLineGraph: "line",
  ActionsAreaGraph: "area",
  ActionsBar: "bar",
  ActionsStackedBar: "stacked",
} as const;
const RANKED_MAX = 100;

/** The rows of an answer of SQL as a chart, as far as there are numbers in them. */
export function SqlChart({ answer, wish }: { answer: QueryAnswer; wish: ChartWish }) {
  const rows = Array.isArray(answer.results) ? (answer.results as unknown[][]) : [];
  const plan = useMemo(() => planOf(columnsOf(answer), rows.length, wish), [answer, wish]);
  if (rows.length === 0) return <Empty title="No rows" />;
  if (plan === null) return <Empty title="There is no number to draw">Select a column with numbers.</Empty>;
  if (plan.display === "BoldNumber") return <Single plan={plan} row={rows[0]!} />;
  return <Drawn plan={plan} rows={rows} zone={answer.timezone} />;
}

function Single({ plan, row }: { plan: ChartPlan; row: readonly unknown[] }) {
  const column = plan.y[0]!;
  const value = row[column.at];
  if (typeof value !== "number") return <Empty title="There is no number in the first row" />;
  return <BigNumber value={value} format={formatNumber} label={column.name} />;
}

function Drawn({ plan, rows, zone }: { plan: ChartPlan; rows: readonly unknown[][]; zone: string }) {
  const { places, lines, leftOut } = useMemo(() => linesOf(rows, plan), [rows, plan]);
  const axis = useMemo(() => axisOf(places, plan, zone), [places, plan, zone]);
  const series = useMemo(() => lines.map((line, color) => ({ ...line, color })), [lines]);
  const left = [
    ...(leftOut.places > 0 ? [formatCount(leftOut.places, "place")] : []),
    ...(leftOut.lines > 0 ? [formatCount(leftOut.lines, "line")] : []),
  ];
  if (plan.display === "ActionsBarValue") {
    const parts = places
      .map((label, at) => ({ key: label, label, value: lines[0]?.values[at] ?? 0, color: 0 }))
      .slice(0, RANKED_MAX);
    const more = places.length + leftOut.places - parts.length;
    return (
      <div class="sql-chart ranked">
        <RankBars parts={parts} format={formatNumber} />
        {more > 0 && <p class="sql-left-out">{formatCount(more, "row")} more in the table</p>}
      </div>
    );
  }
  return (
    <div class="sql-chart">
      <div class="sql-plot">
        <TimeChart
          axis={axis.labels}
          titles={axis.titles}
          series={series}
          look={LOOKS[plan.display as keyof typeof LOOKS] ?? "line"}
          format={formatNumber}
          formatShort={formatShort}
        />
      </div>
      {left.length > 0 && <p class="sql-left-out">{left.join(" and ")} more in the table</p>}
    </div>
  );
}

/** Labels of places: times as times, others as they are. */
function axisOf(places: readonly string[], { x }: ChartPlan, zone: string) {
  if (x?.kind !== "time" || places.some((place) => Number.isNaN(Date.parse(place))))
    return { labels: places, titles: places };
  const interval = intervalOf(places);
  return {
    labels: axisLabels(places, interval, zone),
    titles: places.map((place) => placeTitle(place, interval, zone)),
  };
}

const HOUR_MS = 3_600_000;
const STEPS: readonly (readonly [Interval, number])[] = [
  ["year", 360 * 24 * HOUR_MS],
  ["month", 28 * 24 * HOUR_MS],
  ["day", 23 * HOUR_MS],
  ["hour", HOUR_MS],
  ["minute", 60_000],
];

/** The widest interval that the least distance of two places has. */
function intervalOf(places: readonly string[]): Interval {
  const times = places.map((place) => Date.parse(place));
  const leastMs = Math.min(...times.slice(1).map((time, at) => time - times[at]!), Number.POSITIVE_INFINITY);
  if (leastMs === Number.POSITIVE_INFINITY) return places[0]!.length <= 10 ? "day" : "minute";
  return STEPS.find(([, stepMs]) => leastMs >= stepMs)?.[0] ?? "second";
}
