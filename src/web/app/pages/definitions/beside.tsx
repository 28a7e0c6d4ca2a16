import { useData } from "../../api/cache.ts";
import { call } from "../../api/client.ts";
import { formatNumber } from "../../format/number.ts";
import { propertyLabel } from "../../question/names.ts";
import { cut } from "../../question/seen.ts";
import { useValues } from "../../question/values.tsx";
import { Problem, Skeleton } from "../../ui/notice.tsx";
import { pagePath, type Subject } from "./subject.ts";

const SHOWN = 200;

/** The properties that such events have. */
export function EventProperties({ projectId, event }: { projectId: number; event: string }) {
  const { data, error } = useData(`propertiesOf/${projectId}/${event}`, () =>
    call("GET /api/environments/{project_id}/property_definitions/", {
      params: { project_id: String(projectId) },
      query: { event_names: JSON.stringify([event]), filter_by_event_names: true, limit: SHOWN },
    }),
  );
  if (data === undefined) return error === undefined ? <Skeleton heightPx={60} /> : <Problem error={error} />;
  if (data.count === 0) return <p class="pale">None: there were no such events lately.</p>;
  return (
    <>
      <ul class="definition-names">
        {data.results.map(({ id, name, hidden }) => (
          <li key={id}>
            <a
              href={pagePath(projectId, "property", id)}
              class={hidden ? "pale" : undefined}
              dir="auto"
              title={cut(name)}
            >
              {cut(propertyLabel(name))}
            </a>
          </li>
        ))}
      </ul>
      {data.count > SHOWN && <p class="pale">And {formatNumber(data.count - SHOWN)} more.</p>}
    </>
  );
}

/** Some values of a property. */
export function SeenValues({
  projectId,
  subject,
  name,
}: {
  projectId: number;
  subject: Extract<Subject, { kind: "property" }>;
  name: string;
}) {
  const of = { type: subject.type, key: name, group_type_index: subject.index };
  const { values, isLoading, problem } = useValues(projectId, of, "");
  if (isLoading) return <Skeleton heightPx={60} />;
  if (problem) return problem;
  if (values.length === 0) return <p class="pale">None lately.</p>;
  return (
    <ul class="definition-names">
      {values.map(({ name, count }) => (
        <li key={name}>
          <span class="activity-value" dir="auto">
            {name === "" ? "(empty)" : cut(name)}
          </span>
          {count !== null && <span class="pale"> {formatNumber(count)}</span>}
        </li>
      ))}
    </ul>
  );
}
