const LESS_THAN_A_MILLIONTH = 1e-6;
const QUADRILLION = 1e15;

const whole = new Intl.NumberFormat("en", { maximumFractionDigits: 2 });
const small = new Intl.NumberFormat("en", { maximumSignificantDigits: 3 });
const short = new Intl.NumberFormat("en", { notation: "compact", maximumSignificantDigits: 3 });
const power = new Intl.NumberFormat("en", { notation: "scientific", maximumSignificantDigits: 3 });
const percent = new Intl.NumberFormat("en", { style: "percent", maximumFractionDigits: 1 });
const percentBelow = new Intl.NumberFormat("en", {
  style: "percent",
  maximumFractionDigits: 1,
  roundingMode: "trunc",
} as Intl.NumberFormatOptions);
const percentSmall = new Intl.NumberFormat("en", { style: "percent", maximumSignificantDigits: 2 });

/** What stands where there is no number. */
const NO_VALUE = "–";

/** 1,234.5; 0.00123. A number other than 0 is never written as 0. */
export function formatNumber(value: number): string {
  if (!Number.isFinite(value)) return NO_VALUE;
  const size = Math.abs(value);
  if (size > 0 && size < LESS_THAN_A_MILLIONTH) return withMinus(power.format(value));
  if (size < 1) return withMinus(small.format(value));
  return withMinus(size > QUADRILLION ? power.format(value) : whole.format(value));
}

/** 1.23K: for axes. */
export function formatShort(value: number): string {
  if (!Number.isFinite(value)) return NO_VALUE;
  const size = Math.abs(value);
  if ((size > 0 && size < LESS_THAN_A_MILLIONTH) || size >= QUADRILLION) return withMinus(power.format(value));
  return withMinus(short.format(value));
}

/** 0.123 as 12.3%. A part is never written as 0% unless it is nothing, nor as 100% unless it is all. */
export function formatPercent(ratio: number): string {
  if (!Number.isFinite(ratio)) return NO_VALUE;
  const size = Math.abs(ratio);
  if (size > 0 && size < 0.001) {
    return withMinus(size < 1e-6 ? `${power.format(ratio * 100)}%` : percentSmall.format(ratio));
  }
  return withMinus((size < 1 ? (size > 0.99 ? percentBelow : percent) : percent).format(ratio));
}

/** How much `value` is more than `before`: "+12.3%", "−4%", "0%"; null where there is no such ratio. */
export function formatChange(value: number, before: number): string | null {
  if (before === 0 || !Number.isFinite(value) || !Number.isFinite(before)) return null;
  const ratio = (value - before) / Math.abs(before);
  return ratio > 0 ? `+${formatPercent(ratio)}` : formatPercent(ratio);
}

/** "1 person", "2 people", "1,234 events". */
export function formatCount(count: number, one: string, many = `${one}s`): string {
  return `${formatNumber(count)} ${count === 1 ? one : many}`;
}

/** The sign that is as wide as a plus; and no minus before nothing. */
function withMinus(text: string): string {
  return text === "-0" || text === "-0%" ? text.slice(1) : text.replace("-", "−").replace("E-", "E−");
}

const UNITS = [
  [86_400, "d"],
  [3_600, "h"],
  [60, "m"],
  [1, "s"],
] as const;

/** Seconds in the two largest units that they have: "2h 5m", "340ms". */
export function formatDuration(seconds: number): string {
  if (!Number.isFinite(seconds)) return NO_VALUE;
  const size = Math.abs(seconds);
  const sign = seconds < 0 ? "−" : "";
  if (size === 0) return "0s";
  if (size < 0.9995) return sign + milliseconds(size * 1000);
  let left = Math.round(size);
  const first = UNITS.findIndex(([unitS]) => left >= unitS);
  const parts: string[] = [];
  for (const [unitS, unit] of UNITS.slice(first, first + 2)) {
    const count = Math.floor(left / unitS);
    left -= count * unitS;
    if (count > 0) parts.push(`${count.toLocaleString("en")}${unit}`);
  }
  return sign + parts.join(" ");
}

function milliseconds(count: number): string {
  if (count >= 1) return `${Math.round(count)}ms`;
  return count >= 0.001 ? `${Number(count.toPrecision(2))}ms` : "<0.001ms";
}
