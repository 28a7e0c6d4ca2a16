import { useLocation } from "preact-iso";
import { boardName } from "../../format/name.ts";
import { useMayMake } from "../../session/environment.ts";
import { may, mayManage, mayShare } from "../../session/rights.ts";
import { Button } from "../../ui/button.tsx";
import { Menu, type MenuItem } from "../../ui/menu.tsx";
import { deleteBoard, duplicateBoard, showOnHome } from "../parts/board/boardActions.ts";
import type { BoardModel } from "../parts/board/model.ts";
import { AutoRefresh } from "./autoRefresh.tsx";

/** Which dialog is asked for. */
export type Wish = "insight" | "text" | "share" | "send" | "access" | "details";

interface HeadProps {
  model: BoardModel;
  isEditing: boolean;
  onEdit(isEditing: boolean): void;
  onWish(wish: Wish): void;
}

/** The name of a dashboard and what can be done with it as a whole. */
export function Head({ model, isEditing, onEdit, onWish }: HeadProps) {
  const { board, mayEdit } = model;
  return (
    <div class="page-head">
      <div class="board-name">
        <h1 dir="auto">{board === undefined ? " " : boardName(board.name)}</h1>
        {board?.description && <p dir="auto">{board.description}</p>}
      </div>
      {board !== undefined && (
        <div class="board-actions">
          <AutoRefresh model={model} />
          {mayEdit && (
            <>
              <Button
                aria-pressed={isEditing}
                class={isEditing ? "pressed wide-only" : "wide-only"}
                onClick={() => onEdit(!isEditing)}
              >
                {isEditing ? "Done" : "Edit layout"}
              </Button>
              {mayShare() && (
                <Button icon="share" onClick={() => onWish("share")}>
                  Share
                </Button>
              )}
              <Menu
                icon="plus"
                look="plain"
                items={[
                  { label: "Insight", icon: "insights", onSelect: () => onWish("insight") },
                  { label: "Text", icon: "pencil", onSelect: () => onWish("text") },
                ]}
              >
                Add
              </Menu>
            </>
          )}
          <More model={model} onWish={onWish} />
        </div>
      )}
    </div>
  );
}

function More({ model, onWish }: Pick<HeadProps, "model" | "onWish">) {
  const { route } = useLocation();
  const { projectId, id, mayEdit } = model;
  const board = model.board!;
  const mayMake = useMayMake(projectId)("dashboard");
  const pin = () => void model.change((before) => ({ ...before, pinned: !board.pinned }), { pinned: !board.pinned });
  const remove = async () => {
    if (await deleteBoard(projectId, board)) route(`/project/${projectId}/dashboard`);
  };
  const duplicate = async () => {
    const copy = await duplicateBoard(projectId, id);
    if (copy !== null) route(`/project/${projectId}/dashboard/${copy}`);
  };
  const items: MenuItem[] = [
    { label: "Full screen", icon: "external", onSelect: toggleFullScreen },
    ...(mayEdit
      ? ([{ label: "Subscriptions", icon: "calendar", onSelect: () => onWish("send") }] satisfies MenuItem[])
      : []),
    ...(mayMake ? [{ label: "Duplicate", icon: "copy", onSelect: () => void duplicate() } as const] : []),
    ...(mayManage(board)
      ? ([{ label: "Who may see or edit", icon: "people", onSelect: () => onWish("access") }] satisfies MenuItem[])
      : []),
    ...(mayEdit
      ? ([
          { label: board.pinned ? "Unpin" : "Pin", icon: "pin", onSelect: pin },
          ...(may("project:write")
            ? [{ label: "Show on Home", icon: "home", onSelect: () => void showOnHome(projectId, id) } as const]
            : []),
          { label: "Name and description", icon: "pencil", onSelect: () => onWish("details") },
          { label: "Delete", icon: "trash", isDangerous: true, onSelect: () => void remove() },
        ] satisfies MenuItem[])
      : []),
  ];
  return <Menu icon="more" label="More" items={items} />;
}

/** The whole page, so that messages and windows are seen; what stands around the board goes by its style. */
function toggleFullScreen(): void {
  if (document.fullscreenElement !== null) void document.exitFullscreen();
  else void document.documentElement.requestFullscreen();
}
