import {
  DOUBLE,
  type DuckDBAppender,
  type DuckDBConnection,
  DuckDBDataChunk,
  type DuckDBPreparedStatement,
  type DuckDBType,
  INTEGER,
  UINTEGER,
  UTINYINT,
} from "@duckdb/node-api";
import { type Found, type Slice, Walker } from "../../walk/mod.ts";
import { doublesOf, integersOf, unsignedOf, writeColumn } from "../engine/mod.ts";
import { bindAll } from "./bind.ts";
import type { WalkStatement } from "./messages.ts";

/** Does one thing with DuckDB, unless the statement is cancelled. */
type Step = <T>(body: () => Promise<T>) => Promise<T>;

/** Types that are codes of themselves, and as which: the walker takes the bits of either for a number. */
const CODES: ReadonlyMap<string, DuckDBType> = new Map<string, DuckDBType>([
  ["UTINYINT", UINTEGER],
  ["USMALLINT", UINTEGER],
  ["UINTEGER", UINTEGER],
  ["TINYINT", INTEGER],
  ["SMALLINT", INTEGER],
  ["INTEGER", INTEGER],
]);

interface FoundColumn {
  name: string;
  type: DuckDBType;
  of: (found: Found) => Float64Array | Uint32Array | Int32Array | Uint8Array;
  /** What stands in the table. */
  shown: string;
}

/**
 * The table of a walk. Its rows stream through one connection, what is found goes through another, since a connection does one
 * thing at a time. The walker sees numbers only: actors that are none, and values, get codes.
 */
export class WalkTable {
  private readonly columns: FoundColumn[];
  private isCoded = false;
  private actorType = "";

  /** `connection`: of the statement that reads the table. `beside`: another one of the same instance. */
  constructor(
    private readonly walk: WalkStatement,
    private readonly connection: DuckDBConnection,
    private readonly beside: DuckDBConnection,
  ) {
    this.columns = columnsOf(walk);
  }

  /** Errors are DuckDB's own. */
  async fill(step: Step): Promise<void> {
    const { table, text, program } = this.walk;
    this.actorType = await step(() => this.readActorType());
    const codeType = CODES.get(this.actorType);
    this.isCoded = codeType === undefined || this.hasValue;
    if (codeType !== undefined && !this.isCoded) this.columns[0]!.type = codeType;
    if (this.isCoded) await this.code(step);
    const fields = this.columns.map(({ name, type }) => `${name} ${type}`).join(", ");
    await step(() => this.beside.run(`create table ${table}_found (${fields})`));
    const rows = this.isCoded ? codedRows(table, this.fields) : plainRows(text, String(codeType), this.fields);
    const statement = await step(() => this.prepare(rows, !this.isCoded));
    const result = await step(() => statement.stream());
    const appender = await this.beside.createAppender(`${table}_found`);
    const walker = new Walker(program, (found) => this.append(appender, found));
    for (;;) {
      const chunk = await step(() => result.fetchChunk());
      if (chunk === null || chunk.rowCount === 0) break;
      walker.take(this.sliceOf(chunk));
    }
    walker.end();
    appender.closeSync();
    await step(() => this.connection.run(this.view()));
  }

  /** Leaves nothing behind that another connection sees. */
  async drop(): Promise<void> {
    await this.beside.run(`drop table if exists ${this.walk.table}_found`);
  }

  close(): void {
    this.beside.closeSync();
  }

  private get hasValue(): boolean {
    return this.walk.program.attribution !== null;
  }

  private get fields(): Fields {
    const { program } = this.walk;
    const { hasValue } = this;
    return { hasValue, hasExcluded: program.exclusions.length > 0, isByValue: program.attribution === "all" };
  }

  private async readActorType(): Promise<string> {
    // Before it runs, types that depend on bound values are not known.
    const statement = await this.prepare(`select actor from (${this.walk.text}\n) limit 0`);
    const type = String((await statement.run()).columnType(0));
    statement.destroySync();
    return type;
  }

