import { columnName, jsonColumn, memberStart, pointerOf, REST, type TypedColumn } from "./columns.ts";
import { numberIn, VALUE_TYPES } from "./values.ts";

/** Text of a bound value. */
export type Parameter = (text: string) => string;

/** Typed columns of a file (none: all is in `properties`), and those whose key some rows have in `rest`. */
interface FileColumns {
  columns: readonly TypedColumn[];
  exceptions: ReadonlySet<number>;
}

/**
 * A property's value as text and as the number that the text holds: what `json_extract_string` gives for the whole JSON,
 * NULL where it is missing or JSON null.
 */
export function readKey(
  { columns, exceptions }: FileColumns,
  path: readonly (string | number)[],
  parameter: Parameter,
): { text: string; number: string } {
  // A bound value that no text uses would be an error.
  const inJson = () => `json_extract_string(${jsonColumn(columns.length)}, ${parameter(pointerOf(path))})`;
  // Only scalars have columns, so what is inside a value is never in one.
  const column = path.length === 1 ? columns.find(({ key }) => key === path[0]) : undefined;
  if (column === undefined) return { text: inJson(), number: numberIn(inJson()) };
  const name = columnName(column);
  const type = VALUE_TYPES[column.type];
  if (!exceptions.has(column.id)) return { text: type.text(name), number: type.number(name) };
  const either = (typed: string, json: string) => `case when ${name} is not null then ${typed} else ${json} end`;
  return {
    text: either(type.text(name), inJson()),
    number: either(type.number(name), numberIn(inJson())),
  };
}

/** The whole properties as JSON text again. Concatenated: a merge patch would take a NULL for a deletion. */
export function wholeProperties(columns: readonly TypedColumn[], parameter: Parameter): string {
  if (columns.length === 0) return jsonColumn(0);
  const members = columns.map((column) => {
    const name = columnName(column);
    return `case when ${name} is not null then ${parameter(memberStart(column.key))} || ${VALUE_TYPES[column.type].json(name)} end`;
  });
  const joined = `concat_ws(',', ${members.join(", ")})`;
  return `case when ${joined} = '' then ${REST} when ${REST} = '{}' then '{' || ${joined} || '}'
    else '{' || ${joined} || ',' || substr(${REST}, 2) end`;
}
