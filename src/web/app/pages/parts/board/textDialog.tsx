import { useId, useState } from "preact/hooks";
import { Button } from "../../../ui/button.tsx";
import { Dialog } from "../../../ui/dialog.tsx";
import { useTask } from "../../../ui/task.ts";
import { Markdown } from "./markdownView.tsx";
import type { BoardModel } from "./model.ts";
import { addText } from "./tileActions.ts";
import type { Tile } from "./types.ts";

interface TextDialogProps {
  model: BoardModel;
  /** The one that is changed; absent for a new one. */
  tile?: Tile;
  onClose(): void;
}

const MAX_CHARACTERS = 4000;

/** Writes a text, and shows how it will look. */
export function TextDialog({ model, tile, onClose }: TextDialogProps) {
  const id = useId();
  const [body, setBody] = useState(tile?.text?.body ?? "");
  const task = useTask();
  const save = () =>
    task.run(async () => {
      if (tile === undefined) await addText(model, body);
      else await rewrite(model, tile, body);
      onClose();
    });
  return (
    <Dialog
      title={tile === undefined ? "Add text" : "Edit text"}
      look="wide"
      onClose={onClose}
      footer={
        <Button look="primary" isBusy={task.isBusy} disabled={body.trim() === ""} onClick={() => void save()}>
          {tile === undefined ? "Add" : "Save"}
        </Button>
      }
    >
      <div class="text-dialog">
        <div class="field">
          <label for={id}>Text</label>
          <textarea
            id={id}
            class="input"
            dir="auto"
            rows={10}
            maxLength={MAX_CHARACTERS}
            value={body}
            aria-describedby={`${id}-hint`}
            onInput={(event) => setBody(event.currentTarget.value)}
          />
          <div id={`${id}-hint`} class={task.problem === null ? "field-hint" : "field-problem"}>
            {task.problem ?? "# Heading, - list, **bold**, [link](https://…)"}
          </div>
        </div>
        <section class="text-preview" aria-label="Preview">
          <span class="field-name" aria-hidden="true">
            Preview
          </span>
          <Markdown source={body} />
        </section>
      </div>
    </Dialog>
  );
}

function rewrite(model: BoardModel, { id }: Tile, body: string): Promise<void> {
  return model.save(
    (board) => ({
      ...board,
      tiles: board.tiles.map((one) => (one.id === id ? { ...one, text: { ...one.text!, body } } : one)),
    }),
    { tiles: [{ id, text: { body } }] },
  );
}
