/** A text as SQL. Benches write constants as people do, so that planners see them. */
export function sqlText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
