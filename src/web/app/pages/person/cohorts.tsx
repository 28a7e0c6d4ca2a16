import { invalidate, useData } from "../../api/cache.ts";
import { call } from "../../api/client.ts";
import { hrefOf } from "../../shell/entries.ts";
import { Empty, Problem, Skeleton } from "../../ui/notice.tsx";

/** The cohorts that a person is in now. */
export function Cohorts({ projectId, uuid }: { projectId: number; uuid: string }) {
  const key = `cohortsOf/${projectId}/${uuid}`;
  const { data, error } = useData(key, () =>
    call("GET /api/environments/{project_id}/persons/cohorts/", {
      params: { project_id: String(projectId) },
      query: { person_id: uuid },
    }),
  );
  if (error !== undefined) return <Problem error={error} onRetry={() => invalidate(key)} />;
  if (data === undefined) return <Skeleton heightPx={120} />;
  if (data.results.length === 0) return <Empty title="In no cohort" />;
  return (
    <ul class="id-list person-part">
      {data.results.map(({ id, name, is_static: isStatic }) => (
        <li key={id}>
          <a href={hrefOf(projectId, `cohorts/${id}`)} dir="auto" title={name ?? ""}>
            {name || "Untitled cohort"}
          </a>
          <span class="pale">{isStatic ? "a list" : "by its filters"}</span>
        </li>
      ))}
    </ul>
  );
}
