import { Button, IconButton } from "../../ui/button.tsx";
import { formulasOf } from "./lines.ts";
import type { FormulaNode, TrendsNode } from "./types.ts";

interface FormulasProps {
  node: TrendsNode;
  onChange(node: TrendsNode): void;
}

/** Numbers made of the letters of series: "A / B". */
export function Formulas({ node, onChange }: FormulasProps) {
  const { formulaNodes } = node.trendsFilter ?? {};
  const formulas: readonly FormulaNode[] = formulaNodes ?? formulasOf(node);
  const set = (next: readonly FormulaNode[]) => {
    const { formula: _f, formulas: _s, formulaNodes: _n, ...rest } = node.trendsFilter ?? {};
    onChange({ ...node, trendsFilter: next.length === 0 ? rest : { ...rest, formulaNodes: next } });
  };
  const change = (at: number, part: Partial<FormulaNode>) =>
    set(formulas.map((one, index) => (index === at ? { ...one, ...part } : one)));
  return (
    <div class="formulas">
      {formulas.map(({ formula, custom_name: name }, index) => (
        <div class="formula" key={index}>
          <input
            class="input"
            aria-label={`Formula ${index + 1}`}
            placeholder="A / B"
            spellcheck={false}
            value={formula}
            onInput={(event) => change(index, { formula: event.currentTarget.value })}
          />
          <input
            class="input"
            aria-label={`Name of formula ${index + 1}`}
            placeholder="Name"
            value={name ?? ""}
            onInput={(event) => change(index, { custom_name: event.currentTarget.value || undefined })}
          />
          <IconButton
            label={`Remove formula ${index + 1}`}
            icon="close"
            onClick={() => set(formulas.filter((_, at) => at !== index))}
          />
        </div>
      ))}
      <Button look="quiet" icon="plus" onClick={() => set([...formulas, { formula: "" }])}>
        Add formula
      </Button>
    </div>
  );
}
