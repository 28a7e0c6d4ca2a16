import { TimeChart } from "../../charts/timeChart.tsx";
import { formatNumber, formatShort } from "../../format/number.ts";
import type { ChartProps } from "../kind.ts";
import { axisOf, isPrevious, itemLabel, itemsOf } from "./answer.ts";
import { barDrill } from "./drill.ts";
import { LINES, type StickinessNode } from "./node.ts";

/** How many were active in one interval, in two, and so on. */
export function StickinessChart({ node, answer, onDrill }: ChartProps<StickinessNode>) {
  const items = itemsOf(answer);
  return (
    <TimeChart
      axis={axisOf(items)}
      series={items.map((item, i) => ({
        key: `${i}`,
        label: itemLabel(node, item),
        values: item.data,
        color: item.action.order,
        isPrevious: isPrevious(item),
      }))}
      look={node.stickinessFilter?.display === LINES ? "line" : "bar"}
      isNamedElsewhere={items.length === 1}
      format={formatNumber}
      formatShort={formatShort}
      onPick={
        onDrill &&
        (({ series, index }) => {
          const item = items[series]!;
          if (index < item.data.length) onDrill(barDrill(node, item, index));
        })
      }
    />
  );
}
