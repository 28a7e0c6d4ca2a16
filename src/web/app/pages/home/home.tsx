import { useEnvironment } from "../../session/environment.ts";
import { useChunk } from "../../ui/chunk.ts";
import { Skeleton } from "../../ui/notice.tsx";
import { Overview } from "./overview.tsx";

/** The main dashboard of a project, or what was changed last. */
export function HomePage({ project = "" }: { project?: string }) {
  return <Home key={project} projectId={Number(project)} />;
}

function Home({ projectId }: { projectId: number }) {
  const { data, error } = useEnvironment(projectId);
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
