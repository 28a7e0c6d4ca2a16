import { TimeChart } from "../../charts/timeChart.tsx";
import { formatNumber, formatShort } from "../../format/number.ts";
import type { ChartProps } from "../kind.ts";
import { axisOf, titlesOf } from "../parts/axis.ts";
import { shownItems } from "./answer.ts";
import { partDrill } from "./drill.ts";
import { type LifecycleNode, STATUS } from "./node.ts";

/** Who is new, returning and resurrecting above the line, who is dormant below it. */
export function LifecycleChart({ node, answer, size, onDrill }: ChartProps<LifecycleNode>) {
  const items = shownItems(node, answer);
  const zone = answer.timezone;
  const days = items[0]?.days ?? [];
  const titles = titlesOf(days, node.interval);
  return (
    <TimeChart
      axis={axisOf(days, node.interval)}
      titles={titles}
      times={{ days, interval: node.interval ?? "day", zone }}
      series={items.map(({ status, data }) => ({
        key: status,
        label: STATUS[status].label,
        values: data,
        color: STATUS[status].color,
      }))}
      look="stacked"
      // The choice of what is shown stands above the chart.
      isNamedElsewhere={size === "page"}
      format={(count) => formatNumber(Math.abs(count))}
      formatShort={(count) => formatShort(Math.abs(count))}
      onPick={
        onDrill &&
        (({ series, index }) => onDrill(partDrill(node, items[series]!, index, { when: titles[index]!, zone })))
      }
    />
  );
}
