import { useMemo, useState } from "preact/hooks";
import { mayEdit } from "../../session/rights.ts";
import { Button } from "../../ui/button.tsx";
import { Problem } from "../../ui/notice.tsx";
import { useTask } from "../../ui/task.ts";
import { toast } from "../../ui/toast.tsx";
import { NameFields } from "../parts/records/nameFields.tsx";
import { type Action, saveAction } from "./load.ts";
import { Preview } from "./preview.tsx";
import { StepCard } from "./stepCard.tsx";
import { AUTOCAPTURE, newStep, STEPS_MAX, type Step, stepsOf, toldOf } from "./steps.ts";

interface EditorProps {
  projectId: number;
  /** Null: a new one. */
  action: Action | null;
  onSaved(action: Action): void;
}

/** What an action is called and which events it means, with those beside it. */
export function ActionEditor({ projectId, action, onSaved }: EditorProps) {
  const [name, setName] = useState(action?.name ?? "");
  const [description, setDescription] = useState(action?.description ?? "");
  const saved = useMemo(() => (action === null ? [newStep(AUTOCAPTURE)] : stepsOf(action.steps)), [action]);
  const [steps, setSteps] = useState<readonly Step[]>(saved);
  const task = useTask();
  const told = steps.map(toldOf);
  const mayChange = action === null || mayEdit("action", action);
  const isSame =
    action !== null &&
    JSON.stringify(told) === JSON.stringify(saved.map(toldOf)) &&
    name === (action.name ?? "") &&
    description === action.description;
  const save = () =>
    task.run(async () => {
      const next = await saveAction(projectId, action?.id ?? null, { name: name.trim(), description, steps: told });
      setSteps(stepsOf(next.steps));
      toast("Saved");
      onSaved(next);
    });
  return (
    <div class="action-parts">
      <form
        class="record-form"
        aria-label="Action"
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        <NameFields {...{ name, description, mayChange }} onName={setName} onDescription={setDescription} />
        <div class="action-steps" inert={!mayChange}>
          {steps.map((step, index) => (
            <div key={index} class="action-step">
              {index > 0 && <span class="joint-word">or</span>}
              <StepCard
                {...{ projectId, step, index }}
                onChange={(next) => setSteps(steps.with(index, next))}
                onRemove={steps.length > 1 ? () => setSteps(steps.toSpliced(index, 1)) : undefined}
              />
            </div>
          ))}
          {steps.length < STEPS_MAX && (
            <Button look="quiet" icon="plus" onClick={() => setSteps([...steps, newStep(AUTOCAPTURE)])}>
              Or another event
            </Button>
          )}
        </div>
        {task.error !== undefined && <Problem error={task.error} />}
        {mayChange && (
          <p class="row">
            <Button
              look="primary"
              type="submit"
              isBusy={task.isBusy}
              disabled={isSame || name.trim() === "" || steps.length === 0}
            >
              {action === null ? "Create action" : "Save"}
            </Button>
          </p>
        )}
      </form>
      <Preview projectId={projectId} steps={told} />
    </div>
  );
}
