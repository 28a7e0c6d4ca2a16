import { useState } from "preact/hooks";
import { Checkbox, TextField } from "../../../ui/field.tsx";

export const LEAST_PASSWORD = 12;

interface NewPasswordProps {
  label: string;
  value: string;
  problem?: string | null;
  onChange(value: string): void;
}

/** A password that is being chosen; it can be looked at. */
export function NewPassword({ label, value, problem, onChange }: NewPasswordProps) {
  const [isSeen, setSeen] = useState(false);
  return (
    <div class="field">
      <TextField
        label={label}
        type={isSeen ? "text" : "password"}
        autocomplete="new-password"
        required
        minLength={LEAST_PASSWORD}
        maxLength={512}
        spellcheck={false}
        value={value}
        problem={problem}
        hint={`At least ${LEAST_PASSWORD} characters. A few words are easy to keep in mind and hard to guess.`}
        onInput={(event) => onChange(event.currentTarget.value)}
      />
      <Checkbox label="Show the password" isOn={isSeen} onChange={setSeen} />
    </div>
  );
}
