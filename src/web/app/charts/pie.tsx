import { useMemo, useRef } from "preact/hooks";
import { formatPercent } from "../format/number.ts";
import { seriesColor } from "./parts/color.ts";
import { type HoverProps, useHover } from "./parts/hover.ts";
import { ChartPart } from "./parts/part.tsx";
import { useRoving } from "./parts/roving.ts";
import { useScrollStop } from "./parts/scrollStop.ts";
import { Swatch } from "./parts/tip.tsx";
import type { Format, Part } from "./parts/types.ts";
import { type Slice, slicesOf } from "./pieSlices.ts";

interface PieProps {
  parts: readonly Part[];
  format: Format;
  onPick?(index: number): void;
}

const RADIUS = 50;
const HOLE = 33;

/** Shares of a whole, as a ring with its total. */
export function Pie({ parts, format, onPick }: PieProps) {
  const root = useRef<HTMLDivElement>(null);
  useRoving(root);
  const list = useRef<HTMLUListElement>(null);
  useScrollStop(list, onPick === undefined);
  useScrollStop(root, onPick === undefined);
  const { slices, total, whole } = useMemo(() => slicesOf(parts), [parts]);
  const { hover, on } = useHover<number>();
  if (parts.length === 0) return <p class="chart-empty">Nothing to draw</p>;
  return (
    <div ref={root} class="pie">
      <div class="pie-ring">
        {/* The list beside it has the same, for the keyboard and for readers of screens. */}
        <svg viewBox="-52 -52 104 104" aria-hidden="true">
          <circle r={(RADIUS + HOLE) / 2} fill="none" stroke="var(--heat-none)" stroke-width={RADIUS - HOLE} />
          {slices.map((slice) => (
            <SlicePath
              key={parts[slice.part]!.key}
              slice={slice}
              color={parts[slice.part]!.color}
              isDimmed={hover !== null && hover.what !== slice.part}
              handlers={on(slice.part)}
              onPick={onPick && (() => onPick(slice.part))}
            />
          ))}
        </svg>
        <div class="pie-total">
          <strong>{format(hover === null ? total : parts[hover.what]!.value)}</strong>
          <bdi>{hover === null ? "total" : parts[hover.what]!.label}</bdi>
        </div>
      </div>
      <ul ref={list} class="pie-list">
        {parts.map((part, index) => {
          const share = part.value > 0 ? formatPercent(part.value / whole) : "–";
          return (
            <li key={part.key}>
              <ChartPart
                at={`${index},0`}
                label={`${part.label}: ${format(part.value)}, ${share}`}
                class={hover?.what === index ? "pie-row on" : "pie-row"}
                onPick={onPick && (() => onPick(index))}
                {...on(index)}
              >
                <Swatch color={seriesColor(part.color)} />
                <bdi class="pie-label" title={part.label}>
                  {part.label}
                </bdi>{" "}
                <span>{format(part.value)}</span> <span class="pie-share">{share}</span>
              </ChartPart>
            </li>
          );
        })}
      </ul>
    </div>
  );
}

interface SlicePathProps {
  slice: Slice;
  color: number;
  isDimmed: boolean;
  handlers: HoverProps;
  onPick?: () => void;
}

function SlicePath({ slice: { from, to }, color, isDimmed, handlers, onPick }: SlicePathProps) {
  const shared = {
    class: isDimmed ? "pie-slice dimmed" : "pie-slice",
    onPointerMove: handlers.onPointerMove,
    onPointerLeave: handlers.onPointerLeave,
    onClick: onPick,
    style: { cursor: onPick === undefined ? "default" : "pointer", "--color": seriesColor(color) },
  };
  // An arc of the whole circle would begin where it ends.
  if (to - from > 0.9999) {
    return (
      <circle {...shared} r={(RADIUS + HOLE) / 2} fill="none" stroke="var(--color)" stroke-width={RADIUS - HOLE} />
    );
  }
  return <path {...shared} d={arc(from, to)} fill="var(--color)" />;
}

function arc(from: number, to: number): string {
  const at = (turn: number, radius: number) => {
    const angle = 2 * Math.PI * (turn - 0.25);
    return `${(radius * Math.cos(angle)).toFixed(3)} ${(radius * Math.sin(angle)).toFixed(3)}`;
  };
  const large = to - from > 0.5 ? 1 : 0;
  return `M${at(from, RADIUS)}A${RADIUS} ${RADIUS} 0 ${large} 1 ${at(to, RADIUS)}L${at(to, HOLE)}A${HOLE} ${HOLE} 0 ${large} 0 ${at(from, HOLE)}Z`;
}
