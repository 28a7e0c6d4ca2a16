import type { Completion, CompletionContext, CompletionResult } from "@codemirror/autocomplete";
import { WORDS } from "./dialect.ts";
import { FUNCTIONS, type SqlFunction } from "./functions.ts";
import type { Known } from "./known.ts";
import { type Offer, offersAt } from "./offers.ts";
import { columnNames, placeAt, tablesOf } from "./place.ts";
import { variablesIn } from "./variables.ts";

const WORD_OPTIONS: readonly Completion[] = WORDS.map((label) => ({ label, type: "keyword", boost: -1 }));
const FUNCTION_OPTIONS: readonly Completion[] = FUNCTIONS.map((one) => ({
  label: one.name,
  detail: one.result,
  type: "function",
  // A call without arguments is whole.
  apply: one.call.endsWith("()") ? `${one.name}()` : undefined,
  info: () => explained(one),
}));

const BOOSTS: Readonly<Record<Offer["kind"], number>> = { field: 3, table: 2, property: 2, event: 0, placeholder: 0 };
const TYPES: Readonly<Record<Offer["kind"], string>> = {
  field: "property",
  property: "property",
  table: "class",
  event: "text",
  placeholder: "variable",
};
/** Lists longer than this are found by typing on. */
const LONG = 2_000;

/** What can stand where the cursor is. `known` says what the project has at that moment. */
export function complete(context: CompletionContext, known: Known): CompletionResult | null {
  const text = context.state.doc.toString();
  const place = placeAt(text.slice(0, context.pos));
  if (place.kind === "none") return null;
  const isBehindDot = place.kind === "name" && place.path.length > 0;
  // Nothing is offered before something is typed, but where only a few things can stand.
  const isAsked = context.explicit || isBehindDot || place.kind !== "name" || place.isTable;
  if (place.from === context.pos && !isAsked) return null;
  const offers = offersAt(place, known, tablesOf(text), {
    variables: variablesIn(text),
    columns: columnNames(text),
  }).slice(0, LONG);
  const options = offers.map(optionOf);
  const isAnything = place.kind === "name" && place.path.length === 0 && !place.isTable;
  if (isAnything) options.push(...FUNCTION_OPTIONS, ...WORD_OPTIONS);
  return options.length === 0 ? null : { from: place.from, options, validFor: validFor(place.kind) };
}

const validFor = (kind: string): RegExp =>
  kind === "event" ? /^[^']*$/ : kind === "placeholder" ? /^[\w.]*$/ : /^`?[\w$]*$/;

const optionOf = ({ label, text, kind, detail }: Offer): Completion => ({
  label,
  detail,
  type: TYPES[kind],
  boost: BOOSTS[kind],
  apply: text === label ? undefined : text,
});

/** A function in words: its call, what it gives, what it does. */
export function explained({ call, result, section, note }: SqlFunction): HTMLElement {
  const box = document.createElement("div");
  box.className = "sql-doc";
  const line = (name: string, text: string) => {
    const part = document.createElement(name);
    part.textContent = text;
    box.append(part);
  };
  line("code", `${call} → ${result}`);
  if (note !== null) line("p", note);
  line("small", section);
  return box;
}
