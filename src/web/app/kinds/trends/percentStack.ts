/** Values of several lines as shares of their sum at each place; 0 where the sum is 0. Values below zero count as 0. */
export function percentStack(lines: readonly (readonly (number | null)[])[]): readonly (readonly number[])[] {
  const length = Math.max(0, ...lines.map((values) => values.length));
  const sums = Array.from({ length }, (_, index) =>
    lines.reduce((sum, values) => sum + Math.max(0, values[index] ?? 0), 0),
  );
  return lines.map((values) =>
    Array.from({ length }, (_, index) => {
      const sum = sums[index] ?? 0;
      return sum === 0 ? 0 : Math.max(0, values[index] ?? 0) / sum;
    }),
  );
}
