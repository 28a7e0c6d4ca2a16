import { useEffect, useId, useState } from "preact/hooks";

interface DraftTextProps {
  label: string;
  value: string;
  onChange(value: string): void;
  placeholder?: string;
  /** Values to choose from. */
  suggestions?: readonly string[];
  isCode?: boolean;
}

/** A line of text that counts when the field is left or Enter is pressed: half a word is no question. */
export function DraftText({ label, value, onChange, placeholder, suggestions = [], isCode }: DraftTextProps) {
  const id = useId();
  const [draft, setDraft] = useState(value);
  useEffect(() => setDraft(value), [value]);
  const done = (text: string) => text.trim() !== value && onChange(text.trim());
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        id={id}
        class={isCode ? "input code" : "input"}
        value={draft}
        placeholder={placeholder}
        dir="auto"
        maxLength={2000}
        list={suggestions.length > 0 ? `${id}-values` : undefined}
        autocomplete="off"
        spellcheck={false}
        onInput={(event) => setDraft(event.currentTarget.value)}
        onChange={(event) => done(event.currentTarget.value)}
      />
      {suggestions.length > 0 && (
        <datalist id={`${id}-values`}>
          {suggestions.map((one) => (
            <option key={one} value={one} />
          ))}
        </datalist>
      )}
    </div>
  );
}
