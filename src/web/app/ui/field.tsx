import type { ComponentChildren, JSX } from "preact";
import { useId } from "preact/hooks";

interface FieldProps {
  label: string;
  /** What is wrong with the value. */
  problem?: string | null;
  hint?: ComponentChildren;
}

/** What an input of a text takes. */
type TextInput = Omit<JSX.IntrinsicElements["input"], "type" | "role" | "list"> & {
  type?: "text" | "email" | "password" | "url" | "number" | "search" | "date" | "datetime-local";
};

/** A line of text with its label. */
export function TextField({ label, problem, hint, ...input }: FieldProps & TextInput) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        {...(input as JSX.IntrinsicElements["input"])}
        id={id}
        class="input"
        aria-invalid={problem ? true : undefined}
        aria-describedby={`${id}-hint`}
      />
      <Hint id={`${id}-hint`} problem={problem} hint={hint} />
    </div>
  );
}

function Hint({ id, problem, hint }: Pick<FieldProps, "problem" | "hint"> & { id: string }) {
  return (
    <div id={id} class={problem ? "field-problem" : "field-hint"} role={problem ? "alert" : undefined}>
      {problem || hint}
    </div>
  );
}

interface Choice<T extends string | number> {
  value: T;
  label: string;
}

interface SelectProps<T extends string | number> {
  label: string;
  value: T;
  choices: readonly Choice<T>[];
  onChange(value: T): void;
  /** Shows the label beside it; else only readers of screens get it. */
  isLabelled?: boolean;
}

/** One of a few values. */
export function Select<T extends string | number>({ label, value, choices, onChange, isLabelled }: SelectProps<T>) {
  const id = useId();
  const pick = (text: string) => {
    const choice = choices.find((one) => String(one.value) === text);
    if (choice !== undefined) onChange(choice.value);
  };
  return (
    <span class="select">
      <label for={id} class={isLabelled ? undefined : "unseen"}>
        {label}
      </label>
      <select id={id} value={String(value)} onChange={(event) => pick(event.currentTarget.value)}>
        {choices.map((choice) => (
          <option key={choice.value} value={String(choice.value)}>
            {choice.label}
          </option>
        ))}
      </select>
    </span>
  );
}

/** A box to tick. */
export function Checkbox({ label, isOn, onChange }: { label: string; isOn: boolean; onChange(isOn: boolean): void }) {
  return (
    <label class="checkbox">
      <input type="checkbox" checked={isOn} onChange={(event) => onChange(event.currentTarget.checked)} />
      {label}
    </label>
  );
}

/** One of two to six values, all in sight. By keyboard as radio buttons. */
export function Segments<T extends string | number>({ label, value, choices, onChange }: SelectProps<T>) {
  const name = useId();
  return (
    <fieldset class="segments">
      <legend class="unseen">{label}</legend>
      {choices.map((choice) => (
        <label key={choice.value} class={choice.value === value ? "chosen" : undefined}>
          <input
            type="radio"
            class="unseen"
            name={name}
            checked={choice.value === value}
            onChange={() => onChange(choice.value)}
          />
          {choice.label}
        </label>
      ))}
    </fieldset>
  );
}
