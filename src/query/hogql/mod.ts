import type { JsonFile } from "../../lake/mod.ts";
import type { PropertyOwner, PropertyType } from "../../types/mod.ts";
import type { QueryContext } from "../source/context.ts";
import type { Explained } from "../source/explainingLake.ts";
import { runStatement } from "../source/statement.ts";
import type { Sql } from "../sql/sql.ts";
import type { Span } from "../time/dates.ts";
import { checkZone } from "../time/zone.ts";
import { clickhouseName } from "../value/types.ts";
import { unionOf } from "./compile/bounds.ts";
import { compileQuery } from "./compile/compile.ts";
import { newCompilation } from "./compile/compiler.ts";
import type { Compilation, TopLimit } from "./compile/scope.ts";
import { shownResults } from "./result.ts";
import { parser } from "./syntax/parse.ts";
import { printQuery } from "./syntax/print.ts";
import type { Field, Query } from "./syntax/tree.ts";

export interface HogqlResponse extends Explained {
  results: unknown[][];
  /** The rows where they are long; `results` is empty then. */
  resultsFile?: JsonFile;
  columns: string[];
  /** [name, ClickHouse's type name] */
  types: [string, string][];
  /** The query as it was understood. */
  hogql: string;
  limit: number;
  offset: number;
  hasMore: boolean;
  error: null;
  /** Seconds of each step. */
  timings: { k: string; t: number }[];
}

/** Rows of a query that does not say how many. */
const DEFAULT_LIMIT = 100;

/** Ends the parser's threads; the next query starts them again. */
export function closeParser(): void {
  parser.close();
}

/** A query as a tree, whether it was parsed or made. */
export interface MadeQuery {
  tree: Query;
  placeholders: Compilation["placeholders"];
}

/** The statement of a tree, and the times whose events it reads. Errors: HogqlError. */
export function compileTree(tree: Query, context: QueryContext): { sql: Sql; span: Span } {
  const compilation = newCompilation(context);
  const { sql } = compileQuery(tree, compilation, new Map());
  return { sql, span: unionOf(compilation.bounds) };
}

/** The same of a made query, with the names of its columns. */
export function compileNamed({ tree, placeholders }: MadeQuery, context: QueryContext) {
  const compilation = newCompilation(context, placeholders);
  const { sql, columns } = compileQuery(tree, compilation, new Map());
  return { sql, span: unionOf(compilation.bounds), columns: columns.map(({ name }) => name) };
}

/** A property with a definition that a query reads, where it reads it. */
export interface ReadProperty {
  field: Field;
  owner: PropertyOwner;
  type: PropertyType;
}

/** Compiles a query without running it: the properties that it reads, in their order. Errors: HogqlError, TerminalError `invalid_query`. */
export function inspectTree({ tree, placeholders }: MadeQuery, context: QueryContext): ReadProperty[] {
  const read = new Map<string, ReadProperty>();
  let found: (Omit<ReadProperty, "field"> & { key: string }) | null = null;
  const propertyType: QueryContext["records"]["propertyType"] = (owner, key) => {
    const type = context.records.propertyType(owner, key);
    if (type !== null) found = { owner, key, type };
    return type;
  };
  const resolved = (field: Field) => {
    const last = found;
    found = null;
    if (last === null || last.key !== field.chain.at(-1)) return;
    read.set(`${field.start?.offset}`, { field, owner: last.owner, type: last.type });
  };
  const compilation = newCompilation({ ...context, records: { ...context.records, propertyType } }, placeholders);
  compileQuery(tree, { ...compilation, resolved }, new Map());
  return [...read.values()];
}

/** Answers a tree. Errors: as of `runHogql`. */
export async function runTree({ tree, placeholders }: MadeQuery, context: QueryContext): Promise<HogqlResponse> {
  checkZone(context.timezone);
  const startedAt = performance.now();
  const top: TopLimit = { fallback: DEFAULT_LIMIT, max: context.limits.maxRows, extra: 1 };
  const compilation = newCompilation(context, placeholders);
  const compiled = compileQuery(tree, compilation, new Map(), top);
  const compiledAt = performance.now();
  const limit = compiled.window.limit ?? DEFAULT_LIMIT;
  const isUnion = tree.node === "SelectSetQuery";
  const outcome = await runStatement(
    compiled.sql,
    { span: unionOf(compilation.bounds), maxRows: isUnion ? context.limits.maxRows : limit, longRows: true },
    context,
  );
  const columns = compiled.columns;
  return {
    ...(await shownResults(outcome, columns, context.timezone)),
    columns: columns.map((column) => column.name),
    types: columns.map((column) => [column.name, clickhouseName(column.type, context.timezone)]),
    hogql: printQuery(tree, DEFAULT_LIMIT),
    limit,
    offset: compiled.window.offset ?? 0,
    hasMore: outcome.hasMore,
    error: null,
    timings: [
      { k: "compile", t: (compiledAt - startedAt) / 1000 },
      { k: "query", t: outcome.elapsedMs / 1000 },
    ],
  };
}
