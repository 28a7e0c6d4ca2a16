const COLORS = 8;

/** The colour of a series as CSS. After the eighth they come again, nearer to the ink. */
export function seriesColor(color: number): string {
  const plain = `var(--series-${(Math.abs(color) % COLORS) + 1})`;
  const round = Math.floor(Math.abs(color) / COLORS);
  return round === 0 ? plain : `color-mix(in oklab, ${plain} ${Math.max(40, 100 - round * 25)}%, var(--ink))`;
}

/** How dark a cell of heat is: 0 to 100. What is not zero can be told from zero. */
export function heatPercent(value: number, max: number): number {
  if (!(value > 0) || !(max > 0)) return 0;
  return Math.round(6 + 94 * Math.min(1, value / max));
}
