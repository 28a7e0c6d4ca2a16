/** A text as long as the given one, with blanks for what is in quotes and comments: what is left is the language itself. */
export function skeletonOf(text: string): string {
  let skeleton = "";
  let i = 0;
  while (i < text.length) {
    const end = endOfHidden(text, i);
    skeleton += end === i ? text[i] : " ".repeat(end - i);
    i = Math.max(end, i + 1);
  }
  return skeleton;
}

/** Where the quote or comment that begins here ends; `start` where none begins. */
function endOfHidden(text: string, start: number): number {
  const char = text[start]!;
  if (char === "'" || char === '"' || char === "`") return endOfQuote(text, start);
  if (text.startsWith("--", start)) return indexOrEnd(text, "\n", start);
  if (text.startsWith("/*", start)) return Math.min(text.length, indexOrEnd(text, "*/", start + 2) + 2);
  return start;
}

function endOfQuote(text: string, start: number): number {
  const quote = text[start]!;
  for (let i = start + 1; i < text.length; i++) {
    if (text[i] === "\\") i++;
    else if (text[i] === quote) return i + 1;
  }
  return text.length;
}

function indexOrEnd(text: string, what: string, from: number): number {
  const index = text.indexOf(what, from);
  return index < 0 ? text.length : index;
}

/** Clauses that the parser reads and leaves out of its tree. */
const LOST = /\b(?:with\s+(?:totals|rollup|cube)|nulls\s+first)\b/i;

/** The first clause that would be lost, and where; null where there is none. */
export function lostClause(skeleton: string): { clause: string; start: number; end: number } | null {
  const match = LOST.exec(skeleton);
  if (match === null) return null;
  const clause = match[0].replace(/\s+/g, " ").toUpperCase();
  return { clause, start: match.index, end: match.index + match[0].length };
}
