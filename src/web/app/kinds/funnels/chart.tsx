import { FunnelBars } from "../../charts/funnelBars.tsx";
import { formatNumber } from "../../format/number.ts";
import type { ChartProps } from "../kind.ts";
import { stepGroups, stepName } from "./answer.ts";
import { stepDrill } from "./drill.ts";
import { type FunnelsNode, requiredBefore, shapeOf } from "./node.ts";
import { FunnelTimes } from "./times.tsx";
import { FunnelTrends } from "./trends.tsx";

/** A funnel in each of its forms. */
export function FunnelChart(props: ChartProps<FunnelsNode>) {
  switch (shapeOf(props.node)) {
    case "trends":
      return <FunnelTrends {...props} />;
    case "time_to_convert":
      return <FunnelTimes {...props} />;
    default:
      return <FunnelSteps {...props} />;
  }
}

function FunnelSteps({ node, answer, size, onDrill }: ChartProps<FunnelsNode>) {
  const groups = stepGroups(answer);
  const count = groups[0]?.steps.length ?? 0;
  const steps = Array.from({ length: count }, (_, i) => ({
    label: labelOf(node, stepName(node, groups[0]!.steps[i]!, i), i),
    before: requiredBefore(node, i),
    groups: groups.map(({ steps: own, label, isPrevious }, color) => ({
      label,
      color,
      isPrevious,
      count: own[i]!.count,
      medianS: own[i]!.median_conversion_time,
      averageS: own[i]!.average_conversion_time,
    })),
  }));
  const bars = (
    <FunnelBars
      steps={steps}
      look={node.funnelsFilter?.layout ?? "vertical"}
      format={formatNumber}
      onPick={onDrill && (({ step, group, isDropped }) => onDrill(stepDrill(node, groups[group]!, step, isDropped)))}
    />
  );
  if (count !== 1 || size !== "page") return bars;
  return (
    <div class="funnel-begun">
      {bars}
      <p>Add the step that should follow, to see how many get there.</p>
    </div>
  );
}

const labelOf = (node: FunnelsNode, name: string, step: number): string =>
  node.series[step]?.optionalInFunnel === true ? `${name} (optional)` : name;
