import { useId } from "preact/hooks";

interface TextAreaProps {
  label: string;
  value: string;
  rows: number;
  maxLength: number;
  hint?: string;
  problem?: string | null;
  /** It is code. */
  isMono?: boolean;
  onChange(value: string): void;
}

/** A text of several lines with its label. */
export function TextArea({ label, value, rows, maxLength, hint, problem, isMono, onChange }: TextAreaProps) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <textarea
        id={id}
        class={isMono ? "input mono" : "input"}
        rows={rows}
        maxLength={maxLength}
        dir="auto"
        spellcheck={false}
        value={value}
        aria-invalid={problem ? true : undefined}
        aria-describedby={`${id}-hint`}
        onInput={(event) => onChange(event.currentTarget.value)}
      />
      <div id={`${id}-hint`} class={problem ? "field-problem" : "field-hint"} role={problem ? "alert" : undefined}>
        {problem || hint}
      </div>
    </div>
  );
}
