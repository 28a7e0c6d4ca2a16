import type { ComponentChildren } from "preact";
import { Button } from "./button.tsx";
import { CopyField } from "./copy.tsx";
import { Dialog } from "./dialog.tsx";

interface ShownOnceProps {
  title: string;
  /** Of the value. */
  label: string;
  value: string;
  /** What it is for, and that it is not shown again. */
  children: ComponentChildren;
  onClose(): void;
}

/** A secret that was just made, to be copied: the only time that anyone sees it. */
export function ShownOnce({ title, label, value, children, onClose }: ShownOnceProps) {
  return (
    <Dialog
      title={title}
      onClose={onClose}
      footer={
        <Button look="primary" onClick={onClose}>
          Done
        </Button>
      }
    >
      <div class="stack">
        <p>{children}</p>
        <CopyField label={label} value={value} />
      </div>
    </Dialog>
  );
}
