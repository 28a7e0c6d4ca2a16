import type { DuckDBAppender, DuckDBType } from "@duckdb/node-api";
import { type Found, type FoundColumn, OTHER_CODE } from "../../walk/mod.ts";
import { duckdbClient, sqlString, writeColumn } from "../engine/mod.ts";
import type { WalkSession } from "./session.ts";

/** What codes stand for: SQL text over the found rows `f`, and the joins that it needs. */
export interface Decoded {
  shown: string;
  join: string;
}

/** The type of a column of codes of actors. */
export type ActorType = "INTEGER" | "UINTEGER";

/** How a walk's table shows its actors and values. */
export interface Codes {
  /** As which the table keeps actors: the walker takes the bits for a number. */
  actorType: ActorType;
  actor: Decoded;
  /** Of a column of codes of values. */
  value(column: string): Decoded;
}

/** The table of what a walk finds; its name is that of a view, in which codes are what they stand for. */
export class FoundTable {
  private readonly types: DuckDBType[];
  private appender: DuckDBAppender | null = null;

  constructor(
    private readonly name: string,
    private readonly found: Found,
    private readonly codes: Codes,
  ) {
    this.types = found.columns.map((column) =>
      column.kind === "actor" ? duckdbClient()[codes.actorType] : typeOf(column),
    );
  }

  async create({ beside, step }: WalkSession): Promise<void> {
    const fields = this.found.columns.map(({ name }, i) => `"${name}" ${this.types[i]}`).join(", ");
    await step(() => beside.run(`create table ${this.name}_found (${fields})`));
    this.appender = await beside.createAppender(`${this.name}_found`);
  }

  append({ rowCount, columns }: Found): void {
    const chunk = duckdbClient().DuckDBDataChunk.create(this.types, rowCount);
    for (const [i, { values }] of columns.entries()) writeColumn(chunk, i, values);
    this.appender!.appendDataChunk(chunk);
  }

  /** There is no more. */
  finish(): void {
    this.appender!.closeSync();
  }

  /** Makes the view; what is found later is in it, too. */
  async show({ connection, step }: WalkSession): Promise<void> {
    const { columns } = this.found;
    const shown = columns.map((column, i) => `${this.shown(column)} as c${i}`);
    const joins = columns.map((column) => this.joinOf(column)).join("");
    const view = `select ${shown.join(", ")} from ${this.summed()} f${joins}`;
    await step(() => connection.run(`create temp view ${this.name} as ${view}`));
  }

  /** The rows that are shown: those that differ in sums only are one. */
  private summed(): string {
    const table = `${this.name}_found`;
    const { columns } = this.found;
    if (!columns.some(({ kind }) => kind === "sum")) return table;
    const fields = columns.map(({ kind, name }) =>
      kind === "sum" ? `sum("${name}")::bigint as "${name}"` : `"${name}"`,
    );
    return `(select ${fields.join(", ")} from ${table} group by all)`;
  }

  private joinOf({ kind, name }: FoundColumn): string {
    if (kind === "actor") return this.codes.actor.join;
    return kind === "value" || kind === "text" ? this.codes.value(name).join : "";
  }

  private shown({ kind, name, other }: FoundColumn): string {
    if (kind === "actor") return this.codes.actor.shown;
    if (kind === "value") return this.codes.value(name).shown;
    if (kind === "measure") return `case when isnan(f."${name}") then null else f."${name}" end`;
    if (kind === "text") {
      const text = `coalesce(${this.codes.value(name).shown}, '')`;
      return other == null ? text : `case when f."${name}" = ${OTHER_CODE} then ${sqlString(other)} else ${text} end`;
    }
    return kind === "number" || kind === "sum"
      ? `f."${name}"`
      : `case when isnan(f."${name}") then null else make_timestamp(f."${name}"::bigint) end`;
  }
}

function typeOf({ values }: FoundColumn): DuckDBType {
  const { BIGINT, DOUBLE, INTEGER, UINTEGER, UTINYINT } = duckdbClient();
  if (values instanceof Float64Array) return DOUBLE;
  if (values instanceof Uint8Array) return UTINYINT;
  if (values instanceof BigInt64Array) return BIGINT;
  return values instanceof Int32Array ? INTEGER : UINTEGER;
}
