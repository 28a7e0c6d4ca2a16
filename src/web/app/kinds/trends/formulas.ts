import type { FormulaNode } from "../../question/formula.ts";
import type { TrendsNode } from "./types.ts";

/** The formulas in any of the forms that nodes have; the last form that is given counts. */
export function formulasOf({ trendsFilter }: TrendsNode): readonly FormulaNode[] {
  const { formula, formulas, formulaNodes } = trendsFilter ?? {};
  if (formulaNodes?.length) return formulaNodes.filter((one) => one.formula !== "");
  if (formulas?.length) return formulas.map((one) => ({ formula: one }));
  return formula ? [{ formula }] : [];
}

/** The node with other formulas: they are written in one form, whichever it had. */
export function withFormulas(node: TrendsNode, formulaNodes: readonly FormulaNode[]): TrendsNode {
  const { formula: _f, formulas: _s, formulaNodes: _n, ...rest } = node.trendsFilter ?? {};
  return { ...node, trendsFilter: formulaNodes.length === 0 ? rest : { ...rest, formulaNodes } };
}
