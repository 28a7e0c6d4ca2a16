/** Rows of one statement; stores limit the number of its parameters. */
const CHUNK_ROWS = 500;

export function* chunks<T>(items: readonly T[]): Generator<T[]> {
  for (let at = 0; at < items.length; at += CHUNK_ROWS) yield items.slice(at, at + CHUNK_ROWS);
}
