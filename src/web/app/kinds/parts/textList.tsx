import { useId, useState } from "preact/hooks";
import { Button, IconButton } from "../../ui/button.tsx";

interface TextListProps {
  /** What one of them is, such as "Wildcard". */
  label: string;
  values: readonly string[];
  onChange(values: readonly string[]): void;
  placeholder?: string;
  addLabel: string;
  max: number;
}

/** Some texts: those that there are, each to be taken away, and a line for the next one. */
export function TextList({ label, values, onChange, placeholder, addLabel, max }: TextListProps) {
  const [next, setNext] = useState("");
  const id = useId();
  const text = next.trim();
  const add = () => {
    if (text === "" || values.includes(text) || values.length >= max) return;
    onChange([...values, text]);
    setNext("");
  };
  return (
    <div class="kind-texts">
      {values.length > 0 && (
        <ul>
          {values.map((value) => (
            <li key={value}>
              <span class="kind-chip" dir="auto" title={value}>
                {value}
              </span>
              <IconButton
                label={`Remove ${value}`}
                icon="close"
                onClick={() => onChange(values.filter((one) => one !== value))}
              />
            </li>
          ))}
        </ul>
      )}
      <form
        class="kind-texts-add"
        onSubmit={(event) => {
          event.preventDefault();
          add();
        }}
      >
        <label for={id} class="unseen">
          {label}
        </label>
        <input
          id={id}
          class="input"
          value={next}
          placeholder={placeholder}
          dir="auto"
          maxLength={2000}
          onInput={(event) => setNext(event.currentTarget.value)}
        />
        <Button type="submit" disabled={text === "" || values.length >= max}>
          {addLabel}
        </Button>
      </form>
    </div>
  );
}
