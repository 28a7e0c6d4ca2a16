import { useEffect, useRef } from "preact/hooks";
import { remember } from "../../../api/cache.ts";
import { messageOf } from "../../../ui/notice.tsx";
import { toast } from "../../../ui/toast.tsx";
import { keepPlaces, takePlaces } from "./keptPlaces.ts";
import { type Box, changed } from "./layout.ts";
import { storedBoxes, withPlaces } from "./places.ts";
import type { Dashboard } from "./types.ts";

interface Places {
  /** Of the board in the cache. */
  key: string;
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
  /** Places that are shown and not sent yet. */
  const shown = useRef<readonly Box[]>([]);
  const flush = () => pending.current?.send();
  useEffect(() => {
    // A closed tab loses nothing; a page that is loaded again may be faster than what it has sent.
    const leave = () => {
      if (pending.current !== null) keepPlaces(key, shown.current);
      flush();
    };
    window.addEventListener("pagehide", leave);
    return () => {
      window.removeEventListener("pagehide", leave);
      flush();
    };
  }, [key]);
  const isThere = board !== undefined;
  useEffect(() => {
    if (board === undefined) return;
    const ids = new Set(board.tiles.map(({ id }) => id));
    const kept = takePlaces(key).filter(({ id }) => ids.has(id));
    if (kept.length === ids.size) place(kept);
  }, [key, isThere]);

  function place(next: readonly Box[]): void {
    if (board === undefined) return;
    const first = unsent.current ?? board;
    unsent.current = first;
    remember(key, withPlaces(board, next));
    shown.current = next;
    changes.current++;
    if (pending.current !== null) clearTimeout(pending.current.timer);
    const send = () => {
      if (pending.current === null) return;
      clearTimeout(pending.current.timer);
      pending.current = null;
      unsent.current = null;
      const moved = changed(storedBoxes(first), next);
      const tiles = moved.map(({ id, x, y, w, h }) => ({ id, layouts: { sm: { x, y, w, h } } }));
      if (tiles.length > 0) void saveOver(first, tiles);
    };
    pending.current = { timer: setTimeout(send, PAUSE_MS), send };
  }

  async function saveOver(before: Dashboard, tiles: Record<string, unknown>[]): Promise<void> {
    const number = changes.current;
    try {
      await save(tiles);
    } catch (error) {
      if (number === changes.current) remember(key, before);
      toast(`The new layout is not saved: ${messageOf(error)}`, { isProblem: true });
    }
  }

  return { place, flush };
}
