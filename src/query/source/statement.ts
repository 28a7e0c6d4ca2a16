import type { QueryOutcome } from "../../lake/mod.ts";
import { render, type Sql } from "../sql/sql.ts";
import type { Span } from "../time/dates.ts";
import type { QueryContext } from "./context.ts";

export interface StatementOptions {
  /** The times whose events must be at hand; absent for a statement that reads none. */
  span?: Span;
  maxRows: number;
  /** Whether long rows may come as a file. */
  longRows?: boolean;
}

/** Runs a statement within the limits of a question. Errors: those of `Lake.query`. */
export function runStatement(statement: Sql, o: StatementOptions, context: QueryContext): Promise<QueryOutcome> {
  const { span = { fromMs: 0, toMs: 0 }, ...rest } = o;
  return context.lake.query({
    ...rest,
    teamId: context.teamId,
    range: span,
    sql: (relations) => render(statement, relations),
    deadlineMs: context.limits.timeoutMs,
    signal: context.signal,
  });
}

/** The same, for its rows alone. */
export async function selectRows<Row>(statement: Sql, o: StatementOptions, context: QueryContext): Promise<Row[]> {
  return JSON.parse((await runStatement(statement, o, context)).rowsJson);
}
