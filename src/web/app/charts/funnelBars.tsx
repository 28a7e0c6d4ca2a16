import { useRef } from "preact/hooks";
import { FunnelColumns } from "./funnel/columns.tsx";
import { FunnelRows } from "./funnel/rows.tsx";
import { StepTip } from "./funnel/stepTip.tsx";
import type { FunnelPick, FunnelStep } from "./funnel/types.ts";
import { useHover } from "./parts/hover.ts";
import { useRoving } from "./parts/roving.ts";
import { useScrollStop } from "./parts/scrollStop.ts";
import { useSize } from "./parts/size.ts";
import type { Format } from "./parts/types.ts";

export type { FunnelPick, FunnelStep };

interface FunnelBarsProps {
  steps: readonly FunnelStep[];
  /** Steps beside each other, or below. */
  look: "vertical" | "horizontal";
  format: Format;
  /** `isDropped`: those who came to the step before and no further. */
  onPick?(pick: FunnelPick): void;
}

/** A step beside others needs this much, and each of its bars this much. */
const STEP_PX = 104;
const BAR_PX = 14;

/** How many came to each step, and how many were lost before it. Where steps have no room beside each other they stand below. */
export function FunnelBars({ steps, look, format, onPick }: FunnelBarsProps) {
  const root = useRef<HTMLDivElement>(null);
  useRoving(root);
  useScrollStop(root, onPick === undefined);
  const size = useSize(root);
  const { hover, on } = useHover<FunnelPick>();
  const groups = Math.max(0, ...steps.map((step) => step.groups.length));
  const neededPx = steps.length * Math.max(STEP_PX, groups * BAR_PX + 24);
  const isNarrow = size !== null && size.width < neededPx;
  const Form = look === "horizontal" || isNarrow ? FunnelRows : FunnelColumns;
  return (
    <div ref={root} class="funnel">
      {groups === 0 ? (
        <p class="chart-empty">Nothing to draw</p>
      ) : (
        size !== null && <Form steps={steps} format={format} on={on} onPick={onPick} />
      )}
      {hover !== null && steps[hover.what.step]?.groups[hover.what.group] !== undefined && (
        <StepTip steps={steps} pick={hover.what} format={format} x={hover.x} y={hover.y} />
      )}
    </div>
  );
}
