import type { Box } from "./layout.ts";

/** After this others may have changed the layout: what was kept is not put over theirs. */
const KEPT_MS = 10_000;

interface Kept {
  atMs: number;
  boxes: readonly Box[];
}

const nameOf = (board: string): string => `weir.places.${board}`;

/** Keeps the places of tiles that are on their way to the server, for the next load of a board in this tab; gives what forgets them. */
export function keepPlaces(board: string, boxes: readonly Box[]): () => void {
  const [name, text] = [nameOf(board), JSON.stringify({ atMs: Date.now(), boxes } satisfies Kept)];
  try {
    sessionStorage.setItem(name, text);
  } catch {
    // This browser keeps nothing.
    return () => {};
  }
  // Newer ones stay.
  return () => sessionStorage.getItem(name) === text && sessionStorage.removeItem(name);
}

/** What was kept a moment ago, once; none where nothing was. */
export function takePlaces(board: string): readonly Box[] {
  try {
    const text = sessionStorage.getItem(nameOf(board));
    if (text === null) return [];
    sessionStorage.removeItem(nameOf(board));
    const { atMs, boxes } = JSON.parse(text) as Kept;
    return Date.now() - atMs < KEPT_MS ? boxes : [];
  } catch {
    return [];
  }
}
