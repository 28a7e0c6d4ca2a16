import { useState } from "preact/hooks";
import { useRoute } from "preact-iso";
import { ApiError } from "../../api/client.ts";
import { boardName } from "../../format/name.ts";
import { useTitle } from "../../shell/title.ts";
import { Button } from "../../ui/button.tsx";
import { Empty, Problem } from "../../ui/notice.tsx";
import { LazyAccess } from "../parts/access/lazyAccess.tsx";
import { AddInsight } from "../parts/board/addInsight.tsx";
import { BoardTiles } from "../parts/board/boardTiles.tsx";
import { type BoardModel, useBoard } from "../parts/board/model.ts";
import { BoardSkeleton } from "../parts/board/skeleton.tsx";
import { TextDialog } from "../parts/board/textDialog.tsx";
import { LazySharing } from "../parts/sharing/lazySharing.tsx";
import { Subscriptions } from "../parts/watch/lazy.tsx";
import { Bar } from "./bar.tsx";
import { DetailsDialog } from "./details.tsx";
import { Head, type Wish } from "./head.tsx";

/** A dashboard: its head, its dates and filters, its tiles. */
export function DashboardPage() {
  const { params } = useRoute();
  const id = Number(params.dashboard);
  // Another dashboard is another page: nothing of the one before stays.
  return <Dashboard key={id} projectId={Number(params.project)} id={id} />;
}

function Dashboard({ projectId, id }: { projectId: number; id: number }) {
  const model = useBoard(projectId, id, { isInAddress: true });
  const [isEditing, setEditing] = useState(false);
  const [wish, setWish] = useState<Wish | null>(null);
  const { board, error } = model;
  const name = boardName(board?.name);
  useTitle(board === undefined ? null : name);
  if (board === undefined && error !== undefined)
    return <Failed error={error} projectId={projectId} onRetry={model.reload} />;
  return (
    <main class="page board-page">
      <Head model={model} isEditing={isEditing} onEdit={setEditing} onWish={setWish} />
      {error !== undefined && <Problem error={error} onRetry={model.reload} />}
      {board === undefined ? (
        <BoardSkeleton />
      ) : (
        <>
          <Bar model={model} />
          {board.tiles.length === 0 ? (
            <Nothing model={model} onWish={setWish} />
          ) : (
            <BoardTiles model={model} isEditing={isEditing} />
          )}
        </>
      )}
      {board !== undefined && <Windows wish={wish} model={model} name={name} onClose={() => setWish(null)} />}
    </main>
  );
}

interface WindowsProps {
  wish: Wish | null;
  model: BoardModel;
  name: string;
  onClose(): void;
}

function Windows({ wish, model, name, onClose }: WindowsProps) {
  if (wish === "insight") return <AddInsight model={model} onClose={onClose} />;
  if (wish === "text") return <TextDialog model={model} onClose={onClose} />;
  if (wish === "send") {
    return (
      <Subscriptions
        projectId={model.projectId}
        subject={{ what: "dashboard", id: model.id, name }}
        mayEdit={model.mayEdit}
        onClose={onClose}
      />
    );
  }
  if (wish === "details") return <DetailsDialog model={model} onClose={onClose} />;
  if (wish === "access") {
    return <LazyAccess what="dashboard" projectId={model.projectId} id={model.id} onClose={onClose} />;
  }
  if (wish !== "share") return null;
  return <LazySharing what="dashboard" projectId={model.projectId} id={model.id} name={name} onClose={onClose} />;
}

function Nothing({ model, onWish }: { model: BoardModel; onWish(wish: Wish): void }) {
  if (!model.mayEdit) return <Empty title="This dashboard is empty" />;
  return (
    <Empty title="This dashboard is empty">
      <p>Put insights and texts on it, then drag them to where they belong.</p>
      <span class="board-actions">
        <Button look="primary" icon="plus" onClick={() => onWish("insight")}>
          Add insight
        </Button>
        <Button onClick={() => onWish("text")}>Add text</Button>
      </span>
    </Empty>
  );
}

function Failed({ error, projectId, onRetry }: { error: unknown; projectId: number; onRetry(): void }) {
  const isGone = error instanceof ApiError && error.status === 404;
  return (
    <main class="page">
      <div class="page-head">
        <h1>{isGone ? "There is no such dashboard" : "Dashboard"}</h1>
      </div>
      {isGone ? (
        <p>
          It may have been deleted. <a href={`/project/${projectId}/dashboard`}>All dashboards</a>
        </p>
      ) : (
        <Problem error={error} onRetry={onRetry} />
      )}
    </main>
  );
}
