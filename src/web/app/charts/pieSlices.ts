/** A part of the ring, in turns: 0 is the top, 1 the whole way round. */
export interface Slice {
  part: number;
  from: number;
  to: number;
}

/**
 * The slices of the parts above zero, in their order. The total is of all parts; what is below zero has no slice, and
 * is no part of the whole.
 */
export function slicesOf(parts: readonly { value: number }[]): {
  slices: Slice[];
  total: number;
  whole: number;
} {
  const finite = (value: number) => (Number.isFinite(value) ? value : 0);
  const total = parts.reduce((sum, { value }) => sum + finite(value), 0);
  const whole = parts.reduce((sum, { value }) => sum + Math.max(0, finite(value)), 0);
  const slices: Slice[] = [];
  let turn = 0;
  for (const [part, { value }] of parts.entries()) {
    if (!(finite(value) > 0)) continue;
    const to = turn + value / whole;
    slices.push({ part, from: turn, to });
    turn = to;
  }
  return { slices, total, whole };
}
