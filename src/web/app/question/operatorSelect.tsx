import { useId } from "preact/hooks";
import { operatorChoice, operatorOf, operatorsFor, type ValueType } from "./operators.ts";
import type { PropertyFilter } from "./types.ts";

interface OperatorSelectProps {
  filter: PropertyFilter;
  valueType: ValueType;
  onChange(operator: string): void;
}

/** How a property is compared: what makes sense for it first, then all else. */
export function OperatorSelect({ filter, valueType, onChange }: OperatorSelectProps) {
  const id = useId();
  const { first, rest } = operatorsFor(filter, valueType);
  const operator = operatorOf(filter);
  // One that is offered under another name stays as it is.
  const all = first.includes(operator) || rest.includes(operator) ? first : [operator, ...first];
  const option = (name: string) => (
    <option key={name} value={name}>
      {operatorChoice(name, filter.type)}
    </option>
  );
  return (
    <span class="select">
      <label for={id} class="unseen">
        Comparison
      </label>
      <select id={id} value={operator} onChange={(event) => onChange(event.currentTarget.value)}>
        {all.map(option)}
        {rest.length > 0 && <optgroup label="More">{rest.map(option)}</optgroup>}
      </select>
    </span>
  );
}
