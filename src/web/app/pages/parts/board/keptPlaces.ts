import type { Box } from "./layout.ts";

const nameOf = (board: string): string => `weir.places.${board}`;

/** Keeps the places of tiles for the next load of a board in this tab. */
export function keepPlaces(board: string, boxes: readonly Box[]): void {
  try {
    sessionStorage.setItem(nameOf(board), JSON.stringify(boxes));
  } catch {
    // This browser keeps nothing; the places are on their way to the server.
  }
}

/** What was kept, once; none where nothing was. */
export function takePlaces(board: string): readonly Box[] {
  try {
    const text = sessionStorage.getItem(nameOf(board));
    sessionStorage.removeItem(nameOf(board));
    return text === null ? [] : (JSON.parse(text) as readonly Box[]);
  } catch {
    return [];
  }
}
