import { useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { ApiError, call } from "../../api/client.ts";
import type { BatchExport } from "../../api/schema.ts";
import { useZone } from "../../session/environment.ts";
import { may } from "../../session/rights.ts";
import { hrefOf } from "../../shell/entries.ts";
import { useTitle } from "../../shell/title.ts";
import { Button } from "../../ui/button.tsx";
import { Confirm } from "../../ui/confirm.tsx";
import { Empty, Problem, Skeleton } from "../../ui/notice.tsx";
import { toast } from "../../ui/toast.tsx";
import { Backfills } from "./backfills.tsx";
import { destinationOf, whereOf } from "./destinations.ts";
import { ExportForm } from "./exportForm.tsx";
import { PauseButton } from "./pauseButton.tsx";
import { Runs } from "./runs.tsx";
import { TestConnection } from "./testConnection.tsx";
import { reloadExports, useExport } from "./useExports.ts";
import { modelLabel, rhythmOf } from "./words.ts";

/** One batch export: what it does, its runs, and what can be done about it. */
export function OneExport({ projectId, id }: { projectId: number; id: string }) {
  const { data, error } = useExport(projectId, id);
  const [isEditing, setEditing] = useState(false);
  const zone = useZone(projectId);
  useTitle(data?.name ?? "Export");
  const isGone = error instanceof ApiError && error.status === 404;
  const all = (
    <a class="button" href={hrefOf(projectId, "exports")}>
      All exports
    </a>
  );
  return (
    <main class="page">
      {isGone && (
        <Empty isPage title="There is no such export">
          {all}
        </Empty>
      )}
      {!isGone && (
        <>
          <div class="page-head">
            <h1 dir="auto">{data?.name ?? "Export"}</h1>
            {data !== undefined && !isEditing && may("batch_export:write") && (
              <>
                <PauseButton projectId={projectId} of={data} />
                {destinationOf(data.destination.type) !== undefined && (
                  <Button icon="pencil" onClick={() => setEditing(true)}>
                    Edit
                  </Button>
                )}
                <Remove projectId={projectId} of={data} />
              </>
            )}
            {all}
          </div>
          {error !== undefined && <Problem error={error} onRetry={() => reloadExports(projectId)} />}
          {data === undefined && error === undefined && <Skeleton heightPx={240} />}
          {data !== undefined && isEditing && (
            <ExportForm
              projectId={projectId}
              saved={data}
              zone={zone}
              onCancel={() => setEditing(false)}
              onSaved={() => {
                reloadExports(projectId);
                setEditing(false);
              }}
            />
          )}
          {data !== undefined && !isEditing && <Facts projectId={projectId} zone={zone} of={data} />}
        </>
      )}
    </main>
  );
}

function Facts({ projectId, zone, of: one }: { projectId: number; zone: string; of: BatchExport }) {
  const to = destinationOf(one.destination.type)?.label ?? one.destination.type;
  return (
    <div class="transfer">
      <p class="quiet" dir="auto">
        {[modelLabel(one.model), `${to}: ${whereOf(one)}`, rhythmOf(one)].join(" · ")}
      </p>
      {one.paused && <p role="status">Paused: no run is begun until it goes on.</p>}
      {may("batch_export:write") && <TestConnection projectId={projectId} saved={one} />}
      <Backfills projectId={projectId} zone={zone} of={one} />
      <Runs projectId={projectId} zone={zone} id={one.id} />
    </div>
  );
}

function Remove({ projectId, of: { id, name } }: { projectId: number; of: BatchExport }) {
  const { route } = useLocation();
  const [isAsking, setAsking] = useState(false);
  const remove = async () => {
    const params = { project_id: String(projectId), id };
    await call("DELETE /api/environments/{project_id}/batch_exports/{id}/", { params });
    toast(`Deleted “${name}”`);
    route(hrefOf(projectId, "exports"));
  };
  return (
    <>
      <Button icon="trash" onClick={() => setAsking(true)}>
        Delete
      </Button>
      {isAsking && (
        <Confirm
          title={`Delete the export “${name}”?`}
          action="Delete"
          isDangerous
          onConfirm={remove}
          onClose={() => setAsking(false)}
        >
          Runs that have not ended are cancelled. What was exported stays where it is.
        </Confirm>
      )}
    </>
  );
}
