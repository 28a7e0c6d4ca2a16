import { useState } from "preact/hooks";
import { formatCount, formatNumber } from "../../format/number.ts";
import { later } from "../../ui/later.tsx";
import type { ChartProps } from "../kind.ts";
import { PickBar } from "../parts/pickBar.tsx";
import { graphOf, type PathStep } from "./answer.ts";
import { edgeDrill, STEP_DRILLS } from "./drill.ts";
import type { PathsNode } from "./node.ts";

const Sankey = later(() => import("../../charts/sankey.tsx").then((file) => file.Sankey));

/** Paths from left to right. A step that is picked has three lists of people: who were there, who went on, who left. */
export function PathsChart({ node, answer, onDrill }: ChartProps<PathsNode>) {
  const [picked, setPicked] = useState<string | null>(null);
  const { steps, links } = graphOf(node, answer);
  const step = steps.find(({ key }) => key === picked);
  const pickLink = (index: number) => {
    const { source, target, edge } = links[index]!;
    onDrill?.(edgeDrill(node, edge, { source: steps[source]!.label, target: steps[target]!.label }));
  };
  return (
    <div class="kind-chart">
      <Sankey
        nodes={steps}
        links={links.map(({ source, target, edge }) => ({ source, target, value: edge.value }))}
        format={formatNumber}
        onPickLink={onDrill && pickLink}
        onPickNode={onDrill && ((index) => setPicked(steps[index]!.key))}
      />
      {step !== undefined && onDrill !== undefined && (
        <PickBar
          title={titleOf(step)}
          lists={STEP_DRILLS.map(({ label, of }) => ({ label, drill: of(node, step) }))}
          onDrill={onDrill}
          onClose={() => setPicked(null)}
        />
      )}
    </div>
  );
}

const titleOf = ({ layer, label, came, wentOn }: PathStep): string =>
  `${label} · step ${layer + 1} · ${formatCount(Math.max(came, wentOn), "time")}`;
