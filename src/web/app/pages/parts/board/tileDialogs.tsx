import { useState } from "preact/hooks";
import { insightName } from "../../../format/name.ts";
import { Button } from "../../../ui/button.tsx";
import { Dialog } from "../../../ui/dialog.tsx";
import { TextField } from "../../../ui/field.tsx";
import { useTask } from "../../../ui/task.ts";
import { BoardPicker } from "./boardPicker.tsx";
import type { BoardModel } from "./model.ts";
import { moveTile, renameInsight } from "./tileActions.ts";
import type { Tile } from "./types.ts";

export type TileWish = "rename" | "move";

interface TileDialogsProps {
  wish: TileWish;
  model: BoardModel;
  tile: Tile;
  onClose(): void;
}

/** The windows that the menu of a tile opens. */
export function TileDialogs({ wish, model, tile, onClose }: TileDialogsProps) {
  if (wish === "rename") return <Rename model={model} tile={tile} onClose={onClose} />;
  const move = (target: { id: number; name: string }) => {
    onClose();
    void moveTile(model, tile, target);
  };
  return (
    <Dialog title="Move to another dashboard" onClose={onClose}>
      <BoardPicker projectId={model.projectId} except={model.id} onPick={move} />
    </Dialog>
  );
}

function Rename({ model, tile, onClose }: Omit<TileDialogsProps, "wish">) {
  const insight = tile.insight!;
  const [name, setName] = useState(insight.name || insightName(insight));
  const task = useTask();
  const save = (event: Event) => {
    event.preventDefault();
    void task.run(async () => {
      await renameInsight(model, insight, name.trim());
      onClose();
    });
  };
  const id = `rename-${tile.id}`;
  return (
    <Dialog
      title="Rename insight"
      onClose={onClose}
      footer={
        <Button look="primary" type="submit" form={id} isBusy={task.isBusy} disabled={name.trim() === ""}>
          Rename
        </Button>
      }
    >
      <form id={id} onSubmit={save}>
        <TextField
          label="Name"
          dir="auto"
          maxLength={400}
          value={name}
          problem={task.problem}
          hint="It changes wherever the insight is shown."
          onInput={(event) => setName(event.currentTarget.value)}
        />
      </form>
    </Dialog>
  );
}
