import { useState } from "preact/hooks";
import { Button } from "../../../ui/button.tsx";
import { Dialog } from "../../../ui/dialog.tsx";
import { TextField } from "../../../ui/field.tsx";
import { messageOf } from "../../../ui/notice.tsx";
import { BoardPicker } from "./boardPicker.tsx";
import type { BoardModel } from "./model.ts";
import { moveTile, renameInsight } from "./tileActions.ts";
import { type Tile, titleOf } from "./types.ts";

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
  const [name, setName] = useState(insight.name || titleOf(insight));
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const save = async (event: Event) => {
    event.preventDefault();
    setBusy(true);
    try {
      await renameInsight(model, insight, name.trim());
      onClose();
    } catch (error) {
      setProblem(messageOf(error));
      setBusy(false);
    }
  };
  const id = `rename-${tile.id}`;
  return (
    <Dialog
      title="Rename insight"
      onClose={onClose}
      footer={
        <Button look="primary" type="submit" form={id} isBusy={isBusy} disabled={name.trim() === ""}>
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
          problem={problem}
          hint="It changes wherever the insight is shown."
          onInput={(event) => setName(event.currentTarget.value)}
        />
      </form>
    </Dialog>
  );
}
