/** A formula over series, as a trend has it. */
export interface FormulaNode {
  formula: string;
  custom_name?: string;
}

/**
 * What is wrong with a formula, in words; null for nothing. Letters are the series, in either case; `+ - * /`, numbers, brackets
 * (docs/queries.md#formulas-and-displays).
 */
export function formulaProblem(text: string, seriesCount: number): string | null {
  const tokens = text.match(/\d+\.?\d*|\.\d+|[A-Za-z]+|[-+*/()]|\S/g) ?? [];
  if (tokens.length === 0) return "Write something like A / B * 100";
  let depth = 0;
  let needsValue = true;
  for (const token of tokens) {
    if (token === "(") {
      if (!needsValue) return "An operator is missing before “(”";
      depth++;
    } else if (token === ")") {
      if (needsValue) return "Something is missing before “)”";
      if (--depth < 0) return "There is a “)” too much";
    } else if (/^[-+*/]$/.test(token)) {
      if (needsValue && token !== "-" && token !== "+") return `Something is missing before “${token}”`;
      needsValue = true;
    } else {
      const problem = valueProblem(token, seriesCount);
      if (problem !== null) return problem;
      if (!needsValue) return `An operator is missing before “${token}”`;
      needsValue = false;
    }
  }
  if (needsValue) return "Something is missing at the end";
  return depth > 0 ? "A “)” is missing" : null;
}

function valueProblem(token: string, seriesCount: number): string | null {
  if (/^[\d.]/.test(token)) return null;
  if (!/^[A-Za-z]$/.test(token)) return `“${token}” is neither a series nor a number`;
  const index = token.toUpperCase().charCodeAt(0) - 65;
  return index < seriesCount ? null : `There is no series ${token.toUpperCase()}`;
}
