import { useState } from "preact/hooks";
import { ApiError, call } from "../../api/client.ts";
import { formatDateTime } from "../../format/date.ts";
import { useEnvironment, useZone } from "../../session/environment.ts";
import { may } from "../../session/rights.ts";
import { hrefOf } from "../../shell/entries.ts";
import { useTitle } from "../../shell/title.ts";
import { Button } from "../../ui/button.tsx";
import { Empty, Problem, Skeleton } from "../../ui/notice.tsx";
import { Progress } from "../../ui/spinner.tsx";
import { told, useTask } from "../../ui/task.ts";
import { Code } from "../parts/start/code.tsx";
import { sourceName } from "./commands.ts";
import { canResume, figuresOf, type Import, runs, STATE_WORDS, silentMs } from "./figures.ts";
import { FigureList, Rejected } from "./rows.tsx";
import { State } from "./state.tsx";
import { Undo } from "./undo.tsx";
import { reloadImports, useImport } from "./useImports.ts";

const MINUTE_MS = 60_000;

/** One import: how far it is, what became of its rows, and what can be done about it. */
export function OneImport({ projectId, id }: { projectId: number; id: string }) {
  const { data, error } = useImport(projectId, id);
  useTitle(data === undefined ? "Import" : `Import from ${sourceName(data.source)}`);
  const isGone = error instanceof ApiError && error.status === 404;
  return (
    <main class="page">
      {isGone && (
        <Empty isPage title="There is no such import">
          <a class="button" href={hrefOf(projectId, "imports")}>
            All imports
          </a>
        </Empty>
      )}
      {!isGone && (
        <>
          <div class="page-head">
            <h1 dir="auto">{data === undefined ? "Import" : `Import from ${sourceName(data.source)}`}</h1>
            {data !== undefined && <Acts projectId={projectId} of={data} />}
            <a class="button" href={hrefOf(projectId, "imports")}>
              All imports
            </a>
          </div>
          {error !== undefined && <Problem error={error} onRetry={() => reloadImports(projectId)} />}
          {data === undefined && error === undefined && <Skeleton heightPx={240} />}
          {data !== undefined && <Facts projectId={projectId} of={data} />}
        </>
      )}
    </main>
  );
}

function Facts({ projectId, of: one }: { projectId: number; of: Import }) {
  const zone = useZone(projectId);
  const figures = figuresOf(one);
  const silent = silentMs(one, Date.now());
  const by = one.created_by?.first_name || one.created_by?.email;
  return (
    <div class="transfer">
      <p class="quiet" dir="auto">
        {one.origin || "Without a name of its history"}
        {` · begun ${formatDateTime(one.created_at, zone)}${by === undefined ? "" : ` by ${by}`}`}
        {one.finished_at !== null && ` · ended ${formatDateTime(one.finished_at, zone)}`}
      </p>
      <p role="status">
        <State of={one} />
      </p>
      {runs(one) && silent === null && <Progress label={STATE_WORDS[one.state]} ratio={figures.share} />}
      {one.error !== null && <Problem error={one.error} />}
      {silent !== null && (
        <p>
          Nothing was heard of its importer for {Math.floor(silent / MINUTE_MS)} min: it waits for a Weir that is busy,
          or it has ended without a word.
        </p>
      )}
      {canResume(one, Date.now()) && (
        <section aria-label="To go on">
          <p>To go on, on the machine where it was begun:</p>
          <Code text={`weir import resume ${one.id}`} />
        </section>
      )}
      <FigureList figures={figures} state={one.state} />
      <Rejected figures={figures} />
    </div>
  );
}

function Acts({ projectId, of: one }: { projectId: number; of: Import }) {
  const task = useTask();
  const [isUndoing, setUndoing] = useState(false);
  const isAdmin = useEnvironment(projectId).data?.user_access_level === "admin";
  if (!may("batch_import:write")) return null;
  const pause = () =>
    void task.run(() =>
      told(async () => {
        const params = { project_id: String(projectId), id: one.id };
        try {
          await call("POST /api/environments/{project_id}/imports/{id}/pause/", { params });
        } finally {
          reloadImports(projectId);
        }
      }),
    );
  return (
    <>
      {runs(one) && (
        <Button isBusy={task.isBusy} disabled={one.state === "stopping"} onClick={pause}>
          Pause
        </Button>
      )}
      {isAdmin && one.state !== "undone" && (
        <Button icon="trash" onClick={() => setUndoing(true)}>
          Undo
        </Button>
      )}
      {isUndoing && <Undo projectId={projectId} of={one} onClose={() => setUndoing(false)} />}
    </>
  );
}
