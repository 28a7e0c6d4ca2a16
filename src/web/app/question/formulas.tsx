import { useEffect, useState } from "preact/hooks";
import { Button, IconButton } from "../ui/button.tsx";
import { useFocusAtFirst } from "./focusAtFirst.ts";
import { type FormulaNode, formulaProblem } from "./formula.ts";

interface FormulasProps {
  formulas: readonly FormulaNode[];
  onChange(formulas: readonly FormulaNode[]): void;
  /** How many series there are to calculate with. */
  seriesCount: number;
}

const MOST = 20;

/** Formulas over the series: "A / B * 100". Only what can be calculated is told. */
export function Formulas({ formulas, onChange, seriesCount }: FormulasProps) {
  const [isAdding, setAdding] = useState(false);
  const shown = isAdding ? [...formulas, { formula: "" }] : formulas;
  return (
    <div class="formulas">
      {shown.map((node, index) => {
        const isNew = index === formulas.length;
        return (
          <FormulaLine
            key={index}
            node={node}
            number={index + 1}
            isNew={isNew}
            seriesCount={seriesCount}
            onChange={(next) => {
              if (isNew) setAdding(false);
              onChange(isNew ? [...formulas, next] : formulas.with(index, next));
            }}
            onRemove={() => (isNew ? setAdding(false) : onChange(formulas.toSpliced(index, 1)))}
          />
        );
      })}
      {!isAdding && formulas.length < MOST && (
        <Button look="quiet" class="small" icon="plus" onClick={() => setAdding(true)}>
          Formula
        </Button>
      )}
    </div>
  );
}

interface FormulaLineProps {
  node: FormulaNode;
  number: number;
  isNew: boolean;
  seriesCount: number;
  onChange(node: FormulaNode): void;
  onRemove(): void;
}

function FormulaLine({ node, number, isNew, seriesCount, onChange, onRemove }: FormulaLineProps) {
  const [text, setText] = useState(node.formula);
  const [name, setName] = useState(node.custom_name ?? "");
  const input = useFocusAtFirst<HTMLInputElement>(isNew);
  useEffect(() => setText(node.formula), [node.formula]);
  useEffect(() => setName(node.custom_name ?? ""), [node.custom_name]);
  const problem = formulaProblem(text, seriesCount);
  const isTouched = text.trim() !== "" || !isNew;
  const tell = () => {
    if (problem !== null) return;
    const next = { formula: text.trim(), ...(name.trim() !== "" && { custom_name: name.trim() }) };
    if (next.formula !== node.formula || next.custom_name !== node.custom_name) onChange(next);
  };
  const enter = (event: KeyboardEvent) => event.key === "Enter" && tell();
  return (
    <div class="formula">
      <input
        class="input formula-text"
        aria-label={`Formula ${number}`}
        aria-invalid={problem !== null && isTouched ? true : undefined}
        placeholder="A / B * 100"
        spellcheck={false}
        autocomplete="off"
        ref={input}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
        onBlur={tell}
        onKeyDown={enter}
      />
      <input
        class="input"
        dir="auto"
        aria-label={`Name of formula ${number}`}
        placeholder="Name"
        maxLength={400}
        value={name}
        onInput={(event) => setName(event.currentTarget.value)}
        onBlur={tell}
        onKeyDown={enter}
      />
      <IconButton label={`Remove formula ${number}`} icon="close" onClick={onRemove} />
      {problem !== null && isTouched && text.trim() !== "" && (
        <p class="field-problem" role="status">
          {problem}
        </p>
      )}
    </div>
  );
}
