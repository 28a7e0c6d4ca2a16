import { errorAt, HogqlError } from "../../shape/errors.ts";
import { nearest } from "../../shape/nearest.ts";
import { insideOf, type QueryContext } from "../../source/context.ts";
import type { Sql } from "../../sql/sql.ts";
import type { Span } from "../../time/dates.ts";
import { readInto } from "../../value/access.ts";
import type { Value } from "../../value/types.ts";
import type { OutputColumn, Source } from "../schema/source.ts";
import type { Expression, Field, Query, Window } from "../syntax/tree.ts";
import { type GroupKeys, NO_KEYS } from "./groupKeys.ts";

/** What stands for `{name}`, and how it bounds the time of events. */
export interface PlaceholderValue {
  compile: (scope: Scope) => Value;
  bounds: Span | null;
}

/** A date of the query's filters that is not set: the comparison around it holds for all rows. */
export class UnsetDate extends HogqlError {
  constructor(placeholder: string) {
    super(
      `The \`{${placeholder}}\` placeholder must be used directly in a comparison (e.g. \`timestamp > {${placeholder}}\`), not nested inside a function call, when the date range is not set.`,
    );
  }
}

/** What one compilation shares. */
export interface Compilation {
  context: QueryContext;
  /** Values of placeholders that are known. */
  placeholders: ReadonlyMap<string, PlaceholderValue>;
  /** The cohorts around a cohort, from the outermost on. */
  cohorts: readonly number[];
  /** The HogQL of users around an expression, from the outermost on. */
  open: readonly Expression[];
  /** The time of events that each table reads, known when all of the statement is compiled. */
  bounds: (() => Span)[];
  nextAlias: () => number;
  compiler: Compiler;
  /** Told of each field of the text once it is resolved, for those that look at a query without running it. */
  resolved?: (field: Field) => void;
}

/** The compilation of what may name more than the question itself. */
export const insideCompilation = (compilation: Compilation): Compilation => ({
  ...compilation,
  context: insideOf(compilation.context),
});

/** What compiles the parts of a query. It is handed in, so that each part can compile those inside of it. */
export interface Compiler {
  expression(node: Expression, scope: Scope, isPositive: boolean): Value;
  query(node: Query, compilation: Compilation, ctes: Ctes, top: TopLimit | null): CompiledQuery;
}

/** How many rows a SELECT of the top gives: what it asks for, at most `max`; `extra` more tell whether there are more. */
export interface TopLimit {
  fallback: number;
  max: number;
  extra: number;
}

/** The rows that LIMIT and OFFSET leave; null where nothing is asked for. */
export interface RowWindow {
  limit: number | null;
  offset: number | null;
}

/** A compiled query: its columns are named c0, c1, … in SQL, whatever they are called. */
export interface CompiledQuery {
  sql: Sql;
  columns: OutputColumn[];
  /** What its LIMIT and OFFSET leave; of a set of queries, what is left of all together. */
  window: RowWindow;
}

/** A name of WITH: its SQL name, columns and definition, or an expression. */
export type Named = { sqlName: string; columns: OutputColumn[]; definition: Sql } | NamedExpression;
/** An expression, and the names of WITH that it knows. */
export interface NamedExpression {
  node: Expression;
  before: Ctes;
}
/** What an alias stands for. */
export interface Meaning {
  readonly value: Value;
  readonly node: Expression;
}
export type Ctes = ReadonlyMap<string, Named>;

/** A field of a table: its value by the first steps of the chain. */
interface Found {
  source: Source;
  chain: Field["chain"];
  value: Value;
  used: number;
}

function fieldIn(source: Source, chain: Field["chain"]): Found[] {
  const found = source.field(chain);
  return found === null ? [] : [{ source, chain, ...found }];
}

/** What names mean inside one SELECT. Subqueries see the names of WITH, not the columns around them. */
export class Scope {
  readonly sources: Source[] = [];
  readonly aliases = new Map<string, Meaning>();
  /** Columns that USING has made one: they need no table's name. */
  readonly merged = new Set<string>();
  /** Of WINDOW. */
  readonly windows = new Map<string, Window>();
  /** What `arrayJoin` adds to FROM, by the expression that it takes apart. */
  readonly unnested = new Map<string, { element: Value; from: Sql }>();
  /** What it is grouped by, where groups are read: not under an aggregate and in WHERE. */
  keys: Pick<GroupKeys, "find" | "name"> = NO_KEYS;
  /** The SELECT gives at most so many rows, as far as is known: one where nothing is grouped. */
  groupsMax: () => number = () => Number.MAX_SAFE_INTEGER;
  /** How many aggregates count persons: each of them takes a bit a person. */
  personCounts = 0;
  /** Of the lambdas around an expression. */
  private params: ReadonlyMap<string, Value> = new Map();

  constructor(
    readonly compilation: Compilation,
    readonly ctes: Ctes,
  ) {}

  /** The same names, and parameters of a lambda, which hide them. */
  within(params: ReadonlyMap<string, Value>): Scope {
    const inner: Scope = Object.assign(Object.create(Scope.prototype), this);
    inner.params = new Map([...this.params, ...params]);
    return inner;
  }

