import { Checkbox, Select, TextField } from "../../ui/field.tsx";
import { type Destination, type Field, type Values, withValue } from "./destinations.ts";

interface DestinationFieldsProps {
  destination: Destination;
  values: Values;
  /** Secrets that are left empty stay. */
  isSaved: boolean;
  onChange(values: Values): void;
}

/** The settings of a destination. */
export function DestinationFields({ destination, values, isSaved, onChange }: DestinationFieldsProps) {
  return (
    <>
      {destination.fields.map((field) => (
        <One
          key={field.name}
          field={field}
          values={values}
          isSaved={isSaved}
          onChange={(value) => onChange(withValue(destination, values, field.name, value))}
        />
      ))}
    </>
  );
}

interface OneProps {
  field: Field;
  values: Values;
  isSaved: boolean;
  onChange(value: string | boolean): void;
}

function One({ field, values, isSaved, onChange }: OneProps) {
  const { name, label, kind, choices, isSecret = false, isHidden, isRequired = false, placeholder, hint } = field;
  const value = values[name] ?? "";
  if (typeof value === "boolean") return <Checkbox label={label} isOn={value} onChange={onChange} />;
  if (kind === "choice") {
    return (
      <Select
        label={label}
        isLabelled
        value={value}
        choices={choices?.(values) ?? []}
        onChange={(next) => onChange(next)}
      />
    );
  }
  const isKept = isSecret && isSaved;
  return (
    <TextField
      label={label}
      type={isHidden ? "password" : kind === "number" ? "number" : "text"}
      autocomplete="off"
      spellcheck={false}
      required={isRequired && !isKept}
      placeholder={isKept ? "as it is" : placeholder}
      hint={isKept ? "Kept encrypted, and never shown." : hint}
      value={value}
      onInput={(event) => onChange(event.currentTarget.value)}
    />
  );
}
