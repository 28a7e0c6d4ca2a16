import { useEffect, useRef } from "preact/hooks";
import { remember } from "../../../api/cache.ts";
import { ApiError } from "../../../api/client.ts";
import { messageOf } from "../../../ui/notice.tsx";
import { toast } from "../../../ui/toast.tsx";
import { keepPlaces, takePlaces } from "./keptPlaces.ts";
import { type Box, changed } from "./layout.ts";
import { storedBoxes, withPlaces } from "./places.ts";
import type { Dashboard } from "./types.ts";

interface Places {
  /** Of the board in the cache. */
  key: string;
  /** As it was loaded under that key. */
  board: Dashboard | undefined;
  /** Counts the changes of a board: a failure takes back only what nothing came after. */
  changes: { current: number };
  /** Saves the places of tiles. */
  save(tiles: Record<string, unknown>[]): Promise<unknown>;
}

const PAUSE_MS = 500;

/** Shows tiles in other places at once, and saves these a moment after the last of several moves. `flush` saves them now. */
export function usePlaces({ key, board, changes, save }: Places) {
  const pending = useRef<{ timer: ReturnType<typeof setTimeout>; send(): void } | null>(null);
  /** The board before the places that are not sent yet. */
  const unsent = useRef<Dashboard | null>(null);
  const flush = () => pending.current?.send();
  useEffect(() => {
    // A closed tab loses nothing.
    window.addEventListener("pagehide", flush);
    return () => {
      window.removeEventListener("pagehide", flush);
      flush();
    };
  }, [key]);
  const isThere = board !== undefined;
  useEffect(() => {
    if (board === undefined) return;
    const ids = new Set(board.tiles.map(({ id }) => id));
    const kept = takePlaces(key).filter(({ id }) => ids.has(id));
    if (kept.length > 0 && kept.length === ids.size) place(kept);
  }, [key, isThere]);

  function place(next: readonly Box[]): void {
    if (board === undefined) return;
    const first = unsent.current ?? board;
    unsent.current = first;
    remember(key, withPlaces(board, next));
    changes.current++;
    if (pending.current !== null) clearTimeout(pending.current.timer);
    const send = () => {
      if (pending.current === null) return;
      clearTimeout(pending.current.timer);
      pending.current = null;
      unsent.current = null;
      const moved = changed(storedBoxes(first), next);
      const tiles = moved.map(({ id, x, y, w, h }) => ({ id, layouts: { sm: { x, y, w, h } } }));
      if (tiles.length === 0) return;
      // A page that is loaded again may be faster than this.
      void saveOver(first, tiles, keepPlaces(key, next));
    };
    pending.current = { timer: setTimeout(send, PAUSE_MS), send };
  }

  async function saveOver(before: Dashboard, tiles: Record<string, unknown>[], forget: () => void): Promise<void> {
    const number = changes.current;
    try {
      await save(tiles);
      forget();
    } catch (error) {
      // A page that is left may end its requests: that is no answer.
      if (!(error instanceof ApiError) || error.status !== 0) forget();
      if (number === changes.current) remember(key, before);
      toast(`The new layout is not saved: ${messageOf(error)}`, { isProblem: true });
    }
  }

  return { place, flush };
}