  /** The same tables, where nothing but these names of WITH is known beside them. */
  knowing(ctes: Ctes): Scope {
    return Object.assign(Object.create(Scope.prototype), this, { ctes, aliases: new Map(), params: new Map() });
  }

  /** The same names, read of the rows. */
  ofRows(): Scope {
    if (this.keys === NO_KEYS) return this;
    const rows = this.within(new Map());
    rows.keys = NO_KEYS;
    return rows;
  }

  isParameter(name: string): boolean {
    return this.params.has(name);
  }

  get isLambda(): boolean {
    return this.params.size > 0;
  }

  /** The value of a field. Errors: HogqlError with the place. */
  resolve(field: Field): Value {
    const param = this.params.get(String(field.chain[0]));
    if (param !== undefined) return readInto(param, field.chain.slice(1), field);
    const found = this.find(field);
    // HogQL inside of another has offsets of its own.
    if (this.compilation.open.length === 0) this.compilation.resolved?.(field);
    if (found.source === null) {
      const [alias, ...path] = field.chain;
      const key = this.keys.find({ node: "Field", chain: [alias!] }, this);
      return readInto(path.length === 0 || key === null ? found.alias : key.grouped(this), path, field);
    }
    return readInto(found.value, found.chain.slice(found.used), field);
  }

  /** The same text for `event` and `e.event` where they are the same; null for an alias, and where there is no such field. */
  placeOf(field: Field): string | null {
    const found = this.look(field);
    return found === null || found.source === null
      ? null
      : JSON.stringify([this.sources.indexOf(found.source), ...found.chain]);
  }

  private find(field: Field): Found | { source: null; alias: Value } {
    const found = this.look(field);
    if (found !== null) return found;
    throw errorAt(field, `Unable to resolve field: ${field.chain.join(".")}${this.hint(field.chain)}`);
  }

  /** A table's name and its field, else an alias, else a field of some table. Errors: HogqlError where several tables have it. */
  private look(field: Field): Found | { source: null; alias: Value } | null {
    const { chain } = field;
    const [first, ...rest] = chain;
    const qualified = this.qualifying(chain);
    const [inTable] = qualified.length === 1 ? fieldIn(qualified[0]!, rest) : [];
    if (inTable !== undefined) return inTable;
    const alias = this.aliases.get(String(first));
    if (alias !== undefined) return { source: null, alias: alias.value };
    const having = this.sources.flatMap((source) => fieldIn(source, chain));
    if (having.length > 1 && !(this.merged.has(String(first)) && chain.length === 1)) {
      const qualified = having.map(({ source }) => `${source.alias}.${first}`).join(", ");
      throw errorAt(
        field,
        `Ambiguous query. Found multiple sources for field: ${first} (${qualified}). Use a qualified field name.`,
      );
    }
    return having[0] ?? null;
  }

  /** The tables that the first step of a chain may name. */
  private qualifying([first, ...rest]: Field["chain"]): Source[] {
    return rest.length > 0 ? this.named(String(first)) : [];
  }

  /** The tables that a name stands for: an alias hides a table of that name. */
  named(name: string): Source[] {
    const aliased = this.sources.filter((source) => source.alias === name);
    return aliased.length > 0 ? aliased : this.sources.filter((source) => source.table === name);
  }

  /** The first table of events. */
  events(): Source["events"] {
    return this.sources.find((source) => source.events !== undefined)?.events;
  }

  /** Says that events are read one by one: those by day will not do. */
  readRows(): void {
    for (const source of this.sources) source.events?.table.readRows();
  }

  /** The time that `{filters}` bounds: of the first table of events, else of sessions. */
  timed(): Span | null {
    return this.events()?.bounds ?? this.tableNamed("sessions")?.bounds ?? null;
  }

  /** The first stored table of that name. */
  tableNamed(table: string): Source | undefined {
    return this.sources.find((source) => source.table === table && source.isStored);
  }

  private hint(chain: Field["chain"]): string {
    const [first, second] = chain;
    const qualified = this.qualifying(chain);
    const known = qualified.length > 0 ? qualified : this.sources;
    const wrong = String(qualified.length > 0 ? second : first);
    const near = nearest(
      wrong,
      known.flatMap((source) => source.names()),
    );
    return near === null ? "" : `. Perhaps you meant '${near}'?`;
  }
}

/** A placeholder that nothing stands for. */
export function unknownPlaceholder([first, ...rest]: readonly string[], scope: Scope): never {
  const keys = [...scope.compilation.placeholders.keys()];
  const chain = [first ?? "", ...rest].join(".");
  if (first === "variables" && rest.length === 1) {
    const variables = keys.filter((key) => key.startsWith("variables.")).map((key) => key.slice("variables.".length));
    const near = nearest(rest[0]!, variables);
    const hint = near === null ? "" : `. Did you mean: ${near}?`;
    throw new HogqlError(`Variable ${rest[0]} is missing from query${hint}`);
  }
  if (first === "filters") {
    throw new HogqlError(
      `Unsupported filters placeholder \`{${chain}}\`. Supported filters placeholders are: \`{filters}\`, \`{filters.dateRange.from}\`, \`{filters.dateRange.to}\`.`,
    );
  }
  throw new HogqlError(`Unresolved placeholder: {${chain}}`);
}
