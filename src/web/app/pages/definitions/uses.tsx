import { invalidate, useData } from "../../api/cache.ts";
import { call } from "../../api/client.ts";
import { insightName } from "../../format/name.ts";
import { cut } from "../../question/seen.ts";
import { hrefOf } from "../../shell/entries.ts";
import { Problem, Skeleton } from "../../ui/notice.tsx";
import type { Definition } from "./load.ts";

/** What names it, with links. */
export function Uses({ projectId, definition }: { projectId: number; definition: Definition }) {
  const { id, subject } = definition;
  const key = `uses/${projectId}/${id}`;
  const { data, error } = useData(key, () => {
    const params = { project_id: String(projectId), id };
    return subject.kind === "event"
      ? call("GET /api/environments/{project_id}/event_definitions/{id}/uses/", { params })
      : call("GET /api/environments/{project_id}/property_definitions/{id}/uses/", { params });
  });
  if (data === undefined) {
    return error === undefined ? <Skeleton heightPx={60} /> : <Problem error={error} onRetry={() => invalidate(key)} />;
  }
  const kinds = [
    {
      label: "Insights",
      uses: data.insights?.map((one) => ({
        name: insightName(one),
        href: hrefOf(projectId, `insights/${one.short_id}`),
      })),
    },
    {
      label: "Actions",
      uses: data.actions?.map(({ id, name }) => ({
        name: name || `Action ${id}`,
        href: hrefOf(projectId, `data-management/actions/${id}`),
      })),
    },
    {
      label: "Cohorts",
      uses: data.cohorts?.map(({ id, name }) => ({
        name: name || `Cohort ${id}`,
        href: hrefOf(projectId, `cohorts/${id}`),
      })),
    },
  ];
  const used = kinds.filter(({ uses }) => uses !== undefined && uses.length > 0);
  if (used.length === 0) return <p class="pale">Nothing that you may see names it.</p>;
  return (
    <>
      {used.map(({ label, uses = [] }) => (
        <div key={label} class="definition-uses">
          <h3>{label}</h3>
          <ul>
            {uses.map(({ name, href }) => (
              <li key={href}>
                <a href={href} dir="auto">
                  {cut(name)}
                </a>
              </li>
            ))}
          </ul>
        </div>
      ))}
    </>
  );
}
