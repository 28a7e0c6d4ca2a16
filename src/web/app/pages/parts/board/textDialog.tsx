import { useId } from "preact/hooks";
import { Dialog } from "../../../ui/dialog.tsx";
import { useTask } from "../../../ui/task.ts";
import { SaveRow } from "../records/saveRow.tsx";
import { useChanges } from "../records/useChanges.ts";
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
  const { values, changed, change, settle } = useChanges({
    saved: { body: tile?.text?.body ?? "" },
    bodyOf: (values) => values,
    place: { what: "text", projectId: model.projectId, id: tile?.id ?? null },
  });
  const { body } = values;
  const task = useTask();
  const save = (event: Event) => {
    event.preventDefault();
    void task.run(async () => {
      if (tile === undefined) await addText(model, body);
      else await rewrite(model, tile, body);
      settle(values);
      onClose();
    });
  };
  return (
    <Dialog title={tile === undefined ? "Add text" : "Edit text"} look="wide" onClose={onClose}>
      <form class="form-column" onSubmit={save}>
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
              onInput={(event) => change({ body: event.currentTarget.value })}
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
        <SaveRow
          label={tile === undefined ? "Add" : "Save"}
          isReady={body.trim() !== ""}
          isBusy={task.isBusy}
          isChanged={Object.keys(changed).length > 0}
          onDiscard={() => settle(values)}
        />
      </form>
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
