import type { ComponentChildren } from "preact";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";
import { Problem } from "./notice.tsx";
import { useTask } from "./task.ts";

interface ConfirmProps {
  /** The question, such as "Delete this dashboard?". */
  title: string;
  /** What happens then. */
  children?: ComponentChildren;
  /** What the button says, such as "Delete". */
  action: string;
  isDangerous?: boolean;
  onConfirm(): Promise<unknown> | undefined;
  onClose(): void;
}

/** Asks before something that cannot be taken back. It closes when that is done, and shows why it failed. */
export function Confirm({ title, children, action, isDangerous = false, onConfirm, onClose }: ConfirmProps) {
  const task = useTask();
  const confirm = () => task.run(async () => onConfirm()).then((isDone) => isDone && onClose());
  return (
    <Dialog
      title={title}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button look={isDangerous ? "danger" : "primary"} isBusy={task.isBusy} onClick={confirm}>
            {action}
          </Button>
        </>
      }
    >
      {children}
      {task.error !== undefined && <Problem error={task.error} />}
    </Dialog>
  );
}
