import { invalidate, useData } from "../../../api/cache.ts";
import { type Answer, call } from "../../../api/client.ts";
import { type Actor, detailOf, nameOf, pageOf } from "../../../kinds/people/actor.ts";
import { useGroupTypes } from "../../../question/definitions.ts";
import { plural } from "../../../question/names.ts";
import { cut } from "../../../question/seen.ts";
import { Empty, Problem, Skeleton } from "../../../ui/notice.tsx";
import type { Subject } from "./subject.ts";

type Related = Answer<"GET /api/environments/{project_id}/groups/related/">[number];

/** With whom somebody was seen in the last 90 days: groups, and of a group its persons. */
export function RelatedList({
  projectId,
  subject,
}: {
  projectId: number;
  subject: Exclude<Subject, { kind: "distinctId" }>;
}) {
  const types = useGroupTypes(projectId);
  const [id, index] = subject.kind === "group" ? [subject.key, subject.index as 0] : [subject.id, undefined];
  const key = `related/${projectId}/${index ?? ""}/${id}`;
  const { data, error } = useData(key, () =>
    call("GET /api/environments/{project_id}/groups/related/", {
      params: { project_id: String(projectId) },
      query: { id, group_type_index: index },
    }),
  );
  if (error !== undefined) return <Problem error={error} onRetry={() => invalidate(key)} />;
  if (data === undefined) return <Skeleton heightPx={120} />;
  if (data.length === 0) return <Empty title="Nobody in the last 90 days" />;
  const titleOf = (one: Related) =>
    one.type === "person"
      ? "Persons"
      : plural(types.find((type) => type.index === one.group_type_index)?.name ?? "group");
  return (
    <>
      {[...Map.groupBy(data, titleOf)].map(([title, actors]) => (
        <section key={title} class="person-part" aria-label={title}>
          <h2 dir="auto">{title.charAt(0).toUpperCase() + title.slice(1)}</h2>
          <ul class="id-list">
            {(actors as readonly Actor[]).map((actor) => (
              <li key={actor.id}>
                <a href={pageOf(projectId, actor)} dir="auto" title={cut(nameOf(actor))}>
                  {cut(nameOf(actor))}
                </a>
                <span class="pale" dir="auto">
                  {cut(detailOf(actor))}
                </span>
              </li>
            ))}
          </ul>
        </section>
      ))}
      <p class="pale">Seen in the same events in the last 90 days; at most 100 of each.</p>
    </>
  );
}
