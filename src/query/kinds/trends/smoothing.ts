/**
 * Each value as the average of it and those before it, `intervals` in all, rounded down
 * (docs/queries.md#formulas-and-displays).
 */
export function smoothed(data: readonly number[], intervals: number): number[] {
  return data.map((_, i) => {
    const window = data.slice(Math.max(0, i - intervals + 1), i + 1);
    return Math.floor(window.reduce((sum, value) => sum + value, 0) / window.length);
  });
}

/** The sum of all values up to each. */
export function runningSum(data: readonly number[]): number[] {
  let sum = 0;
  return data.map((value) => {
    sum += value;
    return sum;
  });
}
