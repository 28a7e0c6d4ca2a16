import { TimeChart } from "../../charts/timeChart.tsx";
import type { Series } from "../../charts/types.ts";
import { formatPercent } from "../../format/number.ts";
import type { ChartProps } from "../kind.ts";
import { incompleteOf, labelsOf, titleOf } from "./axis.ts";
import { displayOf } from "./displays.ts";
import { drillOf } from "./drill.ts";
import type { Line } from "./lines.ts";
import { percentStack } from "./percentStack.ts";
import type { TrendsNode } from "./types.ts";
import { formatsOf } from "./valueFormat.ts";

type Look = "line" | "area" | "bar" | "stacked";
const LOOKS: Readonly<Record<string, Look>> = {
  ActionsAreaGraph: "area",
  ActionsUnstackedBar: "bar",
  ActionsBar: "stacked",
};

interface TimeLinesProps extends ChartProps<TrendsNode> {
  lines: readonly Line[];
}

/** The lines of a trend over time: as lines, areas or bars. */
export function TimeLines({ node, answer, size, lines, onDrill }: TimeLinesProps) {
  const look = LOOKS[displayOf(node).name] ?? "line";
  const shown = lines.filter(({ isShown }) => isShown);
  const isShare = isStack(look) && node.trendsFilter?.showPercentStackView === true;
  const { format, short } = isShare ? { format: formatPercent, short: formatPercent } : formatsOf(node);
  const values = isShare ? sharesOf(shown) : shown.map(({ item }) => item.data);
  const longest = lines.reduce<Line | undefined>((best, line) => (betterAxis(line, best) ? line : best), undefined);
  const days = longest?.item.days ?? [];
  return (
    <TimeChart
      axis={labelsOf(node, days)}
      titles={days.map((day) => titleOf(node, day))}
      times={{ days, interval: node.interval ?? "day", zone: answer.timezone }}
      series={shown.map((line, index) =>
        seriesOf(line, values[index] ?? [], look === "line" ? incompleteOf(line.item, answer) : 0),
      )}
      look={look}
      // The title of the insight names a single line.
      isNamedElsewhere={lines.length === 1}
      format={format}
      formatShort={short}
      max={isShare ? 1 : undefined}
      syncKey={size === "tile" ? `time-${node.interval ?? "day"}` : undefined}
      onPick={
        onDrill &&
        (({ series, index }) => {
          const line = shown[series];
          if (line !== undefined) onDrill(drillOf(node, line, index, answer.timezone));
        })
      }
    />
  );
}

const isStack = (look: Look): boolean => look === "area" || look === "stacked";

/** The axis is that of the current period. */
const betterAxis = (line: Line, best: Line | undefined): boolean =>
  best === undefined || (best.isPrevious && !line.isPrevious);

const seriesOf = (line: Line, values: readonly (number | null)[], incomplete: number): Series => ({
  key: line.key,
  label: line.isPrevious ? `${line.label} (previous)` : line.label,
  values,
  color: line.color,
  isPrevious: line.isPrevious,
  incomplete: line.isPrevious ? 0 : incomplete,
});

/** Each period is a whole of its own. */
function sharesOf(lines: readonly Line[]): readonly (readonly number[])[] {
  const of = (isPrevious: boolean) => lines.filter((line) => line.isPrevious === isPrevious);
  const shares = new Map<Line, readonly number[]>();
  for (const period of [of(false), of(true)]) {
    const stack = percentStack(period.map(({ item }) => item.data));
    for (const [index, line] of period.entries()) shares.set(line, stack[index] ?? []);
  }
  return lines.map((line) => shares.get(line) ?? []);
}
