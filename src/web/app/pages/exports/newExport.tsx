import { useLocation } from "preact-iso";
import { useEnvironment } from "../../session/environment.ts";
import { hrefOf } from "../../shell/entries.ts";
import { useTitle } from "../../shell/title.ts";
import { Problem, Skeleton } from "../../ui/notice.tsx";
import { ExportForm } from "./exportForm.tsx";
import { reloadExports } from "./useExports.ts";

/** A batch export that is made. */
export function NewExport({ projectId }: { projectId: number }) {
  const { route } = useLocation();
  const { data, error, retry } = useEnvironment(projectId);
  useTitle("New export");
  return (
    <main class="page">
      <div class="page-head">
        <h1>New export</h1>
        <a class="button" href={hrefOf(projectId, "exports")}>
          All exports
        </a>
      </div>
      {data === undefined && error !== undefined && <Problem error={error} onRetry={retry} />}
      {data === undefined && error === undefined && <Skeleton heightPx={320} />}
      {data !== undefined && (
        <ExportForm
          projectId={projectId}
          saved={null}
          zone={data.timezone}
          onSaved={({ id }) => {
            reloadExports(projectId);
            route(hrefOf(projectId, `exports/${id}`));
          }}
        />
      )}
    </main>
  );
}
