/** SQL text of a string constant. Only for paths that Weir makes itself; user text is always bound. */
export function sqlString(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** SQL text of the name of a column. */
export const quoted = (name: string): string => `"${name}"`;

/** SQL text of a list of values whose texts have no comma and no quote. */
export function sqlList(values: readonly (string | number | boolean)[], type: string): string {
  return `string_split('${values.join(",")}', ',')::${type}[]`;
}

/** SQL text of a table: of each column the type and the values, which are as many for all and have no comma and no quote. */
export function tableOfLists(columns: Record<string, [string, readonly (string | number | boolean)[]]>): string {
  const lists = Object.entries(columns).map(([name, [type, values]]) => `unnest(${sqlList(values, type)}) as ${name}`);
  return `(select ${lists.join(", ")})`;
}
