import { useRef } from "preact/hooks";
import { formatChange } from "../format/number.ts";
import { seriesColor } from "./parts/color.ts";
import { ChartPart } from "./parts/part.tsx";
import { useRoving } from "./parts/roving.ts";
import { useScrollStop } from "./parts/scrollStop.ts";
import type { Format, Part } from "./parts/types.ts";

interface RankBarsProps {
  parts: readonly Part[];
  format: Format;
  onPick?(index: number): void;
}

interface Scale {
  min: number;
  max: number;
}

/** Values from the top down, each with its name and a bar. */
export function RankBars({ parts, format, onPick }: RankBarsProps) {
  const root = useRef<HTMLUListElement>(null);
  useRoving(root);
  useScrollStop(root, onPick === undefined);
  const values = parts.flatMap(({ value, previous }) => [value, previous ?? 0]).filter(Number.isFinite);
  const scale = { min: Math.min(0, ...values), max: Math.max(0, ...values) };
  if (parts.length === 0) return <p class="chart-empty">Nothing to draw</p>;
  return (
    <ul ref={root} class="rank-bars">
      {parts.map((part, index) => (
        <li key={part.key}>
          <Row part={part} index={index} scale={scale} format={format} onPick={onPick} />
        </li>
      ))}
    </ul>
  );
}

function Row({
  part,
  index,
  scale,
  format,
  onPick,
}: Omit<RankBarsProps, "parts"> & { part: Part; index: number; scale: Scale }) {
  const { label, value, previous, color } = part;
  const before = previous ?? null;
  const change = before === null ? null : formatChange(value, before);
  const words = `${label}: ${format(value)}${change === null ? "" : ` ${change}`}${before === null ? "" : `, before ${format(before)}`}`;
  return (
    <ChartPart at={`${index},0`} label={words} class="rank-row" onPick={onPick && (() => onPick(index))}>
      <bdi class="rank-label" title={label}>
        {label}
      </bdi>{" "}
      <span>
        {format(value)} {change !== null && <span class="rank-change">{change}</span>}
      </span>
      <span class="rank-track">
        <Bar value={value} scale={scale} color={color} />
        {before !== null && <Bar value={before} scale={scale} color={color} isPale />}
      </span>
    </ChartPart>
  );
}

/** From zero to the value, to the left where it is below zero. */
function Bar({
  value,
  scale: { min, max },
  color,
  isPale,
}: {
  value: number;
  scale: Scale;
  color: number;
  isPale?: boolean;
}) {
  const span = max - min || 1;
  const left = (Math.min(0, value) - min) / span;
  const width = Math.abs(value) / span;
  return (
    <span
      class={isPale ? "rank-bar pale" : "rank-bar"}
      style={{
        left: `${left * 100}%`,
        width: `${width * 100}%`,
        minWidth: value === 0 ? "0" : "2px",
        backgroundColor: seriesColor(color),
      }}
    />
  );
}
