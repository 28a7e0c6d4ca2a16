import { Button, IconButton } from "../../ui/button.tsx";
import type { Drill } from "../kind.ts";

/** One of the lists of people behind something that was picked. */
export interface PickedList {
  /** Such as "12 converted". */
  label: string;
  drill: Drill;
}

interface PickBarProps {
  title: string;
  lists: readonly PickedList[];
  onDrill(drill: Drill): void;
  onClose(): void;
}

/** Below a chart, where what was picked has several lists of people behind it. */
export function PickBar({ title, lists, onDrill, onClose }: PickBarProps) {
  return (
    <section class="kind-pick" aria-label={title}>
      <span class="kind-pick-title" dir="auto" title={title}>
        {title}
      </span>
      {lists.map(({ label, drill }) => (
        <Button key={label} icon="people" onClick={() => onDrill(drill)}>
          {label}
        </Button>
      ))}
      <IconButton label="Close" icon="close" onClick={onClose} />
    </section>
  );
}
