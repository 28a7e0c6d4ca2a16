import { useState } from "preact/hooks";
import { invalidate, type Known } from "../api/cache.ts";
import { ApiError } from "../api/client.ts";
import type { Option, OptionGroup } from "../ui/listbox.tsx";
import { Problem } from "../ui/notice.tsx";
import { type Findable, find, score } from "./search.ts";
import { cut } from "./seen.ts";

/** A list within a picker. `section` makes one. */
export interface Section<T> {
  label: string;
  items: readonly Findable[];
  option(item: Findable): Option<T>;
}

/** `option` is asked only for `items`. */
export function section<I extends Findable, T>(
  label: string,
  items: readonly I[],
  option: (item: I) => Option<T>,
): Section<T> {
  return { label, items, option: option as (item: Findable) => Option<T> };
}

/** So many of a section are shown when one types; another letter finds the others. */
const FOUND_MAX = 200;

/** What is left of the sections by what was typed; the one with the best find comes first. */
export function sectionsFound<T>(sections: readonly Section<T>[], typed: string): OptionGroup<T>[] {
  const isTyped = typed.trim() !== "";
  const found = sections.map((one) => ({ one, items: find(one.items, typed) })).filter(({ items }) => items.length > 0);
  const best = (items: readonly Findable[]) => (items[0] === undefined ? 0 : score(items[0], typed));
  if (isTyped) found.sort((a, b) => best(b.items) - best(a.items));
  const isAlone = found.length === 1;
  return found.map(({ one, items }) => ({
    label: isAlone && !isTyped ? null : one.label,
    options: (isTyped ? items.slice(0, FOUND_MAX) : items).map((item) => one.option(item)),
  }));
}

/**
 * What stands below a list that misses some of a project's names: why, and a way to try again. What may not be read is not missed.
 * `missing` says what it is, where that is not seen.
 */
export function unloaded(projectId: number, lists: readonly Known<unknown>[], missing?: string) {
  const isClosed = (error: unknown) => error instanceof ApiError && error.status === 403;
  const failed = lists.find(({ data, error }) => data === undefined && error !== undefined && !isClosed(error));
  const again = () => invalidate(`definitions/${projectId}/`);
  return failed === undefined ? null : <Problem error={failed.error} missing={missing} onRetry={again} />;
}

/** The same for the types of groups. */
export const unloadedGroups = (projectId: number, types: Known<unknown>) =>
  unloaded(projectId, [types], "The types of groups cannot be loaded.");

/** Names as an option shows them: as people read it, and beside it as it is stored, where that differs. */
export const namesOf = ({ label, key }: Findable): { label: string; note?: string } => ({
  label: cut(label),
  ...(label !== key && { note: cut(key) }),
});

/**
 * What was typed into a picker; null while it is closed, so that nothing is listed then. `Picker` tells an empty text when it opens.
 */
export function useTyped(isOpenAtFirst: boolean) {
  const [typed, setTyped] = useState<string | null>(isOpenAtFirst ? "" : null);
  return { typed, text: typed ?? "", setTyped };
}

interface TabsProps {
  label: string;
  tabs: readonly { name: string; label: string }[];
  value: string;
  onChange(name: string): void;
}

/** Which part of a picker is listed. The focus stays in the text. */
export function PickerTabs({ label, tabs, value, onChange }: TabsProps) {
  return (
    <fieldset class="picker-tabs">
      <legend class="unseen">{label}</legend>
      {tabs.map((tab) => (
        <button
          key={tab.name}
          type="button"
          class={tab.name === value ? "chosen" : undefined}
          aria-pressed={tab.name === value}
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => onChange(tab.name)}
        >
          {tab.label}
        </button>
      ))}
    </fieldset>
  );
}
