const WHOLE = new Intl.NumberFormat("en", { maximumFractionDigits: 2 });
const SHORT = new Intl.NumberFormat("en", { notation: "compact", maximumSignificantDigits: 3 });
const PERCENT = new Intl.NumberFormat("en", { style: "percent", maximumFractionDigits: 1 });

/** 1,234.5 */
export const formatNumber = (value: number): string => WHOLE.format(value);
/** 1.23K: for axes. */
export const formatShort = (value: number): string => SHORT.format(value);
/** 0.123 as 12.3%. */
export const formatPercent = (ratio: number): string => PERCENT.format(ratio);

const UNITS = [
  [86_400, "d"],
  [3_600, "h"],
  [60, "m"],
  [1, "s"],
] as const;

/** Seconds in the two largest units that they have: "2h 5m". */
export function formatDuration(seconds: number): string {
  if (seconds === 0) return "0s";
  if (Math.abs(seconds) < 1) return `${Math.round(seconds * 1000)}ms`;
  const parts: string[] = [];
  let left = Math.round(Math.abs(seconds));
  for (const [size, unit] of UNITS) {
    const count = Math.floor(left / size);
    left -= count * size;
    if (count > 0) parts.push(`${count}${unit}`);
    else if (parts.length > 0) break;
    if (parts.length === 2) break;
  }
  return `${seconds < 0 ? "−" : ""}${parts.join(" ")}`;
}
