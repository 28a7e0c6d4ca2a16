import { useState } from "preact/hooks";
import { useData } from "../../api/cache.ts";
import { call } from "../../api/client.ts";
import { boardsKey } from "../../api/keys.ts";
import { boardName } from "../../format/name.ts";
import { useMayMake } from "../../session/environment.ts";
import { mayEdit } from "../../session/rights.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Empty, Problem, Skeleton } from "../../ui/notice.tsx";
import { createBoard } from "../parts/board/boardActions.ts";
import { changeInsight, type Insight } from "../parts/insight/insightApi.ts";

interface DashboardsDialogProps {
  projectId: number;
  insight: Insight;
  onChange(insight: Insight): void;
  onClose(): void;
}

const SHOWN_MAX = 200;

/** On which dashboards an insight is: each can be ticked, and a new one made. */
export function DashboardsDialog({ projectId, insight, onChange, onClose }: DashboardsDialogProps) {
  const params = { project_id: String(projectId) };
  const mayMake = useMayMake(projectId)("dashboard");
  const [search, setSearch] = useState("");
  const [busy, setBusy] = useState<number | "new" | null>(null);
  const [problem, setProblem] = useState<unknown>();
  const known = useData(`${boardsKey(projectId)}choice`, () =>
    call("GET /api/environments/{project_id}/dashboards/", { params, query: { limit: 1_000 } }),
  );
  const words = search.trim().toLowerCase();
  const found = (known.data?.results ?? []).filter(({ name }) => (name ?? "").toLowerCase().includes(words));
  const attempt = async (what: number | "new", run: () => Promise<void>) => {
    setBusy(what);
    setProblem(undefined);
    await run().catch(setProblem);
    setBusy(null);
  };
  const put = async (dashboards: number[]) => {
    onChange(await changeInsight(projectId, insight.id, { dashboards }));
  };
  const toggle = (id: number, isOn: boolean) =>
    attempt(id, () => put(isOn ? [...insight.dashboards, id] : insight.dashboards.filter((one) => one !== id)));
  const make = () =>
    attempt("new", async () => {
      const made = await createBoard(projectId, search.trim(), null);
      await put([...insight.dashboards, made]);
      setSearch("");
    });
  return (
    <Dialog title="Add to dashboards" onClose={onClose}>
      <div class="stack">
        <input
          class="input"
          type="search"
          aria-label={mayMake ? "Search dashboards, or name a new one" : "Search dashboards"}
          placeholder={mayMake ? "Search, or name a new one" : "Search"}
          value={search}
          onInput={(event) => setSearch(event.currentTarget.value)}
        />
        {problem !== undefined && <Problem error={problem} />}
        {known.error !== undefined && <Problem error={known.error} />}
        {known.data === undefined && known.error === undefined && <Skeleton heightPx={96} />}
        {known.data?.results.length === 0 && <Empty title="There is no dashboard yet" />}
        <ul class="dashboard-choice">
          {found.slice(0, SHOWN_MAX).map((board) => {
            const { id, name } = board;
            const isOn = insight.dashboards.includes(id);
            return (
              <li key={id}>
                <label
                  class="checkbox"
                  title={mayEdit("dashboard", board) ? undefined : "You may not change this dashboard"}
                >
                  <input
                    type="checkbox"
                    checked={isOn}
                    disabled={busy !== null || !mayEdit("dashboard", board)}
                    onChange={(event) => void toggle(id, event.currentTarget.checked)}
                  />
                  <span class="cut" dir="auto" title={name ?? ""}>
                    {boardName(name)}
                  </span>
                </label>
                {isOn && <a href={`/project/${projectId}/dashboard/${id}`}>Open</a>}
              </li>
            );
          })}
        </ul>
        {mayMake && words !== "" && !found.some(({ name }) => name?.toLowerCase() === words) && (
          <Button icon="plus" isBusy={busy === "new"} onClick={() => void make()}>
            New dashboard “{search.trim()}”
          </Button>
        )}
      </div>
    </Dialog>
  );
}
