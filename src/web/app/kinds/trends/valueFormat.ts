import type { Format } from "../../charts/types.ts";
import { formatDuration, formatNumber, formatPercent, formatShort } from "../../format/number.ts";
import type { TrendsNode } from "./types.ts";

/** How values can be written. */
export const VALUE_FORMATS = [
  { value: "numeric", label: "Numbers" },
  { value: "duration", label: "Durations in seconds" },
  { value: "duration_ms", label: "Durations in milliseconds" },
  { value: "percentage", label: "Percentages" },
  { value: "percentage_scaled", label: "Ratios as percentages" },
] as const;

/** How the values of a trend are written, and their short form for axes. */
export function formatsOf(node: TrendsNode): { format: Format; short: Format } {
  const {
    aggregationAxisFormat: name,
    aggregationAxisPrefix = "",
    aggregationAxisPostfix = "",
  } = node.trendsFilter ?? {};
  const around =
    (write: Format): Format =>
    (value) =>
      `${aggregationAxisPrefix}${write(value)}${aggregationAxisPostfix}`;
  const write = FORMATS[name ?? (isDuration(node) ? "duration" : "numeric")];
  return write === undefined
    ? { format: around(formatNumber), short: around(formatShort) }
    : { format: around(write), short: around(write) };
}

const FORMATS: Readonly<Record<string, Format>> = {
  duration: formatDuration,
  duration_ms: (value) => formatDuration(value / 1000),
  percentage: (value) => formatPercent(value / 100),
  percentage_scaled: formatPercent,
};

/** Lengths of sessions are in seconds. */
const isDuration = ({ series }: TrendsNode): boolean =>
  series.length > 0 && series.every(({ math_property }) => math_property === "$session_duration");
