import { useData } from "../../api/cache.ts";
import { call } from "../../api/client.ts";
import { user } from "../../session/session.ts";
import { useChunk } from "../../ui/chunk.ts";
import { Skeleton } from "../../ui/notice.tsx";
import { Start } from "../start/start.tsx";
import { Overview } from "./overview.tsx";

/** What a project begins with: how to send events, until there is one; then its main dashboard, or what was changed last. */
export function HomePage({ project = "" }: { project?: string }) {
  const projectId = Number(project);
  const team = user.value?.organization.teams.find(({ id }) => id === projectId);
  if (team?.ingested_event === false) return <Start projectId={projectId} />;
  return <Home key={projectId} projectId={projectId} />;
}

function Home({ projectId }: { projectId: number }) {
  const params = { project_id: String(projectId) };
  const { data, error } = useData(`environment/${projectId}`, () =>
    call("GET /api/environments/{project_id}/", { params }),
  );
  if (data === undefined && error === undefined) return <Loading />;
  const dashboard = data?.primary_dashboard ?? null;
  if (dashboard === null) return <Overview projectId={projectId} />;
  return <MainDashboard projectId={projectId} dashboard={dashboard} />;
}

/** Charts are loaded only where they are shown. */
function MainDashboard(props: { projectId: number; dashboard: number }) {
  const Part = useChunk(() => import("./mainDashboard.tsx"))?.MainDashboard;
  return Part === undefined ? <Loading /> : <Part {...props} />;
}

function Loading() {
  return (
    <main class="page" aria-busy="true">
      <Skeleton heightPx={320} />
    </main>
  );
}
