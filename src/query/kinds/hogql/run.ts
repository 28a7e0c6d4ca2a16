import { type HogqlResponse, runTree } from "../../hogql/mod.ts";
import { checkGrowth } from "../../hogql/syntax/growth.ts";
import { parser } from "../../hogql/syntax/parse.ts";
import type { QueryContext } from "../../source/context.ts";
import type { HogqlQuery } from "./node.ts";
import { placeholdersOf } from "./placeholders.ts";

/**
 * Answers a HogQLQuery: tree, SQL, rows.
 * Errors: TerminalError `invalid_hogql` (a HogqlError), `invalid_query` (its filters), and those of `Lake.query`.
 */
export async function runHogql(query: HogqlQuery, context: QueryContext): Promise<HogqlResponse> {
  const startedAt = performance.now();
  const tree = await parser.parse(query.query, context);
  checkGrowth(tree);
  const parsing = { k: "parse", t: (performance.now() - startedAt) / 1000 };
  const answer = await runTree({ tree, placeholders: placeholdersOf(query, context) }, context);
  return { ...answer, timings: [parsing, ...answer.timings] };
}
