import { useId } from "preact/hooks";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { TextField } from "../../ui/field.tsx";
import { useTask } from "../../ui/task.ts";
import type { BoardModel } from "../parts/board/model.ts";
import { useChanges } from "../parts/records/useChanges.ts";

/** The name and the description of a dashboard. */
export function DetailsDialog({ model, onClose }: { model: BoardModel; onClose(): void }) {
  const id = useId();
  const { values, changed, change } = useChanges({
    saved: { name: model.board?.name ?? "", description: model.board?.description ?? "" },
    bodyOf: ({ name, description }) => ({ name: name.trim(), description: description.trim() }),
    place: null,
  });
  const task = useTask();
  const save = (event: Event) => {
    event.preventDefault();
    void task.run(() => model.save((board) => ({ ...board, ...changed }), changed).then(onClose));
  };
  return (
    <Dialog
      title="Name and description"
      onClose={onClose}
      footer={
        <Button look="primary" type="submit" form={id} isBusy={task.isBusy} disabled={values.name.trim() === ""}>
          Save
        </Button>
      }
    >
      <form id={id} class="form-column" onSubmit={save}>
        <TextField
          label="Name"
          dir="auto"
          maxLength={400}
          value={values.name}
          problem={task.problem}
          onInput={(event) => change({ name: event.currentTarget.value })}
        />
        <TextField
          label="Description"
          dir="auto"
          value={values.description}
          onInput={(event) => change({ description: event.currentTarget.value })}
        />
      </form>
    </Dialog>
  );
}
