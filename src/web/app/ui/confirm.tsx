import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";
import { Problem } from "./notice.tsx";

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
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<unknown>();
  const confirm = async () => {
    setBusy(true);
    try {
      await onConfirm();
      onClose();
    } catch (error) {
      setProblem(error);
      setBusy(false);
    }
  };
  return (
    <Dialog
      title={title}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button look={isDangerous ? "danger" : "primary"} isBusy={isBusy} onClick={confirm}>
            {action}
          </Button>
        </>
      }
    >
      {children}
      {problem !== undefined && <Problem error={problem} />}
    </Dialog>
  );
}
