import { useEffect, useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { invalidate, useData } from "../../api/cache.ts";
import { insightsKey } from "../../api/keys.ts";
import { formatNumber } from "../../format/number.ts";
import { KINDS } from "../../kinds/mod.ts";
import { Button } from "../../ui/button.tsx";
import { Checkbox, Select } from "../../ui/field.tsx";
import { Icon } from "../../ui/icon.tsx";
import { useLater } from "../../ui/later.ts";
import { Empty, Problem, Skeleton } from "../../ui/notice.tsx";
import { derivedName } from "../parts/insight/derivedName.ts";
import { readDraft } from "../parts/insight/draft.ts";
import { writeFragment } from "../parts/insight/fragment.ts";
import { InsightRow } from "./insightRow.tsx";
import { KIND_LISTS, listAddress, loadList, PAGE, readShown, type Shown } from "./list.ts";

const SEARCH_PAUSE_MS = 200;

/** All saved insights of a project, the last changed first. */
export function InsightsPage({ project = "" }: { project?: string }) {
  const projectId = Number(project);
  const { query, route } = useLocation();
  const [shown, setShown] = useState<Shown>(() => readShown(query));
  const [limit, setLimit] = useState(PAGE);
  const asked = useLater(shown, SEARCH_PAUSE_MS);
  const address = listAddress(projectId, asked);
  const { data, error, isLoading } = useData(`${insightsKey(projectId)}${limit} ${address}`, () =>
    loadList(projectId, asked, limit),
  );
  useEffect(() => {
    document.title = "Insights · Weir";
  }, []);
  useEffect(() => {
    const { pathname, search } = window.location;
    if (pathname + search !== address) route(address, true);
  }, [address]);
  const change = (part: Partial<Shown>) => {
    setShown({ ...shown, ...part });
    setLimit(PAGE);
  };
  const isNarrowed = asked.search !== "" || asked.kind !== "" || asked.isMine || asked.isFavourite;
  return (
    <main class="page insights-page">
      <div class="page-head">
        <h1>Insights</h1>
        <a class="button" href={`/project/${projectId}/alerts`}>
          Alerts
        </a>
        <a class="button primary" href={`/project/${projectId}/insights/new`}>
          <Icon name="plus" />
          New insight
        </a>
      </div>
      <Filters shown={shown} onChange={change} />
      <DraftLine projectId={projectId} />
      {error !== undefined && (
        <Problem error={error} onRetry={() => invalidate(`${insightsKey(projectId)}${limit} ${address}`)} />
      )}
      {data === undefined && error === undefined && <Waiting />}
      {data !== undefined && (
        <div class="insights-list" aria-busy={isLoading}>
          {data.results.length === 0 ? (
            <Nothing projectId={projectId} isNarrowed={isNarrowed} />
          ) : (
            <ul>
              {data.results.map((row) => (
                <InsightRow key={row.short_id} projectId={projectId} row={row} />
              ))}
            </ul>
          )}
          {data.results.length < data.count && (
            <Button look="quiet" isBusy={isLoading} onClick={() => setLimit(limit + 4 * PAGE)}>
              Show more of {formatNumber(data.count)}
            </Button>
          )}
        </div>
      )}
    </main>
  );
}

function Filters({ shown, onChange }: { shown: Shown; onChange(part: Partial<Shown>): void }) {
  const kinds = KINDS.map(({ name, title }) => ({ value: KIND_LISTS[name] ?? name, label: title }));
  return (
    <search class="insights-filters">
      <input
        class="input"
        type="search"
        aria-label="Search insights"
        placeholder="Search names and tags"
        value={shown.search}
        onInput={(event) => onChange({ search: event.currentTarget.value })}
      />
      <Select
        label="Kind"
        value={shown.kind}
        choices={[{ value: "", label: "All kinds" }, ...kinds, { value: "SQL", label: "SQL" }]}
        onChange={(kind) => onChange({ kind })}
      />
      <Checkbox label="Mine" isOn={shown.isMine} onChange={(isMine) => onChange({ isMine })} />
      <Checkbox label="Favourites" isOn={shown.isFavourite} onChange={(isFavourite) => onChange({ isFavourite })} />
    </search>
  );
}

/** The question that was not saved last time. */
function DraftLine({ projectId }: { projectId: number }) {
  const draft = readDraft(projectId);
  if (draft === null) return null;
  const place = draft.shortId === null ? "new" : `${draft.shortId}/edit`;
  return (
    <p class="insight-continue">
      <span>
        Unsaved draft:{" "}
        <a href={`/project/${projectId}/insights/${place}${writeFragment(draft.node)}`}>
          {draft.labels.name || derivedName(draft.node)}
        </a>
      </span>
    </p>
  );
}

function Nothing({ projectId, isNarrowed }: { projectId: number; isNarrowed: boolean }) {
  if (isNarrowed) return <Empty title="No insights match" />;
  return (
    <Empty title="No insights yet">
      <p>An insight is a question about your events: how many, who, in which order.</p>
      <a class="button" href={`/project/${projectId}/insights/new`}>
        Ask the first one
      </a>
    </Empty>
  );
}

function Waiting() {
  return (
    <div class="insights-waiting" role="status">
      <span class="unseen">Loading</span>
      {Array.from({ length: 6 }, (_, index) => (
        <Skeleton key={index} heightPx={44} />
      ))}
    </div>
  );
}
