import { invalidate, useData } from "../../../api/cache.ts";
import { hrefOf } from "../../../shell/entries.ts";
import { Problem, Skeleton } from "../../../ui/notice.tsx";
import { Entries } from "./entries.tsx";
import { loadEntries } from "./load.ts";

interface RecordActivityProps {
  projectId: number;
  /** As the log calls the kind: "EventDefinition". */
  scope: string;
  id: string;
}

const SHOWN = 10;

/** The last things that were done with one record. */
export function RecordActivity({ projectId, scope, id }: RecordActivityProps) {
  const key = `activity/of/${projectId}/${id}`;
  const asked = { projectId, scopes: JSON.stringify([scope]), item_ids: JSON.stringify([id]) };
  const { data, error } = useData(key, () => loadEntries(asked, 1));
  if (data === undefined) {
    return error === undefined ? <Skeleton heightPx={60} /> : <Problem error={error} onRetry={() => invalidate(key)} />;
  }
  if (data.count === 0) return <p class="pale">Nobody has changed it.</p>;
  return (
    <>
      <Entries entries={data.items.slice(0, SHOWN)} isOfOne />
      {data.count > SHOWN && (
        <p>
          <a href={hrefOf(projectId, `activity-logs?scope=${scope}`)}>All activity of this kind</a>
        </p>
      )}
    </>
  );
}
