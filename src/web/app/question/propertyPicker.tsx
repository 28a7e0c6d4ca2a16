import { Picker } from "../ui/combobox.tsx";
import { propertyLabel } from "./names.ts";
import { usePropertySearch } from "./propertySearch.tsx";
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
  /** What the button says while nothing is picked. */
  placeholder?: string;
  look?: "plain" | "quiet";
  /** Opens at once. */
  isOpenAtFirst?: boolean;
  onClose?(): void;
}

/** A button that says which property is meant, and opens the picker. */
export function PropertyPicker(props: PropertyPickerProps) {
  const { value, onChange, label, placeholder = "Pick a property", look, isOpenAtFirst, onClose } = props;
  const search = usePropertySearch(props);
  const close = () => {
    search.onClose();
    onClose?.();
  };
  return (
    <Picker {...search} {...{ label, look, isOpenAtFirst }} onClose={close} onPick={(option) => onChange(option.value)}>
      {value === null ? placeholder : pickedLabel(value)}
    </Picker>
  );
}

export const pickedLabel = ({ type, key }: PickedProperty): string => propertyLabel(key, type);
