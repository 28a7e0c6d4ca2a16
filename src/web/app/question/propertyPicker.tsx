import { Icon } from "../ui/icon.tsx";
import { Picker } from "../ui/picker.tsx";
import { propertyLabel } from "./names.ts";
import { usePropertySearch } from "./propertySearch.tsx";
import { cut } from "./seen.ts";
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
  /** It adds one: the button has a plus. */
  isAdd?: boolean;
  /** Opens at once. */
  isOpenAtFirst?: boolean;
  onClose?(): void;
}

/** A button that says which property is meant, and opens the picker. */
export function PropertyPicker(props: PropertyPickerProps) {
  const {
    value,
    onChange,
    label,
    placeholder = "Pick a property",
    look,
    isAdd = false,
    isOpenAtFirst,
    onClose,
  } = props;
  const search = usePropertySearch(props);
  const close = () => {
    search.onClose();
    onClose?.();
  };
  const said = value === null ? placeholder : pickedLabel(value);
  return (
    <span class={isAdd ? "add-picker" : "one-picker"} title={value === null ? undefined : cut(said)}>
      <Picker
        {...search}
        {...{ label, look, isOpenAtFirst }}
        onClose={close}
        onPick={(option) => onChange(option.value)}
      >
        {isAdd && <Icon name="plus" />}
        {cut(said)}
      </Picker>
    </span>
  );
}

const pickedLabel = ({ type, key }: PickedProperty): string => propertyLabel(key, type);
