import type { RefObject } from "preact";
import { useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { Icon, type IconName } from "./icon.tsx";
import { useVirtual } from "./virtual.ts";

/** Something to pick. */
export interface Option<T> {
  /** Tells it from all others of the list. */
  key: string;
  value: T;
  label: string;
  /** Beside the label, pale: another name of the same. */
  note?: string;
  /** At the end of the line, short: how many, when it was last seen. */
  hint?: string;
  icon?: IconName;
  /** It is picked already. */
  isChosen?: boolean;
}

export interface OptionGroup<T> {
  /** Null: no heading. Headings differ from each other. */
  label: string | null;
  options: readonly Option<T>[];
}

interface ListboxProps<T> {
  id: string;
  label: string;
  groups: readonly OptionGroup<T>[];
  /** Counted through all groups; -1: none. */
  active: number;
  onActive(index: number): void;
  onPick(option: Option<T>): void;
  isMulti?: boolean;
}

type Row<T> =
  | { heading: string; option?: undefined; at: number; group: number }
  | { heading?: undefined; option: Option<T>; at: number; group: number };

const OPTION_PX = 32;
const HEADING_PX = 28;

/** The id of an option, for `aria-activedescendant`. */
export const optionId = (listId: string, index: number) => `${listId}-${index}`;

/** All options of the groups, in one row. */
export function flatten<T>(groups: readonly OptionGroup<T>[]): readonly Option<T>[] {
  return groups.flatMap(({ options }) => options);
}

/** The options of a combobox. The focus stays in its text; only what is in sight is in the page. */
export function Listbox<T>({ id, label, groups, active, onActive, onPick, isMulti }: ListboxProps<T>) {
  const scroller = useRef<HTMLDivElement>(null);
  const rows = useMemo(() => rowsOf(groups), [groups]);
  const activeRow = rows.findIndex((row) => row.option !== undefined && row.at === active);
  const sizePxOf = useMemo(() => (index: number) => (rows[index]?.option ? OPTION_PX : HEADING_PX), [rows]);
  const { rows: seen, totalPx, show } = useVirtual({ count: rows.length, scroller, sizePxOf, kept: activeRow });
  useShown(activeRow, rows[activeRow - 1]?.heading !== undefined, show, scroller);
  const count = flatten(groups).length;
  const inSight = seen.map(({ index, topPx }) => ({ row: rows[index]!, topPx }));
  return (
    <div
      ref={scroller}
      id={id}
      role="listbox"
      aria-label={label}
      aria-multiselectable={isMulti || undefined}
      class="listbox"
      tabIndex={-1}
      // The focus stays where one types.
      onMouseDown={(event) => event.preventDefault()}
    >
      <div role="presentation" style={{ height: `${totalPx}px` }}>
        {groups.map((group, index) => {
          const own = inSight.filter(({ row }) => row.group === index);
          if (own.length === 0) return null;
          const lines = own.map(({ row, topPx }) =>
            row.option === undefined ? (
              <div key="heading" class="listbox-heading" role="presentation" style={{ top: `${topPx}px` }}>
                {row.heading}
              </div>
            ) : (
              <OptionLine
                key={row.option.key}
                id={optionId(id, row.at)}
                option={row.option}
                topPx={topPx}
                at={row.at}
                count={count}
                isActive={row.at === active}
                isMulti={isMulti}
                onActive={onActive}
                onPick={onPick}
              />
            ),
          );
          if (group.label === null) return lines;
          return (
            // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot stand in a listbox
            <div key={group.label} role="group" aria-label={group.label}>
              {lines}
            </div>
          );
        })}
      </div>
    </div>
  );
}

/** Scrolls to the active row, and to the heading above it where it is the first of its group. */
function useShown(row: number, isFirst: boolean, show: (index: number) => void, list: RefObject<HTMLElement | null>) {
  // Only a move scrolls.
  useLayoutEffect(() => {
    if (row < 0 || list.current === null) return;
    show(row);
    if (isFirst) show(row - 1);
  }, [row]);
}

interface OptionLineProps<T> {
  id: string;
  option: Option<T>;
  topPx: number;
  at: number;
  count: number;
  isActive: boolean;
  isMulti?: boolean;
  onActive(index: number): void;
  onPick(option: Option<T>): void;
}

function OptionLine<T>({ id, option, topPx, at, count, isActive, isMulti, onActive, onPick }: OptionLineProps<T>) {
  const { label, note, hint, icon, isChosen = false } = option;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: keys are pressed in the combobox
    // biome-ignore lint/a11y/useFocusableInteractive: aria-activedescendant names it
    <div
      id={id}
      role="option"
      class={isActive ? "listbox-option active" : "listbox-option"}
      style={{ top: `${topPx}px` }}
      // Among several the ticked ones are selected; else that which Enter takes.
      aria-selected={isMulti ? isChosen : isActive}
      aria-setsize={count}
      aria-posinset={at + 1}
      onMouseMove={() => !isActive && onActive(at)}
      onClick={() => onPick(option)}
    >
      {isMulti ? (
        <span class={isChosen ? "tick on" : "tick"}>{isChosen && <Icon name="check" size={12} />}</span>
      ) : null}
      {icon !== undefined && <Icon name={icon} size={14} />}
      <span class="listbox-label" dir="auto" title={label}>
        {label}
      </span>
      {note !== undefined && (
        <span class="listbox-note" dir="auto" title={note}>
          {note}
        </span>
      )}
      {hint !== undefined && <span class="listbox-hint">{hint}</span>}
      {isChosen && !isMulti && <Icon name="check" size={14} />}
    </div>
  );
}

function rowsOf<T>(groups: readonly OptionGroup<T>[]): readonly Row<T>[] {
  let at = 0;
  return groups.flatMap(({ label, options }, group) => {
    const lines = options.map((option): Row<T> => ({ option, at: at++, group }));
    return label === null || options.length === 0 ? lines : [{ heading: label, at: -1, group }, ...lines];
  });
}
