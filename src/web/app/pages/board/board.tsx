import { Empty, Problem, Skeleton } from "../../ui/notice.tsx";
import { BoardTiles } from "./boardTiles.tsx";
import { useBoard } from "./model.ts";

/** The tiles of a dashboard, without what is around them on its own page. */
export function Board({ projectId, id }: { projectId: number; id: number }) {
  const model = useBoard(projectId, id);
  if (model.board === undefined) {
    return model.error === undefined ? <BoardSkeleton /> : <Problem error={model.error} onRetry={model.reload} />;
  }
  if (model.board.tiles.length === 0) {
    return (
      <Empty title="This dashboard is empty">
        <a class="button" href={`/project/${projectId}/dashboard/${id}`}>
          Add insights
        </a>
      </Empty>
    );
  }
  return <BoardTiles model={model} />;
}

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
