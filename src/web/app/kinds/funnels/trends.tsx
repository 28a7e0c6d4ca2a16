import { useState } from "preact/hooks";
import { TimeChart } from "../../charts/timeChart.tsx";
import type { Point } from "../../charts/types.ts";
import { formatNumber, formatPercent } from "../../format/number.ts";
import type { ChartProps } from "../kind.ts";
import { axisOf, openPlaces, titlesOf } from "../parts/axis.ts";
import { PickBar, type PickedList } from "../parts/pickBar.tsx";
import { trendSeries } from "./answer.ts";
import { trendDrill } from "./drill.ts";
import { type FunnelsNode, windowMsOf } from "./node.ts";

/** Conversion over time. What is picked has two lists: those who converted, and those who did not. */
export function FunnelTrends({ node, answer, onDrill }: ChartProps<FunnelsNode>) {
  const [picked, setPicked] = useState<Point | null>(null);
  const all = trendSeries(answer);
  const days = all[0]?.item.days ?? [];
  const titles = titlesOf(days, node.interval);
  const own = picked === null ? undefined : all[picked.series];
  const isThere = own !== undefined && picked !== null && picked.index < own.item.days.length;
  return (
    <div class="kind-chart">
      <TimeChart
        axis={axisOf(days, node.interval)}
        titles={titles}
        times={{ days, interval: node.interval ?? "day", zone: answer.timezone }}
        series={all.map(({ item, label, isPrevious }, i) => ({
          key: `${i} ${label}`,
          label: label === "" ? "Conversion" : label,
          values: item.data.map((percent) => percent / 100),
          color: i,
          isPrevious,
          // Who began last still has time to convert.
          incomplete: isPrevious ? 0 : openPlaces(item.days, answer, windowMsOf(node)),
        }))}
        look="line"
        isNamedElsewhere={all.length === 1}
        format={formatPercent}
        formatShort={formatPercent}
        onPick={onDrill && setPicked}
      />
      {isThere && onDrill !== undefined && (
        <PickBar
          title={titleOf(titles[picked.index]!, own.label, own.item.data[picked.index]!)}
          lists={listsOf(node, own, picked.index, { when: titles[picked.index]!, zone: answer.timezone })}
          onDrill={onDrill}
          onClose={() => setPicked(null)}
        />
      )}
    </div>
  );
}

const titleOf = (when: string, label: string, percent: number): string =>
  [when, label, `${formatPercent(percent / 100)} converted`].filter((text) => text !== "").join(" · ");

function listsOf(
  node: FunnelsNode,
  series: ReturnType<typeof trendSeries>[number],
  index: number,
  o: { when: string; zone: string },
): PickedList[] {
  const { reached_from_step_count: from, reached_to_step_count: to } = series.item;
  return [
    {
      label: `${formatNumber(to[index]!)} converted`,
      drill: trendDrill(node, series, index, { isDropped: false, ...o }),
    },
    {
      label: `${formatNumber(from[index]! - to[index]!)} dropped off`,
      drill: trendDrill(node, series, index, { isDropped: true, ...o }),
    },
  ];
}
