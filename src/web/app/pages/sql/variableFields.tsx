import { useId, useState } from "preact/hooks";
import { Select } from "../../ui/field.tsx";
import { readValue, type SqlVariable, type SqlVariables, typeOf, type VariableType, variablesOf } from "./variables.ts";

const TYPES = [
  { value: "text", label: "Text" },
  { value: "number", label: "Number" },
  { value: "nothing", label: "Nothing" },
] as const;

interface VariableFieldsProps {
  query: string;
  variables: SqlVariables;
  onChange(variables: SqlVariables): void;
}

/** The values for the variables of the text. */
export function VariableFields({ query, variables, onChange }: VariableFieldsProps) {
  const used = Object.values(variablesOf(query, variables) ?? {});
  if (used.length === 0) return null;
  return (
    <fieldset class="sql-variables">
      <legend>Variables</legend>
      {used.map((variable) => (
        <VariableField
          key={variable.code_name}
          variable={variable}
          onChange={(next) => onChange({ ...variables, [next.variableId]: next })}
        />
      ))}
    </fieldset>
  );
}

function VariableField({ variable, onChange }: { variable: SqlVariable; onChange(variable: SqlVariable): void }) {
  const id = useId();
  // A number that is half written is no number yet.
  const [text, setText] = useState(variable.value === null ? "" : String(variable.value));
  const type = typeOf(variable);
  const put = (next: string, as: VariableType) => onChange({ ...variable, value: readValue(next, as) });
  const write = (next: string) => {
    setText(next);
    put(next, type === "nothing" ? "text" : type);
  };
  return (
    <div class="sql-variable">
      <label for={id}>{variable.code_name}</label>
      <input
        id={id}
        class="input"
        dir="auto"
        inputMode={type === "number" ? "decimal" : "text"}
        placeholder={type === "nothing" ? "NULL" : ""}
        value={type === "nothing" ? "" : text}
        onInput={(event) => write(event.currentTarget.value)}
      />
      <Select
        label={`Type of ${variable.code_name}`}
        value={type}
        choices={TYPES}
        onChange={(next) => put(text, next)}
      />
    </div>
  );
}
