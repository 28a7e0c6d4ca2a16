import type { Relations, SqlValue, WalkStatement } from "../lake/mod.ts";
import type { JsonObject } from "../types/mod.ts";
import { withEmbedded } from "./hogql/embedding.ts";
import { compileNamed } from "./hogql/mod.ts";
import { checkGrowth } from "./hogql/syntax/growth.ts";
import { parser } from "./hogql/syntax/parse.ts";
import { HogqlSchema } from "./kinds/hogql/node.ts";
import { placeholdersOf } from "./kinds/hogql/placeholders.ts";
import { ParsedQuery } from "./parsed.ts";
import { check } from "./shape/shapes.ts";
import type { QueryContext } from "./source/context.ts";
import { render } from "./sql/sql.ts";
import type { Span } from "./time/dates.ts";
import { checkZone } from "./time/zone.ts";

/** All rows of a HogQL text, to be written to files: without the limits that an answer has. */
export interface NamedStatement {
  /** The times whose events it reads. */
  range: Span;
  sql(relations: Relations): { text: string; params: SqlValue[]; walks: WalkStatement[] };
  /** The names of its columns, in their order; each once. */
  columns: string[];
}

/** What an export knows of who asks: it has a lake of its own. */
export type ExportContext = Omit<QueryContext, "lake">;

/**
 * Compiles a HogQLQuery node. Errors: TerminalError `invalid_hogql` (a `HogqlError`), `invalid_query`.
 */
export async function compileForExport(node: JsonObject, context: ExportContext): Promise<NamedStatement> {
  checkZone(context.timezone);
  const asked = new ParsedQuery(node);
  // Nothing is asked of a lake while a text is compiled.
  const whole = context as QueryContext;
  return withEmbedded(asked.hogqlInside(whole), whole, async (parsed) => {
    const query = check(HogqlSchema, node, "");
    const tree = await parser.parse(query.query, whole);
    checkGrowth(tree);
    const prepared = { ...whole, parsed };
    const { sql, span, columns } = compileNamed({ tree, placeholders: placeholdersOf(query, prepared) }, prepared);
    return { range: span, sql: (relations) => render(sql, relations), columns: apart(columns) };
  });
}

/** Names of which each is there once: `name`, `name_2`, … */
function apart(names: readonly string[]): string[] {
  const seen = new Set<string>();
  return names.map((name) => {
    let unique = name;
    for (let n = 2; seen.has(unique.toLowerCase()); n++) unique = `${name}_${n}`;
    seen.add(unique.toLowerCase());
    return unique;
  });
}
