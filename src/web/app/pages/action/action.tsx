import { useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { invalidate, remember, useData } from "../../api/cache.ts";
import { cut } from "../../question/seen.ts";
import { mayEdit, mayManage } from "../../session/rights.ts";
import { hrefOf } from "../../shell/entries.ts";
import { useTitle } from "../../shell/title.ts";
import { Menu, type MenuItem } from "../../ui/menu.tsx";
import { LazyAccess } from "../parts/access/lazyAccess.tsx";
import { writeFragment } from "../parts/insight/fragment.ts";
import { Awaited } from "../parts/records/awaited.tsx";
import { removeRecord } from "../parts/records/removeRecord.ts";
import { UsedIn } from "../parts/records/usedIn.tsx";
import { ActionEditor } from "./editor.tsx";
import { type Action, actionKey, loadAction } from "./load.ts";

const LIST = "data-management/actions";

/** An action, or a new one: which events it means, those that match, and where it is used. */
export function ActionPage({ project = "", action = "" }: { project?: string; action?: string }) {
  const projectId = Number(project);
  return action === "new" ? (
    <New projectId={projectId} />
  ) : (
    <Loaded key={`${project} ${action}`} projectId={projectId} id={Number(action)} />
  );
}

function New({ projectId }: { projectId: number }) {
  const { route } = useLocation();
  useTitle("New action");
  return (
    <main class="page">
      <div class="page-head">
        <h1>New action</h1>
      </div>
      <ActionEditor
        projectId={projectId}
        action={null}
        onSaved={({ id }) => route(hrefOf(projectId, `${LIST}/${id}`), true)}
      />
    </main>
  );
}

function Loaded({ projectId, id }: { projectId: number; id: number }) {
  const key = actionKey(projectId, id);
  const { data, error } = useData(key, () => loadAction(projectId, id));
  if (data !== undefined) return <Known projectId={projectId} action={data} />;
  const list = hrefOf(projectId, LIST);
  return <Awaited noun="action" list={list} error={error} onRetry={() => invalidate(key)} />;
}

function Known({ projectId, action }: { projectId: number; action: Action }) {
  const name = cut(action.name || "Untitled action");
  useTitle(name);
  const series = [{ kind: "ActionsNode" as const, id: action.id, name: action.name ?? "" }];
  return (
    <main class="page">
      <div class="page-head">
        <h1 dir="auto">{name}</h1>
        <span class="record-tools">
          <a
            class="button"
            href={`${hrefOf(projectId, "insights/new")}${writeFragment({ kind: "TrendsQuery", series })}`}
          >
            New insight
          </a>
          <More projectId={projectId} action={action} />
        </span>
      </div>
      <ActionEditor
        projectId={projectId}
        action={action}
        onSaved={(saved) => remember(actionKey(projectId, action.id), saved)}
      />
      <h2 class="action-uses">Used in</h2>
      <UsedIn projectId={projectId} what="action" id={action.id} />
    </main>
  );
}

function More({ projectId, action }: { projectId: number; action: Action }) {
  const { route } = useLocation();
  const [isSharing, setSharing] = useState(false);
  const items: MenuItem[] = [];
  if (mayManage(action)) items.push({ label: "Who may see or edit", icon: "key", onSelect: () => setSharing(true) });
  if (mayEdit("action", action)) {
    const remove = async () => {
      if (await removeRecord(projectId, "action", action)) route(hrefOf(projectId, LIST));
    };
    items.push({ label: "Delete", icon: "trash", isDangerous: true, onSelect: () => void remove() });
  }
  if (items.length === 0) return null;
  return (
    <>
      <Menu icon="more" label="More" items={items} />
      {isSharing && <LazyAccess what="action" projectId={projectId} id={action.id} onClose={() => setSharing(false)} />}
    </>
  );
}
