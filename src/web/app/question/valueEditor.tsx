import type { ComponentChildren } from "preact";
import { useMemo, useState } from "preact/hooks";
import { formatShort } from "../format/number.ts";
import { Segments } from "../ui/field.tsx";
import type { OptionGroup } from "../ui/listbox.tsx";
import { SearchList } from "../ui/searchList.tsx";
import { DateValue } from "./dateValue.tsx";
import { useFocusAtFirst } from "./focusAtFirst.ts";
import { numberIn, type ValueForm, type ValueType, valueForm, valuesOf } from "./operators.ts";
import { cut } from "./seen.ts";
import type { PropertyFilter } from "./types.ts";
import { type SeenValue, useValues } from "./values.tsx";

interface ValueEditorProps {
  projectId: number;
  filter: PropertyFilter;
  valueType: ValueType;
  /** Values of these events are proposed. */
  events?: readonly string[];
  onChange(filter: PropertyFilter): void;
  /** Enter in a line of text: nothing more is to say. */
  onDone(): void;
}

/** What a property is compared with, by the form that the operator takes. */
export function ValueEditor(props: ValueEditorProps) {
  const form = valueForm(props.filter, props.valueType);
  const Part = PARTS[form];
  return Part === null ? null : <Part key={form} {...props} />;
}

const PARTS: Record<ValueForm, ((props: ValueEditorProps) => ComponentChildren) | null> = {
  none: null,
  texts: Texts,
  yesNo: YesNo,
  number: (props) => <Line {...props} label="Number" inputMode="decimal" read={numberIn} />,
  text: (props) => <Line {...props} label="Value" read={(text) => text} />,
  range: Range,
  date: DateValue,
};

/** Several values: those that were seen, and any other text. */
function Texts({ projectId, filter, valueType, events, onChange }: ValueEditorProps) {
  const [text, setText] = useState("");
  const { type, key, group_type_index } = filter;
  const { values, isLoading, problem } = useValues(projectId, { type, key, group_type_index, events }, text);
  const chosen = valuesOf(filter).map(String);
  // What was chosen when it was opened stays in its place while one ticks.
  const [atFirst] = useState(chosen);
  const groups = useMemo(
    () => valueGroups({ text, seen: values, chosen, atFirst }),
    [text, values, chosen.join("\n"), atFirst],
  );
  const read = valueType === "Numeric" || valueType === "Duration" ? numberIn : (one: string) => one;
  const toggle = (value: string) => {
    const next = chosen.includes(value) ? chosen.filter((one) => one !== value) : [...chosen, value];
    onChange({ ...filter, value: next.map(read) });
    if (!values.some(({ name }) => name === value)) setText("");
  };
  return (
    <SearchList
      isMulti
      label="Values"
      placeholder="Find or type a value"
      text={text}
      onText={setText}
      groups={groups}
      isLoading={isLoading}
      nothing={problem ? "Type a value and press Enter." : "No values seen yet: type one and press Enter."}
      foot={problem}
      onPick={(option) => toggle(option.value)}
    />
  );
}

interface Listing {
  text: string;
  seen: readonly SeenValue[];
  chosen: readonly string[];
  atFirst: readonly string[];
}

function valueGroups({ text, seen, chosen, atFirst }: Listing): OptionGroup<string>[] {
  const typed = text.trim();
  const part = typed.toLowerCase();
  const isChosen = (name: string) => chosen.includes(name);
  const top = [...new Set([...atFirst, ...chosen.filter((name) => !seen.some((one) => one.name === name))])];
  const option = (name: string, count: number | null) => ({
    key: name,
    value: name,
    label: name === "" ? "(empty)" : cut(name),
    hint: count === null ? undefined : formatShort(count),
    isChosen: isChosen(name),
  });
  const above = top.filter((name) => name.toLowerCase().includes(part)).map((name) => option(name, null));
  const others = seen.filter(({ name }) => !top.includes(name)).map(({ name, count }) => option(name, count));
  const isKnown = typed === "" || top.includes(typed) || seen.some(({ name }) => name === typed);
  const own = isKnown ? [] : [{ ...option(typed, null), label: `“${cut(typed)}”`, note: "this text" }];
  const groups = [
    { label: null, options: above },
    { label: above.length > 0 ? "Seen values" : null, options: others },
    { label: null, options: own },
  ];
  return groups.filter(({ options }) => options.length > 0);
}

function YesNo({ filter, onChange }: ValueEditorProps) {
  return (
    <div class="filter-value">
      <Segments
        label="Value"
        value={String(valuesOf(filter)[0] ?? "")}
        choices={[
          { value: "true", label: "True" },
          { value: "false", label: "False" },
        ]}
        onChange={(value) => onChange({ ...filter, value: [value] })}
      />
    </div>
  );
}

interface LineProps extends ValueEditorProps {
  label: string;
  inputMode?: "decimal";
  read(text: string): string | number;
}

function Line({ filter, onChange, onDone, label, inputMode, read }: LineProps) {
  const [text, setText] = useState(String(valuesOf(filter)[0] ?? ""));
  const input = useFocusAtFirst<HTMLInputElement>();
  const change = (next: string) => {
    setText(next);
    onChange({ ...filter, value: next.trim() === "" ? null : read(next) });
  };
  return (
    <div class="filter-value">
      <input
        class="input"
        ref={input}
        aria-label={label}
        placeholder={label}
        inputMode={inputMode}
        value={text}
        onInput={(event) => change(event.currentTarget.value)}
        onKeyDown={(event) => event.key === "Enter" && onDone()}
      />
    </div>
  );
}

/** Two numbers; only such as make a range are told. */
function Range({ filter, onChange, onDone }: ValueEditorProps) {
  const [first, second] = valuesOf(filter);
  const [[from, to], setBoth] = useState([String(first ?? ""), String(second ?? "")] as [string, string]);
  const low = numberIn(from);
  const high = numberIn(to);
  const isRange = typeof low === "number" && typeof high === "number" && low <= high;
  const input = useFocusAtFirst<HTMLInputElement>();
  const change = (nextFrom: string, nextTo: string) => {
    setBoth([nextFrom, nextTo]);
    const [a, b] = [numberIn(nextFrom), numberIn(nextTo)];
    const isGood = typeof a === "number" && typeof b === "number" && a <= b;
    onChange({ ...filter, value: isGood ? [a, b] : null });
  };
  const enter = (event: KeyboardEvent) => event.key === "Enter" && onDone();
  return (
    <div class="filter-value">
      <input
        class="input"
        ref={input}
        aria-label="From"
        placeholder="From"
        inputMode="decimal"
        value={from}
        onInput={(event) => change(event.currentTarget.value, to)}
        onKeyDown={enter}
      />
      <span>and</span>
      <input
        class="input"
        aria-label="To"
        placeholder="To"
        inputMode="decimal"
        value={to}
        onInput={(event) => change(from, event.currentTarget.value)}
        onKeyDown={enter}
      />
      {from !== "" && to !== "" && !isRange && <p role="status">Two numbers, the smaller first.</p>}
    </div>
  );
}
