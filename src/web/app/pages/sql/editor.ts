import {
  autocompletion,
  CompletionContext,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
  insertBracket,
  startCompletion,
} from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { bracketMatching, LanguageSupport } from "@codemirror/language";
import { type Diagnostic, lintKeymap, setDiagnostics } from "@codemirror/lint";
import { EditorState, Prec } from "@codemirror/state";
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightSpecialChars,
  hoverTooltip,
  keymap,
  lineNumbers,
  placeholder,
} from "@codemirror/view";
import { complete, explained } from "./completion.ts";
import { HOGQL } from "./dialect.ts";
import { functionNamed } from "./functions.ts";
import type { Known } from "./known.ts";
import type { Checked, Mark } from "./notices.ts";
import { LOOKS } from "./theme.ts";

interface EditorOptions {
  text: string;
  /** What readers of screens call it. */
  label: string;
  onChange(text: string): void;
  /** Cmd/Ctrl-Enter. */
  onRun(): void;
  /** The names of the project at this moment. */
  known(): Known;
}

/** An editor of SQL in the page. Places are those of the text in JavaScript. */
export interface SqlEditor {
  /** Another text, as of a step back; undo leads to the one before it. */
  setText(text: string): void;
  /** Underlines what is wrong, as long as the text is the one that was checked. */
  mark(checked: Checked): void;
  /** Selects a part of the text, in sight, and takes the focus there. */
  show(from: number, to: number): void;
  /** Writes at the cursor, and takes the focus. */
  insert(text: string): void;
  /** More names are known now: what was typed before they came is offered with them. */
  learn(): void;
  focus(): void;
  destroy(): void;
}

/** Makes an editor that fills its host, which has to have no shadow yet. */
export function makeEditor(host: HTMLElement, o: EditorOptions): SqlEditor {
  const root = host.shadowRoot ?? host.attachShadow({ mode: "open" });
  let checked: Checked | null = null;
  /** What offers were last made for. */
  let asked: EditorState | null = null;
  const run = () => {
    o.onRun();
    return true;
  };
  const offer = (context: CompletionContext) => {
    asked = context.state;
    return complete(context, o.known());
  };
  const state = EditorState.create({
    doc: o.text,
    extensions: [
      Prec.highest(keymap.of([{ key: "Mod-Enter", run, preventDefault: true }])),
      ...[lineNumbers(), highlightSpecialChars(), history(), drawSelection(), highlightActiveLine()],
      ...[bracketMatching(), closeBrackets(), new LanguageSupport(HOGQL.language), LOOKS],
      autocompletion({ override: [offer], icons: false }),
      hoverTooltip((view, at) => hovered(view, at, checked)),
      placeholder("SELECT event, count() FROM events GROUP BY event ORDER BY count() DESC"),
      keymap.of([...closeBracketsKeymap, ...defaultKeymap, ...historyKeymap, ...completionKeymap, ...lintKeymap]),
      EditorView.lineWrapping,
      EditorView.domEventHandlers({ beforeinput: replaceSelected }),
      EditorView.contentAttributes.of({ "aria-label": o.label, spellcheck: "false", autocapitalize: "off" }),
      EditorView.updateListener.of((update) => {
        if (update.docChanged) o.onChange(update.state.doc.toString());
      }),
    ],
  });
  const view = new EditorView({ state, parent: root, root });
  return {
    setText(text) {
      if (text === view.state.doc.toString()) return;
      view.dispatch({
        changes: { from: 0, to: view.state.doc.length, insert: text },
        selection: { anchor: text.length },
      });
    },
    mark(next) {
      if (next.text !== view.state.doc.toString()) return;
      checked = next;
      view.dispatch(setDiagnostics(view.state, diagnosticsOf(next)));
    },
    show(from, to) {
      const end = view.state.doc.length;
      const selection = { anchor: Math.min(from, end), head: Math.min(to, end) };
      view.dispatch({ selection, scrollIntoView: true });
      view.focus();
    },
    insert(text) {
      view.dispatch(view.state.replaceSelection(text), { scrollIntoView: true });
      view.focus();
    },
    learn() {
      const { state } = view;
      const at = state.selection.main.head;
      if (asked === null || !asked.doc.eq(state.doc) || asked.selection.main.head !== at) return;
      // An explicit question shows more than what typing asks for.
      if (complete(new CompletionContext(state, at, false), o.known()) !== null) startCompletion(view);
    },
    focus: () => view.focus(),
    destroy: () => view.destroy(),
  };
}

/**
 * Writes over a selection. A browser left to itself gives the new text the look of the old by an inline style, which the policy of the
 * pages does not allow.
 */
function replaceSelected(event: InputEvent, view: EditorView): boolean {
  const { data, inputType } = event;
  if (inputType !== "insertText" || data === null || view.composing || view.state.selection.main.empty) return false;
  const replacing = { ...view.state.replaceSelection(data), userEvent: "input.type", scrollIntoView: true };
  view.dispatch(insertBracket(view.state, data) ?? replacing);
  return true;
}

function diagnosticsOf({ errors, warnings }: Checked): Diagnostic[] {
  const of = (marks: readonly Mark[], severity: "error" | "warning") =>
    marks.map(({ from, to, message }): Diagnostic => ({ from, to, message, severity }));
  return [...of(errors, "error"), ...of(warnings, "warning")].sort((a, b) => a.from - b.from);
}

/** What is said of the name below the pointer: a function's call, what a property holds. */
function hovered(view: EditorView, at: number, checked: Checked | null) {
  const line = view.state.doc.lineAt(at);
  const before = /[\w$]*$/.exec(line.text.slice(0, at - line.from))![0];
  const behind = /^[\w$]*/.exec(line.text.slice(at - line.from))![0];
  const from = at - before.length;
  const known = view.state.doc
    .sliceString(at + behind.length)
    .trimStart()
    .startsWith("(")
    ? functionNamed(before + behind)
    : undefined;
  const notice =
    checked?.text === view.state.doc.toString()
      ? checked.notices.find((one) => one.from <= at && at <= one.to)
      : undefined;
  if (known === undefined && notice === undefined) return null;
  const dom = known === undefined ? said(notice!.message) : explained(known);
  return { pos: from, end: at + behind.length, create: () => ({ dom }) };
}

function said(text: string): HTMLElement {
  const box = document.createElement("div");
  box.className = "sql-doc";
  box.textContent = text;
  return box;
}
