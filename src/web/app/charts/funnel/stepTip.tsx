import { formatDuration, formatPercent } from "../../format/number.ts";
import { seriesColor } from "../parts/color.ts";
import { Tip, TipRows } from "../parts/tip.tsx";
import type { Format } from "../parts/types.ts";
import { stepNumbers } from "./numbers.ts";
import type { FunnelPick, FunnelStep } from "./types.ts";

interface StepTipProps {
  steps: readonly FunnelStep[];
  pick: FunnelPick;
  format: Format;
  x: number;
  y: number;
}

/** Everything that a bar says. */
export function StepTip({ steps, pick: { step, group, isDropped }, format, x, y }: StepTipProps) {
  const { count, dropped, fromFirst, fromBefore } = stepNumbers(steps, step, group);
  const { label, color, medianS, averageS } = steps[step]!.groups[group]!;
  const isGrouped = steps[step]!.groups.length > 1;
  const ratio = (value: number | null) => (value === null ? "–" : formatPercent(value));
  const rows = [
    {
      key: "count",
      label: isGrouped ? label : "Came here",
      value: format(count),
      color: seriesColor(color),
      isStrong: !isDropped,
    },
    { key: "first", label: "From the first step", value: ratio(fromFirst) },
  ];
  const later = [
    { key: "before", label: "From the step before", value: ratio(fromBefore) },
    { key: "dropped", label: "Dropped off before it", value: format(dropped), isStrong: isDropped },
    ...(medianS === null ? [] : [{ key: "median", label: "Median time", value: formatDuration(medianS) }]),
    ...(averageS === null ? [] : [{ key: "average", label: "Average time", value: formatDuration(averageS) }]),
  ];
  return (
    <Tip x={x} y={y}>
      <TipRows title={`${step + 1}. ${steps[step]!.label}`} rows={step === 0 ? rows : [...rows, ...later]} />
    </Tip>
  );
}

/** A bar in words. */
export function pickWords(
  steps: readonly FunnelStep[],
  { step, group, isDropped }: FunnelPick,
  format: Format,
): string {
  const { count, dropped, fromFirst, fromBefore } = stepNumbers(steps, step, group);
  const name = steps[step]!.groups.length > 1 ? `, ${steps[step]!.groups[group]!.label}` : "";
  const title = `Step ${step + 1}, ${steps[step]!.label}${name}`;
  if (isDropped) return `${title}: ${format(dropped)} dropped off before it`;
  const ratios = [
    ...(fromFirst === null ? [] : [`${formatPercent(fromFirst)} of the first step`]),
    ...(step < 2 || fromBefore === null ? [] : [`${formatPercent(fromBefore)} of the step before`]),
  ];
  return [`${title}: ${format(count)}`, ...ratios].join(", ");
}
