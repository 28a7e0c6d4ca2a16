import { useMemo } from "preact/hooks";
import { mayEdit } from "../../session/rights.ts";
import { Button } from "../../ui/button.tsx";
import { Problem } from "../../ui/notice.tsx";
import { useTask } from "../../ui/task.ts";
import { toast } from "../../ui/toast.tsx";
import { NameFields } from "../parts/records/nameFields.tsx";
import { SaveRow } from "../parts/records/saveRow.tsx";
import { useChanges } from "../parts/records/useChanges.ts";
import { type Action, changeAction, createAction } from "./load.ts";
import { Preview } from "./preview.tsx";
import { StepCard } from "./stepCard.tsx";
import { AUTOCAPTURE, newStep, STEPS_MAX, type Step, stepsOf, toldOf } from "./steps.ts";

interface EditorProps {
  projectId: number;
  /** Null: a new one. */
  action: Action | null;
  onSaved(action: Action): void;
}

interface Values {
  name: string;
  description: string;
  steps: readonly Step[];
}

const valuesOf = (action: Action | null): Values => ({
  name: action?.name ?? "",
  description: action?.description ?? "",
  steps: action === null ? [newStep(AUTOCAPTURE)] : stepsOf(action.steps),
});

const bodyOf = ({ name, description, steps }: Values) => ({
  name: name.trim(),
  description,
  steps: steps.map(toldOf),
});

/** What an action is called and which events it means, with those beside it. */
export function ActionEditor({ projectId, action, onSaved }: EditorProps) {
  const mayChange = action === null || mayEdit("action", action);
  const saved = useMemo(() => valuesOf(action), [action]);
  const place = mayChange ? ({ what: "action", projectId, id: action?.id ?? null } as const) : null;
  const { values, changed, change, settle } = useChanges({ saved, bodyOf, place });
  const { name, description, steps } = values;
  const setSteps = (next: readonly Step[]) => change({ steps: next });
  const task = useTask();
  const isChanged = Object.keys(changed).length > 0;
  const save = () =>
    task.run(async () => {
      const next =
        action === null
          ? await createAction(projectId, bodyOf(values))
          : await changeAction(projectId, action.id, changed);
      settle(values);
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
        <NameFields {...{ name, description, mayChange }} onChange={change} />
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
          <SaveRow
            label={action === null ? "Create action" : "Save"}
            isReady={(action === null || isChanged) && name.trim() !== "" && steps.length > 0}
            isBusy={task.isBusy}
            isChanged={isChanged}
            onDiscard={() => settle(values)}
          />
        )}
      </form>
      <Preview projectId={projectId} steps={steps.map(toldOf)} />
    </div>
  );
}
