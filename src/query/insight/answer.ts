import { Type } from "@sinclair/typebox";
import { compileTree } from "../hogql/mod.ts";
import { constant } from "../hogql/syntax/build.ts";
import { printQuery } from "../hogql/syntax/print.ts";
import type { Query } from "../hogql/syntax/tree.ts";
import type { QueryContext } from "../source/context.ts";
import { runStatement } from "../source/statement.ts";
import type { DateRange } from "../time/dates.ts";
import { formatIso } from "../time/zone.ts";

/** What the answer of every insight says of its statement. */
export interface Told {
  /** The tree as HogQL; absent where nothing is left to ask. */
  hogql?: string;
  /** Seconds of each step. */
  timings: { k: string; t: number }[];
  /** How questions are answered, in PostHog's words; these are not for a query to choose. */
  modifiers: Record<string, string>;
  error: null;
  resolved_date_range: { date_from: string; date_to: string };
}

const TIME = Type.String({ format: "date-time" });

/** The members that answers of insights have in common, for the API document. */
export const INSIGHT_RESPONSE = {
  hogql: Type.Optional(Type.String({ description: "HogQL that gives the numbers." })),
  modifiers: Type.Record(Type.String(), Type.String()),
  resolved_date_range: Type.Object({ date_from: TIME, date_to: TIME }),
};

const MODIFIERS = { personsOnEventsMode: "person_id_override_properties_joined" };

/**
 * Runs the tree of an insight. A null tree has no rows; with `isEmpty` the tree is compiled for its errors only.
 * Errors: TerminalError `invalid_query` and `invalid_hogql`, and those of `Lake.query`.
 */
export async function askTree<Row>(
  tree: Query | null,
  { maxRows, isEmpty, range }: { maxRows: number; isEmpty: boolean; range: DateRange },
  context: QueryContext,
): Promise<{ rows: Row[]; told: Told }> {
  const resolved_date_range = { date_from: formatIso(range.from), date_to: formatIso(range.to) };
  const bare: Told = { timings: [], modifiers: MODIFIERS, error: null, resolved_date_range };
  if (tree === null) return { rows: [], told: bare };
  const told = { ...bare, hogql: textOf(tree, maxRows, context) };
  const { sql, span } = compileTree(tree, context);
  if (isEmpty) return { rows: [], told };
  const outcome = await runStatement(sql, { span, maxRows }, context);
  return {
    rows: JSON.parse(outcome.rowsJson),
    told: { ...told, timings: [{ k: "query", t: outcome.elapsedMs / 1000 }] },
  };
}

/** The text of a tree. It says how many rows there may be: without that HogQL gives fewer. */
const textOf = (tree: Query, maxRows: number, { limits }: QueryContext): string =>
  printQuery({ ...tree, limit: constant(Math.min(maxRows, limits.maxRows)) });
