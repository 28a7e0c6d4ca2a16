import { useId } from "preact/hooks";

interface NumberFieldProps {
  label: string;
  /** Undefined: nothing is set. */
  value: number | undefined;
  min: number;
  max: number;
  onChange(value: number | undefined): void;
  /** Shown where nothing is set. */
  placeholder?: string;
  /** Behind the field, such as a unit. */
  unit?: string;
  /** The label is for readers of screens alone. */
  isQuiet?: boolean;
}

/** A whole number. What is no number, or out of the range, changes nothing and is put right when the field is left. */
export function NumberField({ label, value, min, max, onChange, placeholder, unit, isQuiet }: NumberFieldProps) {
  const id = useId();
  const read = (text: string) => {
    if (text.trim() === "") return onChange(undefined);
    const number = Number(text);
    if (Number.isInteger(number) && number >= min && number <= max) onChange(number);
  };
  return (
    <span class="number-field">
      <label for={id} class={isQuiet ? "unseen" : undefined}>
        {label}
      </label>
      <input
        id={id}
        class="input"
        type="number"
        inputMode="numeric"
        min={min}
        max={max}
        step={1}
        value={value ?? ""}
        placeholder={placeholder}
        onInput={(event) => read(event.currentTarget.value)}
        onBlur={(event) => {
          event.currentTarget.value = value === undefined ? "" : String(value);
        }}
      />
      {unit !== undefined && <span>{unit}</span>}
    </span>
  );
}
