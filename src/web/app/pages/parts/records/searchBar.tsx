import type { ComponentChildren } from "preact";

interface SearchBarProps {
  label: string;
  /** What is searched, e.g. `Name`. */
  placeholder: string;
  value: string;
  onInput(text: string): void;
  /** Further filters. */
  children?: ComponentChildren;
}

/** The search of a list of records, above it. */
export function SearchBar({ label, placeholder, value, onInput, children }: SearchBarProps) {
  return (
    <search class="records-filters">
      <input
        class="input"
        type="search"
        aria-label={label}
        placeholder={placeholder}
        value={value}
        onInput={(event) => onInput(event.currentTarget.value)}
      />
      {children}
    </search>
  );
}
