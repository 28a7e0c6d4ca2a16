/** The known name with the fewest changed letters, where few enough. */
export function nearest(name: string, names: Iterable<string>): string | null {
  const limit = Math.min(3, Math.ceil(name.length / 3));
  let best: string | null = null;
  let least = limit + 1;
  if (name.length > 50) return null;
  for (const known of names) {
    const changes = distance(name.toLowerCase(), known.toLowerCase());
    if (changes < least) [best, least] = [known, changes];
  }
  return best;
}

/** Letters to insert, delete, change or swap with their neighbour to get from a to b. */
function distance(a: string, b: string): number {
  const rows = [Array.from({ length: b.length + 1 }, (_, i) => i)];
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const changed = rows[i - 1]![j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swapped = isSwap ? rows[i - 2]![j - 2]! + 1 : changed;
      row.push(Math.min(changed, swapped, rows[i - 1]![j]! + 1, row[j - 1]! + 1));
    }
    rows.push(row);
  }
  return rows[a.length]![b.length]!;
}
