import { useMemo, useRef } from "preact/hooks";
import { useHover } from "./parts/hover.ts";
import { ChartPart } from "./parts/part.tsx";
import { useRoving } from "./parts/roving.ts";
import { textWidth, useSize } from "./parts/size.ts";
import { Tip, TipRows } from "./parts/tip.tsx";
import type { Format } from "./parts/types.ts";
import { labelledPlaces } from "./time/ticks.ts";

interface HistogramProps {
  bins: readonly { label: string; count: number }[];
  format: Format;
  /** Beside the chart, such as the average. */
  note?: string;
  onPick?(index: number): void;
}

const LABEL_PX = 11;
const LABEL_GAP_PX = 8;

/** How many fall into each bin. */
export function Histogram({ bins, format, note, onPick }: HistogramProps) {
  const root = useRef<HTMLDivElement>(null);
  useRoving(root);
  const size = useSize(root);
  const { hover, on } = useHover<number>();
  const max = Math.max(0, ...bins.map(({ count }) => count));
  const stepPx = (size?.width ?? 0) / Math.max(1, bins.length);
  const labelled = useMemo(() => {
    const widths = bins.map(({ label }) => Math.min(120, textWidth(label, LABEL_PX)));
    const places = labelledPlaces(widths, stepPx, LABEL_GAP_PX);
    // A label that would reach over the right edge is left out.
    return new Set(places.filter((at) => widths[at]! <= stepPx * (1 + 2 * (bins.length - 1 - at))));
  }, [bins, stepPx]);
  // The first label reaches to the left of its bin.
  const overhangPx = Math.max(0, (textWidth(bins[0]?.label ?? "", LABEL_PX) - stepPx) / 2);
  const hasCounts = bins.every(({ count }) => textWidth(format(count), LABEL_PX) + 4 <= stepPx);
  if (bins.length === 0) return <p class="chart-empty">Nothing to draw</p>;
  const shown = hover === null ? undefined : bins[hover.what];
  return (
    <figure class="histogram">
      {note !== undefined && <figcaption class="chart-note">{note}</figcaption>}
      <div ref={root} class="histogram-bins" style={{ paddingLeft: `${overhangPx}px` }}>
        {bins.map(({ label, count }, index) => (
          <ChartPart
            key={`${index} ${label}`}
            at={`0,${index}`}
            label={`${label}: ${format(count)}`}
            class="histogram-bin"
            onPick={onPick && count > 0 ? () => onPick(index) : undefined}
            {...on(index)}
          >
            <span class="histogram-space">
              <span
                class="histogram-bar"
                style={{ height: `${max > 0 ? (count / max) * 100 : 0}%`, minHeight: count > 0 ? "2px" : "0" }}
              >
                {hasCounts && <span class="histogram-count">{format(count)}</span>}
              </span>
            </span>
            <span class="histogram-label">{labelled.has(index) && <bdi>{label}</bdi>}</span>
          </ChartPart>
        ))}
      </div>
      {hover !== null && shown !== undefined && (
        <Tip x={hover.x} y={hover.y}>
          <TipRows title={shown.label} rows={[{ key: "count", label: "Count", value: format(shown.count) }]} />
        </Tip>
      )}
    </figure>
  );
}
