import { prefetchEnvironment, useEnvironment } from "../../session/environment.ts";
import { later } from "../../ui/later.tsx";
import { Problem, Skeleton } from "../../ui/notice.tsx";
import { prefetchBoard } from "../parts/board/load.ts";
import { Overview } from "./overview.tsx";

const loadMainDashboard = () => import("./mainDashboard.tsx");

/** Begins to load all that the home page of a project shows, beside the question who the user is. */
export async function warmHome(projectId: number): Promise<void> {
  const dashboard = (await prefetchEnvironment(projectId))?.primary_dashboard ?? null;
  if (dashboard === null) return;
  prefetchBoard(projectId, dashboard);
  // Where it cannot be loaded the page says so.
  void loadMainDashboard().catch(() => {});
}

/** The main dashboard of a project, or what was changed last. */
export function HomePage({ project = "" }: { project?: string }) {
  return <Home key={project} projectId={Number(project)} />;
}

function Home({ projectId }: { projectId: number }) {
  const { data, error, retry } = useEnvironment(projectId);
  if (data === undefined && error === undefined) return <Loading />;
  if (data === undefined) {
    return (
      <main class="page">
        <h1>Home</h1>
        <Problem error={error} onRetry={retry} />
      </main>
    );
  }
  const dashboard = data.primary_dashboard;
  if (dashboard === null) return <Overview projectId={projectId} />;
  return <MainDashboard projectId={projectId} dashboard={dashboard} />;
}

/** Charts are loaded only where they are shown. */
const MainDashboard = later(() => loadMainDashboard().then((file) => file.MainDashboard), Loading);

function Loading() {
  return (
    <main class="page" aria-busy="true">
      <Skeleton heightPx={320} />
    </main>
  );
}
