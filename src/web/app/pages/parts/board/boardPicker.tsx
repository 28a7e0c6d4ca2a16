import { useState } from "preact/hooks";
import { useData } from "../../../api/cache.ts";
import { call } from "../../../api/client.ts";
import { boardsKey } from "../../../api/keys.ts";
import { boardName } from "../../../format/name.ts";
import { mayEdit } from "../../../session/rights.ts";
import { TextField } from "../../../ui/field.tsx";
import { Icon } from "../../../ui/icon.tsx";
import { Problem } from "../../../ui/notice.tsx";

interface BoardPickerProps {
  projectId: number;
  /** The one that is not offered. */
  except?: number;
  onPick(board: { id: number; name: string }): void;
}

/** The dashboards of a project that the user may change, by name, with search. */
export function BoardPicker({ projectId, except, onPick }: BoardPickerProps) {
  const [text, setText] = useState("");
  const known = useData(`${boardsKey(projectId)}names`, () =>
    call("GET /api/environments/{project_id}/dashboards/", {
      params: { project_id: String(projectId) },
      query: { limit: 500, order: "name" },
    }),
  );
  const wanted = text.trim().toLowerCase();
  const boards = (known.data?.results ?? [])
    .filter((board) => board.id !== except && mayEdit("dashboard", board))
    .map(({ id, name }) => ({ id, name: boardName(name) }))
    .filter(({ name }) => name.toLowerCase().includes(wanted));
  return (
    <div class="pick-list">
      <TextField label="Search" type="search" value={text} onInput={(event) => setText(event.currentTarget.value)} />
      {known.error !== undefined && <Problem error={known.error} />}
      {known.data !== undefined && boards.length === 0 && <p class="tile-note">No other dashboard has this name.</p>}
      <ul>
        {boards.map((board) => (
          <li key={board.id}>
            <button type="button" class="pick" onClick={() => onPick(board)}>
              <Icon name="dashboard" />
              <span dir="auto">{board.name}</span>
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}
