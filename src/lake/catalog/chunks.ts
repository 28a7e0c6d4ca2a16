/** Rows of one statement; stores limit the number of its parameters. */
const CHUNK_ROWS = 500;

export function* chunks<T>(items: readonly T[], size = CHUNK_ROWS): Generator<T[]> {
  for (let at = 0; at < items.length; at += size) yield items.slice(at, at + size);
}
