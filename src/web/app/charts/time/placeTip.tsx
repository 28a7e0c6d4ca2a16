import { seriesColor } from "../parts/color.ts";
import { Tip, TipRows } from "../parts/tip.tsx";
import type { Format, Series } from "../parts/types.ts";
import type { Look } from "./layers.ts";
import { isOpen, nameAt } from "./words.ts";

const MOST = 12;

interface PlaceTipProps {
  x: number;
  y: number;
  title: string;
  index: number;
  /** The series that a press would pick; -1: none. */
  chosen: number;
  series: readonly Series[];
  shown: readonly number[];
  look: Look;
  format: Format;
}

/** The values of a place, the largest first. */
export function PlaceTip({ x, y, title, index, chosen, series, shown, look, format }: PlaceTipProps) {
  const numberOf = (one: number) => series[one]!.values[index] ?? null;
  const present = shown.filter((one) => numberOf(one) !== null).sort((a, b) => numberOf(b)! - numberOf(a)!);
  const listed = present.slice(0, MOST);
  if (chosen >= 0 && present.includes(chosen) && !listed.includes(chosen)) listed[MOST - 1] = chosen;
  const rows = listed.map((one) => ({
    key: series[one]!.key,
    label: nameAt(series, one, index),
    value: format(numberOf(one)!),
    color: seriesColor(series[one]!.color),
    isPale: series[one]!.isPrevious,
    isStrong: one === chosen && listed.length > 1,
  }));
  const now = present.filter((one) => !series[one]!.isPrevious);
  const isPiled = (look === "stacked" || look === "area") && now.length > 1;
  const notes = [
    now.some((one) => isOpen(series[one]!, index)) ? "so far" : "",
    isPiled ? `total ${format(now.reduce((sum, one) => sum + numberOf(one)!, 0))}` : "",
  ].filter((note) => note !== "");
  const left = present.length - listed.length;
  return (
    <Tip x={x} y={y}>
      <TipRows
        title={title}
        note={notes.length > 0 ? notes.join(", ") : undefined}
        rows={rows}
        more={present.length === 0 ? "No values" : left > 0 ? `and ${left} more` : undefined}
      />
    </Tip>
  );
}
