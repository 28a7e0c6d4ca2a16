import { invalidate, useData } from "../../api/cache.ts";
import { eventLabel } from "../../question/names.ts";
import { cut } from "../../question/seen.ts";
import { useTitle } from "../../shell/title.ts";
import { Empty, Problem, Skeleton } from "../../ui/notice.tsx";
import { EventDetails } from "../parts/events/eventDetails.tsx";
import { loadEvent } from "../parts/events/loadEvent.ts";

/** One event in full. Its time in the address says where to look for it. */
export function EventPage({ project = "", uuid = "", at }: { project?: string; uuid?: string; at?: string }) {
  const projectId = Number(project);
  const key = `event/${projectId}/${uuid}`;
  const { data, error } = useData(key, () => loadEvent(projectId, uuid, at ?? null));
  const name = data ? cut(eventLabel(data.event)) : "Event";
  useTitle(name);
  if (data === null) {
    return (
      <main class="page">
        <Empty isPage title="There is no such event">
          <p>It was deleted, or has not been stored yet.</p>
        </Empty>
      </main>
    );
  }
  return (
    <main class="page">
      <div class="page-head">
        <h1 dir="auto">{name}</h1>
      </div>
      {error !== undefined && <Problem error={error} onRetry={() => invalidate(key)} />}
      {data === undefined && error === undefined && <Skeleton heightPx={320} />}
      {data !== undefined && <EventDetails projectId={projectId} event={data} />}
    </main>
  );
}
