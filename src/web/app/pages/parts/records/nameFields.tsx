import { TextField } from "../../../ui/field.tsx";

const NAME_MAX = 400;
const DESCRIPTION_MAX = 1_000;

interface NameFieldsProps {
  name: string;
  description: string;
  mayChange: boolean;
  onChange(part: { name: string } | { description: string }): void;
}

/** What every record has: a name, and a sentence about it. */
export function NameFields({ name, description, mayChange, onChange }: NameFieldsProps) {
  return (
    <fieldset class="record-names" disabled={!mayChange}>
      <TextField
        label="Name"
        maxLength={NAME_MAX}
        value={name}
        onInput={(event) => onChange({ name: event.currentTarget.value })}
      />
      <TextField
        label="Description"
        maxLength={DESCRIPTION_MAX}
        value={description}
        onInput={(event) => onChange({ description: event.currentTarget.value })}
      />
    </fieldset>
  );
}
