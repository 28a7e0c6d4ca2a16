/**
 * How deep brackets nest in a text, seen without parsing it: the parser's time can explode with it.
 * Quoted text and comments do not count.
 */
export function bracketDepth(text: string): number {
  let depth = 0;
  let deepest = 0;
  for (let i = 0; i < text.length; i++) {
    const char = text[i]!;
    if (char === "(" || char === "[" || char === "{") deepest = Math.max(deepest, ++depth);
    else if (char === ")" || char === "]" || char === "}") depth--;
    else if (char === "'" || char === '"' || char === "`") i = endOfQuote(text, i);
    else if (text.startsWith("--", i)) i = indexOrEnd(text, "\n", i);
    else if (text.startsWith("/*", i)) i = indexOrEnd(text, "*/", i + 2) + 1;
  }
  return deepest;
}

function endOfQuote(text: string, start: number): number {
  const quote = text[start]!;
  for (let i = start + 1; i < text.length; i++) {
    if (text[i] === "\\") i++;
    else if (text[i] === quote) return i;
  }
  return text.length;
}

function indexOrEnd(text: string, what: string, from: number): number {
  const index = text.indexOf(what, from);
  return index < 0 ? text.length : index;
}
