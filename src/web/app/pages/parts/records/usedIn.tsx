import { invalidate, useData } from "../../../api/cache.ts";
import { type Answer, call } from "../../../api/client.ts";
import { formatNumber } from "../../../format/number.ts";
import { cut } from "../../../question/seen.ts";
import { hrefOf } from "../../../shell/entries.ts";
import { Empty, Problem, Skeleton } from "../../../ui/notice.tsx";

type Uses = Answer<"GET /api/environments/{project_id}/cohorts/{id}/used_in/">;

/** The insights, cohorts and actions that name a cohort or an action. */
export function UsedIn({ projectId, what, id }: { projectId: number; what: "cohort" | "action"; id: number }) {
  const key = `usedIn/${projectId}/${what}/${id}`;
  const params = { project_id: String(projectId), id };
  const { data, error } = useData(
    key,
    (): Promise<Uses> => call(`GET /api/environments/{project_id}/${what}s/{id}/used_in/`, { params }),
  );
  if (error !== undefined) return <Problem error={error} onRetry={() => invalidate(key)} />;
  if (data === undefined) return <Skeleton heightPx={120} />;
  const parts = partsOf(projectId, data).filter(({ total }) => total > 0);
  if (parts.length === 0) return <Empty title="Nowhere" />;
  return (
    <>
      {parts.map(({ title, uses, total }) => (
        <section key={title} class="person-part" aria-label={title}>
          <h2>{title}</h2>
          <ul class="id-list">
            {uses.map(({ name, href }) => (
              <li key={href}>
                <a href={href} dir="auto" title={cut(name)}>
                  {cut(name)}
                </a>
              </li>
            ))}
          </ul>
          {total > uses.length && <p class="pale">and {formatNumber(total - uses.length)} more</p>}
        </section>
      ))}
    </>
  );
}

function partsOf(projectId: number, { insights, cohorts, actions }: Uses) {
  const at = (path: string) => (one: { id: number; name: string }) => ({
    name: one.name,
    href: hrefOf(projectId, `${path}/${one.id}`),
  });
  return [
    {
      title: "Insights",
      total: insights.total,
      uses: insights.results.map((one) => ({ name: one.name, href: hrefOf(projectId, `insights/${one.short_id}`) })),
    },
    { title: "Cohorts", total: cohorts.total, uses: cohorts.results.map(at("cohorts")) },
    { title: "Actions", total: actions.total, uses: actions.results.map(at("data-management/actions")) },
  ];
}
