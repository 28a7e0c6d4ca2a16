/** The value that a text is asked with for `{variables.name}`, as the query node has it. */
export interface SqlVariable {
  variableId: string;
  code_name: string;
  value: string | number | boolean | null;
}
export type SqlVariables = Readonly<Record<string, SqlVariable>>;

/** The names of the variables in a text, in their order, each once. */
export function variablesIn(text: string): string[] {
  return [...new Set(Array.from(text.matchAll(/\{\s*variables\.(\w+)\s*\}/g), ([, name]) => name!))];
}

/** The values for the variables of a text: those that are known, and nothing for new ones; undefined: there are none. */
export function variablesOf(text: string, known: SqlVariables): SqlVariables | undefined {
  const names = variablesIn(text);
  if (names.length === 0) return undefined;
  const byName = new Map(Object.values(known).map((variable) => [variable.code_name, variable]));
  return Object.fromEntries(
    names.map((name) => {
      const variable = byName.get(name) ?? { variableId: name, code_name: name, value: null };
      return [variable.variableId, variable];
    }),
  );
}

export type VariableType = "text" | "number" | "nothing";

export const typeOf = ({ value }: SqlVariable): VariableType =>
  value === null ? "nothing" : typeof value === "number" ? "number" : "text";

/** A typed text as a value; what is no number is none. */
export function readValue(text: string, type: VariableType): SqlVariable["value"] {
  if (type === "nothing") return null;
  if (type === "text") return text;
  const number = Number(text.trim());
  return text.trim() === "" || !Number.isFinite(number) ? 0 : number;
}
