import { useState } from "preact/hooks";
import { useLocation, useRoute } from "preact-iso";
import { invalidate, useData } from "../../api/cache.ts";
import { call } from "../../api/client.ts";
import { boardsKey } from "../../api/keys.ts";
import type { BasicDashboard } from "../../api/schema.ts";
import { boardName } from "../../format/name.ts";
import { useMayMake } from "../../session/environment.ts";
import { mayEdit } from "../../session/rights.ts";
import { Ago } from "../../ui/ago.tsx";
import { Button, IconButton } from "../../ui/button.tsx";
import { Icon } from "../../ui/icon.tsx";
import { useLater } from "../../ui/later.ts";
import { Menu, type MenuItem } from "../../ui/menu.tsx";
import { Empty, Problem, Skeleton } from "../../ui/notice.tsx";
import { deleteBoard, duplicateBoard, pinBoard } from "../parts/board/boardActions.ts";
import { NewBoard } from "./newBoard.tsx";

const PAUSE_MS = 150;
const LIMIT = 200;

/** All dashboards of a project, the pinned ones first. */
export function DashboardsPage() {
  const { params, query } = useRoute();
  const { route } = useLocation();
  const projectId = Number(params.project);
  const [text, setText] = useState("");
  const [isAsked, setAsked] = useState(false);
  const mayMake = useMayMake(projectId)("dashboard");
  // An address can ask for a new one, too.
  const isNew = isAsked || (query.new !== undefined && mayMake);
  const setNew = (isWanted: boolean) => {
    setAsked(isWanted);
    if (!isWanted && query.new !== undefined) route(`/project/${projectId}/dashboard`, true);
  };
  const search = useLater(text.trim(), PAUSE_MS);
  const known = useData(`${boardsKey(projectId)}list/${search}`, () =>
    call("GET /api/environments/{project_id}/dashboards/", {
      params: { project_id: String(projectId) },
      query: { limit: LIMIT, order: "-last_modified_at", ...(search !== "" && { search }) },
    }),
  );
  const boards = known.data === undefined ? undefined : pinnedFirst(known.data.results);
  return (
    <main class="page">
      <div class="page-head">
        <h1>Dashboards</h1>
        <input
          class="input board-search"
          type="search"
          aria-label="Search dashboards"
          placeholder="Search"
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
        {mayMake && (
          <Button look="primary" icon="plus" onClick={() => setNew(true)}>
            New dashboard
          </Button>
        )}
      </div>
      {known.error !== undefined && <Problem error={known.error} onRetry={() => invalidate(boardsKey(projectId))} />}
      {boards === undefined && known.error === undefined && <Skeleton heightPx={200} />}
      {boards?.length === 0 &&
        (search === "" ? (
          <Empty title="No dashboards yet">
            <p>A dashboard shows the insights that a team looks at together.</p>
          </Empty>
        ) : (
          <Empty title="No dashboard is called so" />
        ))}
      {boards !== undefined && boards.length > 0 && <List projectId={projectId} boards={boards} />}
      {known.data !== undefined && known.data.count > LIMIT && (
        <p class="tile-note">The {LIMIT} that changed last are shown. Search for others.</p>
      )}
      {isNew && <NewBoard projectId={projectId} onClose={() => setNew(false)} />}
    </main>
  );
}

const pinnedFirst = (boards: readonly BasicDashboard[]) =>
  [...boards].sort((a, b) => Number(b.pinned) - Number(a.pinned));

function List({ projectId, boards }: { projectId: number; boards: readonly BasicDashboard[] }) {
  return (
    <table class="board-list">
      <thead>
        <tr>
          <th scope="col">
            <span class="unseen">Pinned</span>
          </th>
          <th scope="col">Name</th>
          <th scope="col" class="wide-only">
            Created by
          </th>
          <th scope="col">Changed</th>
          <th scope="col">
            <span class="unseen">More</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {boards.map((board) => (
          <Row key={board.id} projectId={projectId} board={board} />
        ))}
      </tbody>
    </table>
  );
}

function Row({ projectId, board }: { projectId: number; board: BasicDashboard }) {
  const { route } = useLocation();
  const { id, pinned, description, created_by: maker } = board;
  const name = boardName(board.name);
  const isOurs = mayEdit("dashboard", board);
  const duplicate = async () => {
    const copy = await duplicateBoard(projectId, id);
    if (copy !== null) route(`/project/${projectId}/dashboard/${copy}`);
  };
  const items: MenuItem[] = [];
  if (useMayMake(projectId)("dashboard")) {
    items.push({ label: "Duplicate", icon: "copy", onSelect: () => void duplicate() });
  }
  if (isOurs) {
    const remove = () => void deleteBoard(projectId, board);
    items.push({ label: "Delete", icon: "trash", isDangerous: true, onSelect: remove });
  }
  return (
    <tr>
      <td>
        <IconButton
          class={pinned ? "pin on" : "pin"}
          icon="pin"
          label={pinned ? `Unpin ${name}` : `Pin ${name}`}
          aria-pressed={pinned}
          disabled={!isOurs}
          onClick={() => void pinBoard(projectId, id, !pinned)}
        />
      </td>
      <td class="board-list-name">
        <a href={`/project/${projectId}/dashboard/${id}`} dir="auto" title={name}>
          {name}
        </a>
        {board.is_shared && (
          <span class="tile-note shared-mark">
            <Icon name="share" size={12} /> Shared by link
          </span>
        )}
        {description !== "" && (
          <span class="tile-note" dir="auto" title={description}>
            {description}
          </span>
        )}
      </td>
      <td class="wide-only" dir="auto">
        {maker?.first_name || maker?.email || ""}
      </td>
      <td class="tile-note">
        <Ago at={board.last_modified_at} />
      </td>
      <td>{items.length > 0 && <Menu icon="more" label={`More for ${name}`} items={items} />}</td>
    </tr>
  );
}
