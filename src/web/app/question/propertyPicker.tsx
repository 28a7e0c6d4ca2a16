import type { PickedProperty } from "./types.ts";

interface PropertyPickerProps {
  projectId: number;
  value: PickedProperty | null;
  onChange(value: PickedProperty): void;
  label: string;
  /** Which types can be picked; all where absent. */
  types?: readonly PickedProperty["type"][];
  /** Properties of these events come first. */
  events?: readonly string[];
  /** Only properties of numbers. */
  isNumeric?: boolean;
}

/** A button that says which property is meant, and opens the picker. */
export function PropertyPicker(_props: PropertyPickerProps) {
  return null;
}
