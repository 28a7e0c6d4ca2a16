import { useState } from "preact/hooks";
import { Button } from "../ui/button.tsx";
import { FilterRow, Joint } from "./filterRow.tsx";
import { type Group, groupsOf, tidy } from "./filters.ts";
import type { FilterGroup, PickedProperty, PropertyFilter } from "./types.ts";

interface PropertyFiltersProps {
  projectId: number;
  /** Groups; a plain list is one group whose filters must all hold. */
  value: FilterGroup | readonly PropertyFilter[] | undefined;
  onChange(value: FilterGroup | undefined): void;
  events?: readonly string[];
  /** Without groups: only a list, as series have. */
  isFlat?: boolean;
  /** All must hold: "or" cannot be chosen. */
  isAnd?: boolean;
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
  const { type, values } = groupsOf(value);
  const [isAdding, setAdding] = useState(false);
  const put = (next: readonly Group[], of = type) => onChange(tidy({ type: of, values: next }));
  const first = values[0] ?? NO_FILTERS;
  if (isFlat) {
    // In a list all hold; more than that is shown, but not made here.
    const change = (group: Group) => put([group, ...values.slice(1)]);
    return <FilterRow {...rest} group={first} isAdding={isAddingAtFirst} onCancel={onCancel} onChange={change} />;
  }
  // Two groups that must both hold would be one.
  const nextType = values.length === 1 ? "OR" : type;
  const add = (group: Group) => {
    setAdding(false);
    put([...values, group], nextType);
  };
  const shown = isAdding || values.length === 0 ? [...values, NO_FILTERS] : values;
  return (
    <div class="filter-groups">
      {shown.map((group, index) => {
        const isNew = index === values.length;
        return (
          <div key={index} class="filter-group">
            {index > 0 && isNew && <span class="joint-word">{nextType === "OR" ? "or" : "and"}</span>}
            {index > 0 && !isNew && (
              <Joint type={type} of="groups" onChange={() => put(values, type === "AND" ? "OR" : "AND")} />
            )}
            <FilterRow
              {...rest}
              group={group}
              isAdding={isNew && isAdding}
              onCancel={() => setAdding(false)}
              onChange={(next) => (isNew ? add(next) : put(values.with(index, next)))}
              onRemove={values.length > 1 && !isNew ? () => put(values.toSpliced(index, 1)) : undefined}
            />
          </div>
        );
      })}
      {values.length > 0 && !isAdding && (
        <Button look="quiet" class="small" icon="plus" onClick={() => setAdding(true)}>
          {nextType === "OR" ? "Or another group" : "And another group"}
        </Button>
      )}
    </div>
  );
}

const NO_FILTERS: Group = { type: "AND", values: [] };
