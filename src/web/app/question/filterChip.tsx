import { useRef, useState } from "preact/hooks";
import { IconButton } from "../ui/button.tsx";
import { Popover } from "../ui/popover.tsx";
import { useValueType } from "./definitions.ts";
import { filterText, newFilter, propertyOf } from "./filters.ts";
import { OperatorSelect } from "./operatorSelect.tsx";
import { isComplete, type ValueType, withOperator } from "./operators.ts";
import { PropertyPicker } from "./propertyPicker.tsx";
import { cut } from "./seen.ts";
import { SqlLine } from "./sqlLine.tsx";
import type { PickedProperty, PropertyFilter } from "./types.ts";
import { ValueEditor } from "./valueEditor.tsx";

interface FilterChipProps {
  projectId: number;
  filter: PropertyFilter;
  onChange(filter: PropertyFilter): void;
  onRemove(): void;
  events?: readonly string[];
  types?: readonly PickedProperty["type"][];
  /** It was just added: its value is asked for. */
  isOpenAtFirst?: boolean;
}

/** A filter in words; a press opens it. One that asks nothing goes away when it is closed. */
export function FilterChip({ projectId, filter, onChange, onRemove, isOpenAtFirst = false, ...rest }: FilterChipProps) {
  const anchor = useRef<HTMLButtonElement>(null);
  const [isOpen, setOpen] = useState(isOpenAtFirst);
  const valueType = useValueType(projectId, propertyOf(filter));
  const [subject, operator, value] = filterText(filter, valueType);
  const close = () => {
    setOpen(false);
    if (!isComplete(filter)) onRemove();
    else anchor.current?.focus();
  };
  const whole = [subject, operator, value].filter(Boolean).join(" ");
  return (
    <span class={isComplete(filter) ? "chip" : "chip unsaid"}>
      <button
        ref={anchor}
        type="button"
        class="chip-text"
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        aria-label={`Filter: ${cut(whole)}`}
        title={whole.slice(0, 1_000)}
        onClick={() => (isOpen ? close() : setOpen(true))}
        onKeyDown={(event) => (event.key === "Delete" || event.key === "Backspace") && onRemove()}
      >
        {subject !== "" && <bdi class="chip-subject">{cut(subject)}</bdi>}{" "}
        {operator !== "" && <span class="chip-operator">{operator}</span>}{" "}
        {value !== "" && <bdi class={filter.type === "hogql" ? "chip-value code" : "chip-value"}>{cut(value)}</bdi>}
      </button>
      <IconButton label={`Remove the filter ${cut(whole)}`} icon="close" onClick={onRemove} />
      {isOpen && (
        <Popover anchor={anchor} onClose={close} label="Filter" class="filter-box">
          <FilterEditor {...{ projectId, filter, valueType, onChange }} {...rest} onDone={close} />
        </Popover>
      )}
    </span>
  );
}

interface FilterEditorProps extends Pick<FilterChipProps, "projectId" | "filter" | "onChange" | "events" | "types"> {
  valueType: ValueType;
  onDone(): void;
}

function FilterEditor({ projectId, filter, valueType, onChange, onDone, events, types }: FilterEditorProps) {
  const isSql = filter.type === "hogql";
  return (
    <>
      <div class="filter-head">
        <PropertyPicker
          label="Property of the filter"
          look="quiet"
          {...{ projectId, events, types }}
          value={propertyOf(filter)}
          onChange={(picked) => onChange(newFilter(picked))}
        />
        {!isSql && (
          <OperatorSelect
            filter={filter}
            valueType={valueType}
            onChange={(operator) => onChange(withOperator(filter, operator, valueType))}
          />
        )}
      </div>
      {isSql ? (
        <SqlLine
          label="Condition in SQL"
          value={filter.key}
          onChange={(key) => onChange({ ...filter, key })}
          onDone={onDone}
        />
      ) : (
        filter.type !== "cohort" && (
          <ValueEditor
            key={`${filter.type} ${filter.key}`}
            {...{ projectId, filter, valueType, events, onChange, onDone }}
          />
        )
      )}
    </>
  );
}
