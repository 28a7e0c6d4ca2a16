import { Skeleton } from "../../../ui/notice.tsx";

const TILE_PX = 328;

/** A board that is not known yet. */
export function BoardSkeleton() {
  return (
    <div class="board-wait" aria-busy="true">
      {[1, 2, 3, 4].map((tile) => (
        <Skeleton key={tile} heightPx={TILE_PX} />
      ))}
    </div>
  );
}
