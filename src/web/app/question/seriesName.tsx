import { useState } from "preact/hooks";
import { useFocusAtFirst } from "./focusAtFirst.ts";

interface SeriesNameProps {
  value: string;
  isNew: boolean;
  placeholder: string;
  onDone(name: string): void;
}

/** The name of a series, in its place. Without one it is called after its events. */
export function SeriesName({ value, isNew, placeholder, onDone }: SeriesNameProps) {
  const [text, setText] = useState(value);
  const input = useFocusAtFirst<HTMLInputElement>(isNew);
  return (
    <input
      class="input series-name"
      dir="auto"
      ref={input}
      aria-label="Name of the series"
      placeholder={placeholder.slice(0, 200)}
      value={text}
      maxLength={400}
      onInput={(event) => setText(event.currentTarget.value)}
      onBlur={() => onDone(text.trim())}
      onKeyDown={(event) => {
        if (event.key === "Enter") event.currentTarget.blur();
        if (event.key !== "Escape") return;
        event.stopPropagation();
        onDone(value);
      }}
    />
  );
}
