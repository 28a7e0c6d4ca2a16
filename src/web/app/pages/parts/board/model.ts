import { useMemo, useRef, useState } from "preact/hooks";
import { invalidate, remember, useData } from "../../../api/cache.ts";
import { call } from "../../../api/client.ts";
import { mayEdit } from "../../../session/rights.ts";
import { messageOf } from "../../../ui/notice.tsx";
import { toast } from "../../../ui/toast.tsx";
import type { BoardFilters } from "./filters.ts";
import type { Box } from "./layout.ts";
import { boardUnder } from "./load.ts";
import { boxesOf } from "./places.ts";
import type { Dashboard, Tile } from "./types.ts";
import { useOwnFilters } from "./useOwnFilters.ts";
import { usePlaces } from "./usePlaces.ts";

/** What a change of a board sends. */
interface Changes {
  name?: string;
  description?: string;
  pinned?: boolean;
  deleted?: boolean;
  filters?: BoardFilters;
  tiles?: Record<string, unknown>[];
}

/** A board as it is shown, and all that can be done to it. */
export interface BoardModel {
  projectId: number;
  id: number;
  board: Dashboard | undefined;
  error: unknown;
  /** The tiles are those of other filters still. */
  isLoading: boolean;
  reload(): void;
  mayEdit: boolean;
  boxes: readonly Box[];
  tiles: ReadonlyMap<number, Tile>;
  /** Those of this look at it alone. */
  own: BoardFilters;
  setOwn(filters: BoardFilters): void;
  /** Those that are in force. */
  filters: BoardFilters;
  /** Higher after each wish to calculate everything anew. */
  round: number;
  refreshAll(): void;
  /** Shows a change at once, and takes it back where it cannot be saved. Throws ApiError. */
  save(shown: (board: Dashboard) => Dashboard, changes: Changes): Promise<void>;
  /** The same with a message where it fails. Gives whether it was saved. */
  change(shown: (board: Dashboard) => Dashboard, changes: Changes): Promise<boolean>;
  /** Shows tiles in other places at once, and saves these a moment after the last of several moves. */
  place(boxes: readonly Box[]): void;
  /** When all that was changed so far is saved, or was refused. */
  settled(): Promise<void>;
}

const PATCH = "PATCH /api/environments/{project_id}/dashboards/{id}/";

/** A board. What the cache of answers has comes with it; nothing is calculated for it. */
export function useBoard(projectId: number, id: number, { isInAddress = false } = {}): BoardModel {
  // Under other filters the board before stays until the new one is there.
  const shown = useRef<Dashboard | undefined>(undefined);
  const savedFilters = () => (shown.current?.persisted_filters ?? {}) as BoardFilters;
  const [own, setOwn] = useOwnFilters(savedFilters, isInAddress);
  const [round, setRound] = useState(0);
  const params = { project_id: String(projectId), id };
  const { key, query, load } = boardUnder(projectId, id, own);
  const known = useData(key, load);
  if (known.data !== undefined) shown.current = known.data;
  if (shown.current?.id !== id) shown.current = undefined;
  const board = shown.current;
  const changes = useRef(0);

  const boxes = useMemo(() => (board === undefined ? [] : boxesOf(board)), [board?.tiles]);
  const tiles = useMemo(() => new Map(board?.tiles.map((tile) => [tile.id, tile])), [board?.tiles]);

  const inTurn = useTurns();
  const { place, flush } = usePlaces({
    key,
    board: known.data,
    changes,
    save: (tiles) =>
      inTurn(() => call(PATCH, { params, query: { refresh: "force_cache" }, body: { tiles }, isLasting: true })),
  });

  async function save(show: (board: Dashboard) => Dashboard, body: Changes): Promise<void> {
    if (board === undefined) return;
    const number = ++changes.current;
    remember(key, show(board));
    flush();
    try {
      const saved = await inTurn(() => call(PATCH, { params, query, body }));
      // What was changed since is not in it.
      if (number === changes.current) remember(key, saved);
    } catch (error) {
      if (number === changes.current) remember(key, board);
      else invalidate(key);
      throw error;
    }
  }

  return {
    projectId,
    id,
    board,
    error: known.error,
    isLoading: board !== undefined && known.data === undefined && known.isLoading,
    reload: () => invalidate(key),
    mayEdit: board !== undefined && mayEdit("dashboard", board),
    boxes,
    tiles,
    own,
    setOwn,
    filters: { ...board?.persisted_filters, ...own },
    round,
    refreshAll: () => {
      setRound((before) => before + 1);
      // Others may have changed the board itself.
      invalidate(key);
    },
    save,
    change: (...what) =>
      save(...what).then(
        () => true,
        (error: unknown) => {
          toast(`Not saved: ${messageOf(error)}`, { isProblem: true });
          return false;
        },
      ),
    place,
    settled: () => {
      flush();
      return inTurn(async () => {});
    },
  };
}

/** Runs jobs one after the other, so that no answer is older than the change before it. */
function useTurns(): <T>(job: () => Promise<T>) => Promise<T> {
  const last = useRef<Promise<unknown>>(Promise.resolve());
  return (job) => {
    const next = last.current.then(job);
    last.current = next.catch(() => {});
    return next;
  };
}
