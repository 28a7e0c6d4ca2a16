import { useEffect, useId, useState } from "preact/hooks";

interface NumberLineProps {
  label: string;
  value: number;
  min: number;
  max: number;
  onChange(value: number): void;
  /** Behind it: "days". */
  unit?: string;
  /** Only readers of screens get the label. */
  isUnlabelled?: boolean;
}

/** A whole number. What is none, or out of bounds, is not told, and is put right when one goes elsewhere. */
export function NumberLine({ label, value, min, max, onChange, unit, isUnlabelled }: NumberLineProps) {
  const id = useId();
  const [text, setText] = useState(String(value));
  const number = /^\d{1,9}$/.test(text.trim()) ? Number(text) : Number.NaN;
  const isGood = number >= min && number <= max;
  useEffect(() => {
    if (number !== value) setText(String(value));
  }, [value]);
  const change = (next: string) => {
    setText(next);
    const parsed = /^\d{1,9}$/.test(next.trim()) ? Number(next) : Number.NaN;
    if (parsed >= min && parsed <= max && parsed !== value) onChange(parsed);
  };
  return (
    <span class="number-line">
      <label for={id} class={isUnlabelled ? "unseen" : undefined}>
        {label}
      </label>
      <input
        id={id}
        class="input amount"
        inputMode="numeric"
        autocomplete="off"
        value={text}
        aria-invalid={isGood ? undefined : true}
        onInput={(event) => change(event.currentTarget.value)}
        onBlur={() => setText(String(value))}
      />
      {unit !== undefined && <span>{unit}</span>}
    </span>
  );
}
