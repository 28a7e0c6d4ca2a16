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

/** The same of any texts, also those of users: they are told by their bytes. */
export function sqlTexts(texts: readonly string[]): string {
  const hex = texts.map((text) => Buffer.from(text).toString("hex"));
  return `list_transform(${sqlList(hex, "varchar")}, lambda t: decode(unhex(t)))`;
}

/** SQL text of a table: of each column the type (`text`: any texts) and the values, which are as many for all; those of other types have no comma and no quote. */
export function tableOfLists(columns: Record<string, [string, readonly (string | number | boolean)[]]>): string {
  const listOf = (type: string, values: readonly (string | number | boolean)[]) =>
    type === "text" ? sqlTexts(values.map(String)) : sqlList(values, type);
  const lists = Object.entries(columns).map(([name, [type, values]]) => `unnest(${listOf(type, values)}) as ${name}`);
  return `(select ${lists.join(", ")})`;
}
