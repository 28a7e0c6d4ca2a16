import { useEffect, useRef, useState } from "preact/hooks";

interface SqlLineProps {
  label: string;
  value: string;
  placeholder?: string;
  /** When typing has ended: by Enter, or by going elsewhere. */
  onChange(value: string): void;
  onDone?(): void;
}

/** An expression in SQL. Half of one is never asked. */
export function SqlLine({ label, value, placeholder, onChange, onDone }: SqlLineProps) {
  const [text, setText] = useState(value);
  const latest = useRef({ text, value, onChange });
  latest.current = { text, value, onChange };
  useEffect(() => setText(value), [value]);
  const tell = () => {
    const { text, value, onChange } = latest.current;
    if (text.trim() !== "" && text !== value) onChange(text.trim());
  };
  // It may be closed by a press elsewhere, which takes it away before the focus leaves.
  useEffect(() => tell, []);
  const key = (event: KeyboardEvent) => {
    if (event.key !== "Enter" || event.shiftKey) return;
    event.preventDefault();
    tell();
    onDone?.();
  };
  return (
    <textarea
      class="input sql-line"
      rows={2}
      spellcheck={false}
      aria-label={label}
      placeholder={placeholder ?? label}
      value={text}
      onInput={(event) => setText(event.currentTarget.value)}
      onBlur={tell}
      onKeyDown={key}
    />
  );
}
