import { useRef, useState } from "preact/hooks";
import { IconButton } from "../ui/button.tsx";
import { Icon } from "../ui/icon.tsx";
import { FilterChip } from "./filterChip.tsx";
import { type Group, newFilter } from "./filters.ts";
import { isComplete } from "./operators.ts";
import { PropertyPicker } from "./propertyPicker.tsx";
import type { PickedProperty, PropertyFilter } from "./types.ts";

interface FilterRowProps {
  projectId: number;
  group: Group;
  onChange(group: Group): void;
  onRemove?(): void;
  /** Its first property is asked for at once. */
  isAdding?: boolean;
  /** Adding was given up. */
  onCancel?(): void;
  events?: readonly string[];
  addLabel?: string;
  types?: readonly PickedProperty["type"][];
  /** All must hold. */
  isAnd?: boolean;
}

/**
 * The filters of a group beside each other, with "and" or "or" between them. One that is added is told when it asks for something, so
 * that nothing is calculated before.
 */
export function FilterRow({ group, onChange, onRemove, isAdding, onCancel, addLabel, isAnd, ...rest }: FilterRowProps) {
  const { type, values } = group;
  const [draft, setDraft] = useState<PropertyFilter | null>(null);
  const wasPicked = useRef(false);
  const put = (next: readonly PropertyFilter[]) => onChange({ type, values: next });
  const tell = (index: number, filter: PropertyFilter) => {
    if (index < values.length) return put(values.with(index, filter));
    if (!isComplete(filter)) return setDraft(filter);
    setDraft(null);
    put([...values, filter]);
  };
  const drop = (index: number) => {
    if (index < values.length) return put(values.toSpliced(index, 1));
    setDraft(null);
    onCancel?.();
  };
  const add = (picked: PickedProperty) => {
    wasPicked.current = true;
    tell(values.length, newFilter(picked));
  };
  const closed = () => {
    if (!wasPicked.current) onCancel?.();
    wasPicked.current = false;
  };
  // A draft becomes a filter in its place, so that its box stays open.
  const shown = draft === null ? values : [...values, draft];
  return (
    <div class="filter-row">
      {shown.map((filter, index) => (
        <span key={index} class="filter-place">
          {index > 0 && isAnd && <span class="joint-word">and</span>}
          {index > 0 && !isAnd && (
            <Joint
              type={type}
              of="filters"
              onChange={() => onChange({ type: type === "AND" ? "OR" : "AND", values })}
            />
          )}
          <FilterChip
            {...rest}
            filter={filter}
            isOpenAtFirst={index === values.length}
            onChange={(next) => tell(index, next)}
            onRemove={() => drop(index)}
          />
        </span>
      ))}
      <PropertyPicker
        {...rest}
        look="quiet"
        label="Add a filter"
        value={null}
        isAdd
        placeholder={addLabel ?? "Filter"}
        isOpenAtFirst={isAdding}
        onClose={closed}
        onChange={add}
      />
      {onRemove !== undefined && <IconButton class="pale" label="Remove this group" icon="trash" onClick={onRemove} />}
    </div>
  );
}

/** "and" or "or" between filters; a press changes it. */
export function Joint({
  type,
  of,
  onChange,
}: {
  type: "AND" | "OR";
  of: "filters" | "groups" | "conditions";
  onChange(): void;
}) {
  const [word, other] = type === "AND" ? ["and", "or"] : ["or", "and"];
  return (
    <button
      type="button"
      class="joint"
      aria-label={`${word}: between ${of}. Change to ${other}`}
      title={`Change to “${other}”`}
      onClick={onChange}
    >
      {word}
      <Icon name="chevronDown" size={10} />
    </button>
  );
}
