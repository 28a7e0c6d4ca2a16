import { useEffect, useMemo, useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { useData } from "../../api/cache.ts";
import { insightKey } from "../../api/keys.ts";
import type { QueryNode } from "../../api/node.ts";
import { KINDS } from "../../kinds/mod.ts";
import { readNode } from "../../kinds/readNode.ts";
import { wrapped } from "../../kinds/wrapping.ts";
import { useEnvironment } from "../../session/environment.ts";
import { Empty, Problem, Skeleton } from "../../ui/notice.tsx";
import { readFragment } from "../parts/insight/fragment.ts";
import { frequentEvent, type Insight, loadInsight, tellViewed } from "../parts/insight/insightApi.ts";
import { Editor } from "./editor.tsx";

interface InsightPageProps {
  project?: string;
  shortId?: string;
  mode?: string;
}

/** A question: new, or saved under a short id. */
export function InsightPage({ project = "", shortId = "new", mode }: InsightPageProps) {
  const projectId = Number(project);
  const { route } = useLocation();
  // One that was made here stays the same page after its address has changed.
  const [made, setMade] = useState<{ insight: Insight; key: string } | null>(null);
  const [visit, setVisit] = useState(0);
  const key = made?.insight.short_id === shortId ? made.key : shortId === "new" ? `new ${visit}` : shortId;
  const open = (insight: Insight, isEditing: boolean, isReplaced: boolean) => {
    if (shortId === "new" && isReplaced) {
      setMade({ insight, key });
      setVisit(visit + 1);
    }
    route(`/project/${projectId}/insights/${insight.short_id}${isEditing ? "/edit" : ""}`, isReplaced);
  };
  const shared = { projectId, onOpen: open, isEditing: shortId === "new" || mode === "edit" };
  const own = made?.insight.short_id === shortId ? made.insight : null;
  if (own !== null || shortId === "new") return <NewInsight key={`${projectId} ${key}`} {...shared} insight={own} />;
  return <SavedInsight key={`${projectId} ${key}`} {...shared} shortId={shortId} />;
}

interface SharedProps {
  projectId: number;
  isEditing: boolean;
  onOpen(insight: Insight, isEditing: boolean, isReplaced: boolean): void;
}

function NewInsight({ insight, ...shared }: SharedProps & { insight: Insight | null }) {
  const given = useMemo(() => readFragment(window.location.hash), []);
  const blank = useBlank(given === null ? shared.projectId : null);
  useTitle(insight?.name || insight?.derived_name || "New insight");
  if (blank.error !== undefined && given === null) return <Failed error={blank.error} />;
  const first = given ?? blank.node;
  return first === null ? <Waiting /> : <Editor {...shared} insight={insight} first={first} blank={blank.node} />;
}

function SavedInsight({ shortId, ...shared }: SharedProps & { shortId: string }) {
  const { projectId } = shared;
  const { data, error } = useData(insightKey(projectId, shortId), () => loadInsight(projectId, shortId));
  const given = useMemo(() => readFragment(window.location.hash), []);
  const id = data?.id;
  useEffect(() => {
    if (id !== undefined) tellViewed(projectId, id);
  }, [projectId, id]);
  useTitle(data?.name || data?.derived_name || "Insight");
  if (data === undefined) return error === undefined ? <Waiting /> : <Failed error={error} />;
  if (data === null) {
    return (
      <main class="page">
        <Empty isPage title="There is no such insight">
          <a href={`/project/${projectId}/insights`}>All insights</a>
        </Empty>
      </main>
    );
  }
  const saved = readNode(data.query);
  const first = given ?? saved;
  if (first === null) {
    return (
      <main class="page">
        <h1>{data.name}</h1>
        <Problem error={new Error("This insight was saved in an old format that cannot be shown.")} />
      </main>
    );
  }
  return <Editor {...shared} insight={data} first={first} blank={null} />;
}

/** What a new question begins with. */
function useBlank(projectId: number | null): { node: QueryNode | null; error: unknown } {
  const { data, error } = useData(projectId === null ? null : `frequentEvent/${projectId}`, () =>
    frequentEvent(projectId ?? 0),
  );
  const { data: environment, error: problem } = useEnvironment(projectId);
  const isKnown = data !== undefined && environment !== undefined;
  const node = useMemo(() => {
    if (!isKnown) return null;
    const blank = KINDS[0]!.blank({ event: data });
    return wrapped(environment.test_account_filters_default_checked ? { ...blank, filterTestAccounts: true } : blank);
  }, [isKnown]);
  return { node, error: error ?? problem };
}

function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Weir`;
  }, [title]);
}

function Waiting() {
  return (
    <main class="page" aria-busy="true">
      <Skeleton heightPx={400} />
    </main>
  );
}

function Failed({ error }: { error: unknown }) {
  return (
    <main class="page">
      <Problem error={error} onRetry={() => window.location.reload()} />
    </main>
  );
}
