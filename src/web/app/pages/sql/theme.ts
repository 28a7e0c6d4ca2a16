import { HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { EditorView } from "@codemirror/view";
import { tags } from "@lezer/highlight";

// The editor stands in a shadow of its own, whose style sheets are made by scripts: the policy of the pages allows no others. The values
// of the pages reach into it.

const HIGHLIGHT = HighlightStyle.define([
  { tag: tags.keyword, color: "var(--accent)", fontWeight: "600" },
  { tag: [tags.string, tags.special(tags.string)], color: "var(--good)" },
  { tag: [tags.number, tags.bool, tags.null], color: "var(--warn)" },
  { tag: [tags.standard(tags.name), tags.typeName], color: "var(--accent-strong)" },
  { tag: tags.comment, color: "var(--ink-3)", fontStyle: "italic" },
  { tag: [tags.operator, tags.punctuation, tags.brace, tags.squareBracket, tags.paren], color: "var(--ink-2)" },
]);

const BOX = {
  border: "1px solid var(--line)",
  borderRadius: "var(--radius)",
  background: "var(--raised)",
  color: "var(--ink)",
  boxShadow: "var(--shadow)",
};

const wavy = (color: string) => ({
  backgroundImage: "none",
  paddingBottom: "0",
  textDecoration: `underline wavy ${color}`,
  textDecorationSkipInk: "none",
  textUnderlineOffset: "3px",
});

const THEME = EditorView.theme({
  "&": { height: "100%", background: "var(--surface)", color: "var(--ink)", fontSize: "var(--text-m)" },
  // Its frame shows the focus.
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { fontFamily: "var(--font-mono)", lineHeight: "20px", overflow: "auto" },
  ".cm-content": { padding: "var(--s2) 0", caretColor: "var(--ink)" },
  ".cm-line": { padding: "0 var(--s2)" },
  ".cm-gutters": { background: "var(--surface)", color: "var(--ink-3)", border: "0" },
  ".cm-activeLine, .cm-activeLineGutter": { background: "color-mix(in oklab, var(--sunken) 60%, transparent)" },
  ".cm-cursor": { borderLeftColor: "var(--ink)" },
  ".cm-selectionBackground, &.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground": {
    background: "color-mix(in oklab, var(--accent) 28%, transparent)",
  },
  ".cm-matchingBracket, &.cm-focused .cm-matchingBracket": { background: "var(--accent-soft)", color: "inherit" },
  ".cm-placeholder": { color: "var(--ink-2)" },
  ".cm-tooltip": { ...BOX, fontFamily: "var(--font)", fontSize: "var(--text-s)", maxWidth: "min(420px, 90vw)" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul": { fontFamily: "var(--font)", maxHeight: "280px" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul > li": { padding: "4px 8px", lineHeight: "20px" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]": {
    background: "var(--accent-soft)",
    color: "var(--ink)",
  },
  ".cm-completionDetail": { color: "var(--ink-2)", fontStyle: "normal", marginLeft: "12px" },
  ".cm-completionMatchedText": { textDecoration: "none", fontWeight: "650" },
  ".cm-completionIcon": { display: "none" },
  ".cm-tooltip.cm-completionInfo": { padding: "var(--s2)" },
  ".cm-tooltip-hover": { padding: "0" },
  ".sql-doc": { display: "grid", gap: "4px", padding: "var(--s1)" },
  ".sql-doc code": { fontFamily: "var(--font-mono)", overflowWrap: "anywhere", whiteSpace: "normal" },
  ".sql-doc p": { margin: "0" },
  ".sql-doc small": { color: "var(--ink-2)" },
  ".cm-diagnostic": { padding: "var(--s2) var(--s3)", border: "0", whiteSpace: "pre-wrap", overflowWrap: "anywhere" },
  ".cm-lintRange-error": wavy("var(--bad)"),
  ".cm-lintRange-warning": wavy("var(--warn)"),
  ".cm-lintRange-active": { background: "var(--bad-soft)" },
  ".cm-lintPoint:after": { borderBottomColor: "var(--bad)" },
});

export const LOOKS = [THEME, syntaxHighlighting(HIGHLIGHT)];
