import { useState } from "preact/hooks";
import { Button, IconButton } from "../ui/button.tsx";
import { Icon } from "../ui/icon.tsx";
import { FilterChip } from "./filterChip.tsx";
import { type Group, groupsOf, newFilter, tidy } from "./filters.ts";
import { PropertyPicker } from "./propertyPicker.tsx";
import type { FilterGroup, PickedProperty, PropertyFilter } from "./types.ts";

interface PropertyFiltersProps {
  projectId: number;
  /** Groups; a plain list is one group whose filters must all hold. */
  value: FilterGroup | readonly PropertyFilter[] | undefined;
  onChange(value: FilterGroup | undefined): void;
  events?: readonly string[];
  /** Without groups: only a list, as series have. */
  isFlat?: boolean;
  /** What the button says that adds one: "Filter". */
  addLabel?: string;
  /** Which properties can be asked for; all where absent. */
  types?: readonly PickedProperty["type"][];
  /** The first property is asked for at once. */
  isAddingAtFirst?: boolean;
  /** That was given up. */
  onCancel?(): void;
}

/** Filters of events and persons, in groups. */
export function PropertyFilters(props: PropertyFiltersProps) {
  const { value, onChange, isFlat = false, isAddingAtFirst = false, onCancel, ...rest } = props;
  const groups = groupsOf(value);
  const { type, values } = groups;
  const [isAdding, setAdding] = useState(false);
  const [added, setAdded] = useState(-1);
  const put = (next: readonly Group[]) => onChange(tidy({ type, values: next }));
  const set = (index: number, group: Group) => put(values.with(index, group));
  const shown: readonly Group[] = values.length === 0 ? [{ type: "AND", values: [] }] : values;
  if (isFlat) {
    // In a list all hold; more than that is shown, but not made here.
    const [first, ...others] = shown;
    return (
      <GroupRow
        {...rest}
        group={first!}
        isAdding={isAddingAtFirst}
        onCancel={onCancel}
        onChange={(group) => put([group, ...others])}
      />
    );
  }
  return (
    <div class="filter-groups">
      {shown.map((group, index) => (
        <div key={index} class="filter-group">
          {index > 0 && (
            <Joint
              type={type}
              of="groups"
              onChange={() => onChange(tidy({ type: type === "AND" ? "OR" : "AND", values }))}
            />
          )}
          <GroupRow
            {...rest}
            group={group}
            isNew={index === added}
            onChange={(next) => (values.length === 0 ? put([next]) : set(index, next))}
            onRemove={values.length > 1 ? () => put(values.toSpliced(index, 1)) : undefined}
          />
        </div>
      ))}
      {isAdding && (
        <div class="filter-group">
          <span class="joint-word">{(values.length === 1 ? "OR" : type) === "OR" ? "or" : "and"}</span>
          <GroupRow
            {...rest}
            group={{ type: "AND", values: [] }}
            isAdding
            onCancel={() => setAdding(false)}
            onChange={(group) => {
              setAdding(false);
              setAdded(values.length);
              // Two groups that must both hold would be one.
              onChange(tidy({ type: values.length === 1 ? "OR" : type, values: [...values, group] }));
            }}
          />
        </div>
      )}
      {values.length > 0 && !isAdding && (
        <Button look="quiet" class="small" icon="plus" onClick={() => setAdding(true)}>
          {values.length === 1 || type === "OR" ? "Or another group" : "And another group"}
        </Button>
      )}
    </div>
  );
}

interface GroupRowProps extends Pick<PropertyFiltersProps, "projectId" | "events" | "addLabel" | "types"> {
  group: Group;
  onChange(group: Group): void;
  onRemove?(): void;
  /** Its first property is asked for at once. */
  isAdding?: boolean;
  onCancel?(): void;
  /** It was just made with its first filter, whose value is asked for. */
  isNew?: boolean;
}

/** The filters of a group beside each other, with "and" or "or" between them. */
function GroupRow({
  group,
  onChange,
  onRemove,
  isAdding,
  onCancel,
  isNew,
  addLabel = "Filter",
  ...rest
}: GroupRowProps) {
  const { type, values } = group;
  const [added, setAdded] = useState(isNew ? 0 : -1);
  const put = (next: readonly PropertyFilter[]) => onChange({ type, values: next });
  const add = (picked: PickedProperty) => {
    setAdded(values.length);
    put([...values, newFilter(picked)]);
  };
  return (
    <div class="filter-row">
      {values.map((filter, index) => (
        <span key={index} class="filter-place">
          {index > 0 && (
            <Joint
              type={type}
              of="filters"
              onChange={() => onChange({ type: type === "AND" ? "OR" : "AND", values })}
            />
          )}
          <FilterChip
            {...rest}
            filter={filter}
            isOpenAtFirst={index === added && filter.type !== "cohort" && filter.type !== "hogql"}
            onChange={(next) => put(values.with(index, next))}
            onRemove={() => {
              setAdded(-1);
              put(values.toSpliced(index, 1));
            }}
          />
        </span>
      ))}
      <PropertyPicker
        {...rest}
        look="quiet"
        label="Add a filter"
        value={null}
        isAdd
        placeholder={addLabel}
        isOpenAtFirst={isAdding}
        onClose={onCancel}
        onChange={add}
      />
      {onRemove !== undefined && <IconButton class="pale" label="Remove this group" icon="trash" onClick={onRemove} />}
    </div>
  );
}

/** "and" or "or" between filters; a press changes it. */
function Joint({ type, of, onChange }: { type: "AND" | "OR"; of: "filters" | "groups"; onChange(): void }) {
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
