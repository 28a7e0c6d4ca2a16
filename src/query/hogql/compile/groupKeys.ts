import { sql } from "../../sql/sql.ts";
import { type Value, value as valueFor } from "../../value/types.ts";
import { findFunction } from "../functions/mod.ts";
import { field } from "../syntax/build.ts";
import { printExpression } from "../syntax/print.ts";
import { type Expression, eachChild, isWhole, type Part, type Select } from "../syntax/tree.ts";
import { compileExpression } from "./compile.ts";
import type { Scope } from "./scope.ts";

/** A key of GROUP BY, compiled once: what is compiled anew may have other names inside, and would be another expression. */
export class GroupKey {
  /** Something outside of the aggregates reads it. */
  isRead = false;
  private compiled: Value | null = null;

  constructor(readonly node: Expression) {}

  /** Of the rows. */
  value(scope: Scope): Value {
    this.compiled ??= compileExpression(this.node, scope.ofRows());
    return this.compiled;
  }

  /**
   * Of the groups. They have the key alone, so there is no shorter way to what is wanted of it: the number in a text, a part of JSON, the
   * number of a person are other columns.
   */
  grouped(scope: Scope): Value {
    this.isRead = true;
    const of = this.value(scope);
    if (of.constant !== undefined || of.instant !== undefined || of.day !== undefined) return of;
    const { bounds } = of;
    // The engine takes NOT (a = b) for a <> b, which is not grouped by.
    const read = of.type.kind === "bool" ? sql`CAST(${of.sql} AS BOOLEAN)` : sql`${of.sql}`;
    return { ...valueFor(read, of.type, [of]), ...(bounds && { bounds }) };
  }
}

/** The keys of GROUP BY of one SELECT, by what is written. */
export class GroupKeys {
  private readonly keys = new Map<string, GroupKey>();
  /** By the aliases of keys. */
  private readonly aliases = new Map<string, GroupKey>();
  private readonly kinds = new Set<Expression["node"]>();

  /** When the tables are compiled, and the columns are not. */
  constructor(node: Select, scope: Scope) {
    const columns = node.select.flatMap((column) => columnsOf(column, scope));
    for (const key of writtenKeys(node, columns)) this.add(key, columns, scope);
  }

  /** The key that an expression is; null where it is none. */
  find(node: Expression, scope: Scope): GroupKey | null {
    if (!this.kinds.has(node.node)) return null;
    const alias = aliasIn(node, scope);
    const key = alias === null ? this.keys.get(textOf(node, scope)) : this.aliases.get(alias);
    return key === undefined || readsParameter(node, scope) ? null : key;
  }

  /** Says that an alias stands for a key. */
  name(alias: string, key: GroupKey): void {
    this.aliases.set(alias, key);
    this.kinds.add("Field");
  }

  private add(written: Expression, columns: readonly Expression[], scope: Scope): void {
    const node = bare(columnOf(written, columns) ?? written);
    const key = new GroupKey(node);
    const alias = aliasIn(node, scope);
    if (alias === null) this.keys.set(textOf(node, scope), key);
    else this.aliases.set(alias, key);
    this.kinds.add(node.node);
  }
}

/** Of a SELECT without GROUP BY. */
export const NO_KEYS: Pick<GroupKeys, "find" | "name"> = { find: () => null, name: () => {} };

/** Whether a part is an aggregate itself. */
export const isAggregate = (part: Part): boolean =>
  (part.node === "Embedded" && part.use === "aggregate") ||
  (part.node === "Call" && findFunction(part.name)?.kind === "aggregate");

const isQuery = (part: Part): boolean => part.node === "SelectQuery" || part.node === "SelectSetQuery";

function holdsAggregate(part: Part): boolean {
  if (isAggregate(part)) return true;
  let holds = false;
  if (!isQuery(part)) eachChild(part, (child) => (holds ||= holdsAggregate(child)));
  return holds;
}

function writtenKeys(node: Select, columns: readonly Expression[]): readonly Expression[] {
  // GROUP BY ALL: by every column that is no aggregate.
  if (node.group_by_mode === "all") return columns.filter((column) => !holdsAggregate(column));
  return (node.group_by ?? []).flatMap((key) => (key.node === "GroupingSet" ? key.exprs : [key]));
}

/** A column of SELECT; of `*` several. */
function columnsOf(node: Expression, scope: Scope): Expression[] {
  if (node.node !== "Field" || node.chain.at(-1) !== "*") return [node];
  const sources = node.chain.length === 1 ? scope.sources : scope.named(String(node.chain[0]));
  return sources.flatMap((source) =>
    source.star().map(({ name }) => field(...node.chain.slice(0, -1).map(String), name)),
  );
}

/** The column that a key names by its place or its alias. */
function columnOf(key: Expression, columns: readonly Expression[]): Expression | undefined {
  if (key.node === "Constant" && isWhole(key.value)) return columns[key.value - 1];
  if (key.node !== "Field" || key.chain.length > 1) return undefined;
  return columns.find((column) => column.node === "Alias" && column.alias === key.chain[0]);
}

const bare = (node: Expression): Expression => (node.node === "Alias" ? bare(node.expr) : node);

/** The alias that a field names; null where it is none. */
function aliasIn(node: Expression, scope: Scope): string | null {
  if (node.node !== "Field" || node.chain.length > 1 || node.isIdentity || node.isOfDay) return null;
  const [name] = node.chain;
  return scope.aliases.has(String(name)) ? String(name) : null;
}

/** The same for what is the same. */
function textOf(node: Expression, scope: Scope): string {
  if (node.node !== "Field") return printExpression(node);
  const { isIdentity = false, isOfDay = false } = node;
  return JSON.stringify([scope.placeOf(node) ?? printExpression(node), isIdentity, isOfDay]);
}

/** Whether it reads a parameter of the lambdas around it. */
function readsParameter(part: Part, scope: Scope): boolean {
  if (!scope.isLambda || isQuery(part)) return false;
  if (part.node === "Field") return scope.isParameter(String(part.chain[0]));
  let reads = false;
  eachChild(part, (child) => (reads ||= readsParameter(child, scope)));
  return reads;
}
