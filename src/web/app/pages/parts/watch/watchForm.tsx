import type { ComponentChildren } from "preact";
import { Button } from "../../../ui/button.tsx";
import { useTask } from "../../../ui/task.ts";
import { toast } from "../../../ui/toast.tsx";
import { reloadWatch } from "./data.ts";

export interface WatchFormProps {
  projectId: number;
  /** `secret`: what webhooks are signed with, where a new one was made. */
  onSaved(secret: string | null): void;
  onCancel(): void;
}

interface Saving {
  save(): Promise<{ webhook_secret: string | null }>;
  /** Told when it is saved. */
  done: string;
  /** `problem`: why it was not saved. */
  children(problem: string | null): ComponentChildren;
}

/** The form of an alert or a subscription. */
export function WatchForm({ projectId, save, done, onSaved, onCancel, children }: WatchFormProps & Saving) {
  const task = useTask();
  const submit = (event: Event) => {
    event.preventDefault();
    void task.run(async () => {
      const { webhook_secret: secret } = await save();
      toast(done);
      reloadWatch(projectId);
      onSaved(secret);
    });
  };
  return (
    <form class="form" onSubmit={submit}>
      {children(task.problem)}
      <p class="form-end">
        <Button onClick={onCancel}>Cancel</Button>
        <Button look="primary" type="submit" isBusy={task.isBusy}>
          Save
        </Button>
      </p>
    </form>
  );
}
