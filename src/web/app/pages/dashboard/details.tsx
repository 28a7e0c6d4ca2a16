import { useId, useState } from "preact/hooks";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { TextField } from "../../ui/field.tsx";
import { useTask } from "../../ui/task.ts";
import type { BoardModel } from "../parts/board/model.ts";

/** The name and the description of a dashboard. */
export function DetailsDialog({ model, onClose }: { model: BoardModel; onClose(): void }) {
  const id = useId();
  const [before] = useState({ name: model.board?.name ?? "", description: model.board?.description ?? "" });
  const [name, setName] = useState(before.name);
  const [description, setDescription] = useState(before.description);
  const task = useTask();
  const save = (event: Event) => {
    event.preventDefault();
    // What was not changed here may be newer by now.
    const next = {
      ...(name !== before.name && { name: name.trim() }),
      ...(description !== before.description && { description: description.trim() }),
    };
    void task.run(() => model.save((board) => ({ ...board, ...next }), next).then(onClose));
  };
  return (
    <Dialog
      title="Name and description"
      onClose={onClose}
      footer={
        <Button look="primary" type="submit" form={id} isBusy={task.isBusy} disabled={name.trim() === ""}>
          Save
        </Button>
      }
    >
      <form id={id} class="form-column" onSubmit={save}>
        <TextField
          label="Name"
          dir="auto"
          maxLength={400}
          value={name}
          problem={task.problem}
          onInput={(event) => setName(event.currentTarget.value)}
        />
        <TextField
          label="Description"
          dir="auto"
          value={description}
          onInput={(event) => setDescription(event.currentTarget.value)}
        />
      </form>
    </Dialog>
  );
}
