import type { EntityNode } from "./types.ts";

interface EventPickerProps {
  projectId: number;
  value: EntityNode;
  onChange(value: EntityNode): void;
  label: string;
}

/** A button that says which event or action is asked for, and opens the picker: type-ahead over events and actions. */
export function EventPicker(_props: EventPickerProps) {
  return null;
}
