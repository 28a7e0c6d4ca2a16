import { useState } from "preact/hooks";
import { useData } from "../../../api/cache.ts";
import { call } from "../../../api/client.ts";
import { insightsKey } from "../../../api/keys.ts";
import { insightName } from "../../../format/name.ts";
import { Button } from "../../../ui/button.tsx";
import { Dialog } from "../../../ui/dialog.tsx";
import { TextField } from "../../../ui/field.tsx";
import { Icon } from "../../../ui/icon.tsx";
import { useLater } from "../../../ui/later.ts";
import { Problem, Skeleton } from "../../../ui/notice.tsx";
import { told } from "../../../ui/task.ts";
import type { BoardModel } from "./model.ts";
import { addInsight } from "./tileActions.ts";

const PAUSE_MS = 150;

/** Saved insights with search; each can be put on the board. */
export function AddInsight({ model, onClose }: { model: BoardModel; onClose(): void }) {
  const { projectId, id } = model;
  const [text, setText] = useState("");
  const search = useLater(text.trim(), PAUSE_MS);
  const known = useData(`${insightsKey(projectId)}pick/${search}`, () =>
    call("GET /api/environments/{project_id}/insights/", {
      params: { project_id: String(projectId) },
      query: { basic: true, saved: true, limit: 50, order: "-last_modified_at", ...(search !== "" && { search }) },
    }),
  );
  const [adding, setAdding] = useState<number | null>(null);
  const present = new Set(model.board?.tiles.map((tile) => tile.insight?.id));
  const add = async (insightId: number) => {
    setAdding(insightId);
    await told(() => addInsight(model, insightId));
    setAdding(null);
  };
  return (
    <Dialog
      title="Add insight"
      onClose={onClose}
      footer={
        <a class="button" href={`/project/${projectId}/insights/new?dashboard=${id}`}>
          <Icon name="plus" />
          New insight
        </a>
      }
    >
      <div class="pick-list">
        <TextField
          label="Search saved insights"
          type="search"
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
        {known.error !== undefined && <Problem error={known.error} />}
        {known.data === undefined && known.error === undefined && <Skeleton heightPx={160} />}
        {known.data?.results.length === 0 && <p class="tile-note">No saved insight has this name.</p>}
        <ul>
          {known.data?.results.map((insight) => (
            <li key={insight.id} class="pick-row">
              <span class="pick-name" dir="auto" title={insightName(insight)}>
                {insightName(insight)}
              </span>
              {present.has(insight.id) ? (
                <span class="tile-note">On this dashboard</span>
              ) : (
                <Button
                  look="quiet"
                  icon="plus"
                  isBusy={adding === insight.id}
                  aria-label={`Add ${insightName(insight)}`}
                  onClick={() => void add(insight.id)}
                >
                  Add
                </Button>
              )}
            </li>
          ))}
        </ul>
      </div>
    </Dialog>
  );
}
