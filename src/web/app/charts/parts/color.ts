const COLORS = 8;

/** What the colours are mixed with where there are more series than colours. */
const OTHERS = ["", "60%, var(--ink)", "50%, var(--surface)", "35%, var(--ink)"];

/** The colour of a series as CSS. After the eighth they come again, darker, then paler. */
export function seriesColor(color: number): string {
  const plain = `var(--series-${(Math.abs(color) % COLORS) + 1})`;
  const other = OTHERS[Math.floor(Math.abs(color) / COLORS) % OTHERS.length]!;
  return other === "" ? plain : `color-mix(in oklab, ${plain} ${other})`;
}

/** How dark a cell of heat is: 0 to 100. What is not zero can be told from zero. */
export function heatPercent(value: number, max: number): number {
  if (!(value > 0) || !(max > 0)) return 0;
  return Math.round(12 + 88 * Math.min(1, value / max));
}
