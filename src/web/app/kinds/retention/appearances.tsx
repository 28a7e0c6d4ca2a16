import { useData } from "../../api/cache.ts";
import type { QueryNode } from "../../api/node.ts";
import { runQuery } from "../../api/query.ts";
import { Problem, Skeleton } from "../../ui/notice.tsx";
import { columnLabels, type RetentionNode } from "./node.ts";

interface AppearancesProps {
  projectId: number;
  /** Of the person or the group, and a text that finds it among others. */
  id: string;
  search: string;
  /** The `source` of the list. */
  source: QueryNode;
}

/** When somebody of a cohort came back: a mark for each column of the answer. */
export function Appearances({ projectId, id, search, source }: AppearancesProps) {
  const { column: _, ...cohort } = source;
  const key = `appearances ${projectId} ${id} ${JSON.stringify(cohort)}`;
  const { data, error } = useData(key, () => load(projectId, { id, search, cohort }));
  if (error !== undefined) return <Problem error={error} />;
  if (data === undefined) return <Skeleton heightPx={32} />;
  const labels = columnLabels(source.source as RetentionNode);
  return (
    <section aria-label="Came back">
      <h3>Came back</h3>
      <ul class="appearances">
        {labels.map((label, column) => {
          const isIn = data.includes(column);
          return (
            <li key={label} class={isIn ? "in" : undefined}>
              <span aria-hidden="true">{isIn ? "●" : "○"}</span> {label}
              <span class="unseen">{isIn ? ": yes" : ": no"}</span>
            </li>
          );
        })}
      </ul>
    </section>
  );
}

async function load(
  projectId: number,
  { id, search, cohort }: { id: string; search: string; cohort: Omit<QueryNode, "kind"> },
): Promise<readonly number[]> {
  const node = { kind: "ActorsQuery", source: cohort, select: ["id", "appearances"], search };
  const { results } = await runQuery(projectId, node, { signal: new AbortController().signal });
  return (results as [string, number[]][]).find(([one]) => one === id)?.[1] ?? [];
}
