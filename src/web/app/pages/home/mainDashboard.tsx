import { ApiError } from "../../api/client.ts";
import { hrefOf } from "../../shell/entries.ts";
import { Problem } from "../../ui/notice.tsx";
import { BoardTiles } from "../parts/board/boardTiles.tsx";
import { useBoard } from "../parts/board/model.ts";
import { BoardSkeleton } from "../parts/board/skeleton.tsx";
import { Overview } from "./overview.tsx";

/** The dashboard that the project shows first, to look at. */
export function MainDashboard({ projectId, dashboard }: { projectId: number; dashboard: number }) {
  const model = { ...useBoard(projectId, dashboard), mayEdit: false };
  const { board, error } = model;
  if (error instanceof ApiError && error.status === 404) return <Overview projectId={projectId} />;
  return (
    <main class="page board-page">
      <div class="page-head">
        <h1 dir="auto">{board?.name || "Home"}</h1>
        <a class="button" href={hrefOf(projectId, `dashboard/${dashboard}`)}>
          Open the dashboard
        </a>
      </div>
      {error !== undefined && <Problem error={error} onRetry={model.reload} />}
      {board === undefined ? <BoardSkeleton /> : <BoardTiles model={model} />}
    </main>
  );
}
