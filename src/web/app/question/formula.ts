/** A formula over series, as a trend has it. */
export interface FormulaNode {
  formula: string;
  custom_name?: string;
}

/** What of a trend's filter is about formulas. */
interface WithFormulas {
  formula?: string;
  formulas?: readonly string[];
  formulaNodes?: readonly FormulaNode[];
  [member: string]: unknown;
}

/** The formulas in any of the forms that nodes have; the last form that is given counts. */
export function formulasOf(filter: WithFormulas | undefined | null): readonly FormulaNode[] {
  const { formula, formulas, formulaNodes } = filter ?? {};
  if (formulaNodes != null && formulaNodes.length > 0) return formulaNodes;
  if (formulas != null && formulas.length > 0) return formulas.map((one) => ({ formula: one }));
  return formula ? [{ formula }] : [];
}

/** The filter with other formulas. */
export function withFormulas(filter: WithFormulas | undefined | null, nodes: readonly FormulaNode[]): WithFormulas {
  const { formula: _a, formulas: _b, formulaNodes: _c, ...rest } = filter ?? {};
  return nodes.length === 0 ? rest : { ...rest, formulaNodes: nodes };
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
