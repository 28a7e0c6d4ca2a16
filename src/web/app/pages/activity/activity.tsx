import { useEffect, useMemo, useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { usePages } from "../../api/pages.ts";
import type { Activity } from "../../api/schema.ts";
import { formatCount } from "../../format/number.ts";
import { user } from "../../session/session.ts";
import { hrefOf } from "../../shell/entries.ts";
import { useTitle } from "../../shell/title.ts";
import { Button } from "../../ui/button.tsx";
import { End } from "../../ui/end.tsx";
import { Empty, Problem, Skeleton } from "../../ui/notice.tsx";
import { Entries } from "../parts/activity/entries.tsx";
import { loadEntries } from "../parts/activity/load.ts";
import { Filters } from "./filters.tsx";
import { askedFor, logAddress, readShown, type Shown } from "./shown.ts";

/** Who changed what in a project, and for admins anywhere, the newest first. */
export function ActivityPage({ project = "" }: { project?: string }) {
  useTitle("Activity");
  const projectId = Number(project);
  const { query, route } = useLocation();
  const [shown, setShown] = useState<Shown>(() => readShown(query));
  const [nowMs, setNow] = useState(() => Date.now());
  const [count, setCount] = useState<number | null>(null);
  const address = logAddress(hrefOf(projectId, "activity-logs"), shown);
  const asked = useMemo(() => askedFor(projectId, shown, nowMs), [projectId, shown, nowMs]);
  const entries = usePages<Activity, number>(JSON.stringify(asked), 1, async (page, signal) => {
    const found = await loadEntries(asked, page, signal);
    setCount(found.count);
    return found;
  });
  useEffect(() => {
    const { pathname, search } = window.location;
    if (pathname + search !== address) route(address, true);
  }, [address]);
  const projects = useMemo(() => namesOfProjects(), [user.value]);
  const change = (part: Partial<Shown>) => {
    setShown({ ...shown, ...part });
    setNow(Date.now());
  };
  const { items, error, isLoading } = entries;
  return (
    <main class="page">
      <div class="page-head">
        <h1>Activity</h1>
        {count !== null && <span class="pale">{formatCount(count, "entry", "entries")}</span>}
        <Button icon="refresh" isBusy={isLoading} onClick={() => setNow(Date.now())}>
          Look again
        </Button>
      </div>
      <Filters projectId={projectId} shown={shown} onChange={change} />
      {error !== undefined && <Problem error={error} onRetry={entries.again} />}
      {isLoading && items.length === 0 && <Skeleton heightPx={320} />}
      {!isLoading && error === undefined && items.length === 0 && <Empty title="Nothing was done" />}
      {items.length > 0 && (
        <div aria-busy={isLoading}>
          <Entries entries={items} projects={shown.isAll ? projects : undefined} />
        </div>
      )}
      {entries.hasMore && !isLoading && <End key={items.length} onSeen={entries.more} />}
    </main>
  );
}

const namesOfProjects = (): ReadonlyMap<number, string> =>
  new Map((user.value?.organization.teams ?? []).map(({ id, name }) => [id, name]));
