import { useState } from "preact/hooks";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { TextField } from "../../ui/field.tsx";
import { useTask } from "../../ui/task.ts";

const NAME_MAX = 400;

interface SaveDialogProps {
  name: string;
  onSave(name: string): Promise<unknown>;
  onClose(): void;
}

/** Asks for the name of a new insight. */
export function SaveDialog({ name, onSave, onClose }: SaveDialogProps) {
  const [text, setText] = useState(name);
  const task = useTask();
  const save = async (event: Event) => {
    event.preventDefault();
    if (await task.run(() => onSave(text.trim()))) onClose();
  };
  return (
    <Dialog title="Save as insight" onClose={onClose}>
      <form class="form" onSubmit={(event) => void save(event)}>
        <TextField
          label="Name"
          dir="auto"
          maxLength={NAME_MAX}
          value={text}
          problem={task.problem}
          onInput={(event) => setText(event.currentTarget.value)}
          hint="It can be put on dashboards and shared, like any insight."
        />
        <div class="form-end">
          <Button look="primary" type="submit" isBusy={task.isBusy}>
            Save
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
