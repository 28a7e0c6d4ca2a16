import { useId, useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { TextField } from "../../ui/field.tsx";
import { useTask } from "../../ui/task.ts";
import { createBoard, type Template } from "../parts/board/boardActions.ts";

const TEMPLATES: readonly { template: Template; name: string; hint: string }[] = [
  { template: null, name: "Blank", hint: "Add insights and texts yourself." },
  {
    template: "DEFAULT_APP",
    name: "Product analytics",
    hint: "Who visits, how often they come back, from where, and what they look at.",
  },
  { template: "FIRST_EVENTS", name: "First events", hint: "What arrives, from how many people. It fits any project." },
];

/** Asks for a name and what to begin with, makes the dashboard and goes there. */
export function NewBoard({ projectId, onClose }: { projectId: number; onClose(): void }) {
  const id = useId();
  const { route } = useLocation();
  const [name, setName] = useState("");
  const [template, setTemplate] = useState<Template>(null);
  const task = useTask();
  const make = (event: Event) => {
    event.preventDefault();
    void task.run(async () => {
      const board = await createBoard(projectId, name.trim(), template);
      onClose();
      route(`/project/${projectId}/dashboard/${board}`);
    });
  };
  return (
    <Dialog
      title="New dashboard"
      onClose={onClose}
      footer={
        <Button
          look="primary"
          type="submit"
          form={id}
          isBusy={task.isBusy}
          disabled={template === null && name.trim() === ""}
        >
          Make dashboard
        </Button>
      }
    >
      <form id={id} class="form-column" onSubmit={make}>
        <TextField
          label="Name"
          dir="auto"
          maxLength={400}
          value={name}
          problem={task.problem}
          hint={template === null ? undefined : "Left empty, it is called as its template."}
          onInput={(event) => setName(event.currentTarget.value)}
        />
        <fieldset class="templates">
          <legend>Begin with</legend>
          {TEMPLATES.map((one) => (
            <label key={one.name} class={one.template === template ? "chosen" : undefined}>
              <input
                type="radio"
                name={`${id}-template`}
                checked={one.template === template}
                onChange={() => setTemplate(one.template)}
              />
              <span>
                <strong>{one.name}</strong>
                <span class="tile-note">{one.hint}</span>
              </span>
            </label>
          ))}
        </fieldset>
      </form>
    </Dialog>
  );
}