  /** Puts the rows aside, and gives codes to actors, and to values in their order. */
  private async code(step: Step): Promise<void> {
    const { table, text } = this.walk;
    const rows = await step(() => this.prepare(`create temp table ${table}_rows as select * from (${text}\n)`));
    await step(() => rows.run());
    rows.destroySync();
    const named = this.hasValue ? ["actor", "value"] : ["actor"];
    for (const name of named) {
      const order = name === "value" ? "order by value" : "";
      const distinct = `select distinct ${name} from ${table}_rows where ${name} is not null`;
      const coded = `select ${name}, (row_number() over (${order}))::uinteger as code from (${distinct})`;
      await step(() => this.connection.run(`create temp table ${table}_${name}s as ${coded}`));
    }
  }

  /** Only one statement, with the values of the walk. */
  private async prepare(text: string, isBound = true): Promise<DuckDBPreparedStatement> {
    const statements = await this.connection.extractStatements(text);
    if (statements.count !== 1) throw new Error("Invalid Input Error: exactly one statement is allowed");
    const only = await statements.prepare(0);
    if (isBound) bindAll(only, this.walk.params);
    return only;
  }

  private sliceOf(chunk: DuckDBDataChunk): Slice {
    const { hasExcluded, hasValue } = this.fields;
    return {
      rowCount: chunk.rowCount,
      actor: unsignedOf(chunk, 0),
      us: doublesOf(chunk, 1),
      steps: integersOf(chunk, 2),
      excluded: hasExcluded ? integersOf(chunk, 3) : null,
      value: hasValue ? unsignedOf(chunk, hasExcluded ? 4 : 3) : null,
    };
  }

  private append(appender: DuckDBAppender, found: Found): void {
    const types = this.columns.map(({ type }) => type);
    const chunk = DuckDBDataChunk.create(types, found.rowCount);
    for (const [i, { of }] of this.columns.entries()) writeColumn(chunk, i, of(found));
    appender.appendDataChunk(chunk);
  }

  private view(): string {
    const { table } = this.walk;
    const plain = this.isCoded ? "a.actor" : `f.actor::${this.actorType}`;
    const shown = this.columns.map(({ name, shown }, i) => `${name === "actor" ? plain : shown} as c${i}`);
    const actors = this.isCoded ? ` join ${table}_actors a on a.code = f.actor` : "";
    const values = this.hasValue ? ` left join ${table}_values v on v.code = f.value` : "";
    return `create temp view ${table} as select ${shown.join(", ")} from ${table}_found f${actors}${values}`;
  }
}

interface Fields {
  hasExcluded: boolean;
  hasValue: boolean;
  isByValue: boolean;
}

const US = "epoch_us(timestamp)::double";
const MASKS = ({ hasExcluded }: Fields) =>
  ["steps", ...(hasExcluded ? ["excluded"] : [])].map((name) => `coalesce(${name}, 0)::integer`).join(", ");

const plainRows = (text: string, codeType: string, fields: Fields): string =>
  `select actor::${codeType}, ${US}, ${MASKS(fields)} from (${text}\n) where actor is not null and timestamp is not null order by 1, 2`;

function codedRows(table: string, fields: Fields): string {
  const { hasValue, isByValue } = fields;
  const value = hasValue ? ", coalesce(v.code, 0)::uinteger as value_code" : "";
  const values = hasValue ? ` left join ${table}_values v on v.value = r.value` : "";
  const order = isByValue ? "1, value_code, 2" : "1, 2";
  return `select a.code, ${US}, ${MASKS(fields)}${value} from ${table}_rows r join ${table}_actors a on a.actor = r.actor${values} where timestamp is not null order by ${order}`;
}

/** In the order of the table. */
function columnsOf({ program }: WalkStatement): FoundColumn[] {
  const times = Array.from({ length: program.steps }, (_, step): FoundColumn => {
    const shown = `case when isnan(f.t${step}) then null else make_timestamp(f.t${step}::bigint) end`;
    return { name: `t${step}`, type: DOUBLE, of: (found) => found.times[step]!, shown };
  });
  const value: FoundColumn = { name: "value", type: UINTEGER, of: (found) => found.value, shown: "v.value" };
  const bucket: FoundColumn = { name: "bucket", type: INTEGER, of: (found) => found.bucket, shown: "f.bucket" };
  return [
    { name: "actor", type: UINTEGER, of: (found) => found.actor, shown: "" },
    ...(program.attribution === null ? [] : [value]),
    ...(program.bucketStartsMs === null ? [] : [bucket]),
    { name: "reached", type: UTINYINT, of: (found) => found.reached, shown: "f.reached" },
    ...times,
  ];
}
