import { useMemo } from "preact/hooks";
import { useLocation } from "preact-iso";
import { useData } from "../../api/cache.ts";
import { insightKey } from "../../api/keys.ts";
import { Empty, Problem, Skeleton } from "../../ui/notice.tsx";
import { readFragment } from "../parts/insight/fragment.ts";
import { loadInsight } from "../parts/insight/insightApi.ts";
import { Workbench } from "./workbench.tsx";

/** SQL: written, checked while it is written, run, drawn, saved. */
export function SqlPage({ project = "" }: { project?: string }) {
  const projectId = Number(project);
  const { query } = useLocation();
  const shortId = query.open_insight;
  if (shortId !== undefined)
    return <SavedSql key={`${projectId} ${shortId}`} projectId={projectId} shortId={shortId} />;
  return <NewSql key={projectId} projectId={projectId} />;
}

function NewSql({ projectId }: { projectId: number }) {
  const given = useMemo(() => readFragment(window.location.hash), []);
  return <Workbench projectId={projectId} insight={null} given={given} />;
}

function SavedSql({ projectId, shortId }: { projectId: number; shortId: string }) {
  const { data, error } = useData(insightKey(projectId, shortId), () => loadInsight(projectId, shortId));
  const given = useMemo(() => readFragment(window.location.hash), []);
  if (data === undefined || data === null) {
    return (
      <main class="page" aria-busy={data === undefined && error === undefined}>
        {error !== undefined && <Problem error={error} onRetry={() => window.location.reload()} />}
        {error === undefined && data === undefined && <Skeleton heightPx={400} />}
        {data === null && (
          <Empty isPage title="There is no such insight">
            <a href={`/project/${projectId}/insights`}>All insights</a>
          </Empty>
        )}
      </main>
    );
  }
  return <Workbench projectId={projectId} insight={data} given={given} />;
}
