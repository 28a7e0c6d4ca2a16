import {
  DOUBLE,
  type DuckDBAppender,
  DuckDBDataChunk,
  type DuckDBType,
  INTEGER,
  UINTEGER,
  UTINYINT,
} from "@duckdb/node-api";
import type { Found, Program } from "../../../walk/mod.ts";
import { writeColumn } from "../../engine/mod.ts";
import type { WalkSession } from "./session.ts";

/** What the codes of a column stand for: SQL text over the found rows `f`, and the joins that it needs. */
export interface Decoded {
  shown: string;
  join: string;
}

interface FoundColumn {
  name: string;
  type: DuckDBType;
  of: (found: Found) => Float64Array | Uint32Array | Int32Array | Uint8Array;
  /** What the table shows of it. */
  shown: string;
}

/** The table of what a walk finds; its name is that of a view, in which codes are what they stand for. */
export class FoundTable {
  private readonly columns: FoundColumn[];
  private readonly types: DuckDBType[];
  private appender: DuckDBAppender | null = null;

  constructor(
    private readonly name: string,
    program: Program,
    actorType: DuckDBType,
    private readonly actor: Decoded,
    private readonly value: Decoded,
  ) {
    this.columns = columnsOf(program, actorType, { actor, value });
    this.types = this.columns.map(({ type }) => type);
  }

  async create({ beside, step }: WalkSession): Promise<void> {
    const fields = this.columns.map(({ name, type }) => `${name} ${type}`).join(", ");
    await step(() => beside.run(`create table ${this.name}_found (${fields})`));
    this.appender = await beside.createAppender(`${this.name}_found`);
  }

  append(found: Found): void {
    const chunk = DuckDBDataChunk.create(this.types, found.rowCount);
    for (const [i, { of }] of this.columns.entries()) writeColumn(chunk, i, of(found));
    this.appender!.appendDataChunk(chunk);
  }

  /** There is no more; from now on the view can be read. */
  async finish({ connection, step }: WalkSession): Promise<void> {
    this.appender!.closeSync();
    const shown = this.columns.map(({ shown }, i) => `${shown} as c${i}`);
    const view = `select ${shown.join(", ")} from ${this.name}_found f${this.actor.join}${this.value.join}`;
    await step(() => connection.run(`create temp view ${this.name} as ${view}`));
  }
}

/** In the order of the table. */
function columnsOf(program: Program, actorType: DuckDBType, o: { actor: Decoded; value: Decoded }): FoundColumn[] {
  const times = Array.from({ length: program.steps }, (_, step): FoundColumn => {
    const shown = `case when isnan(f.t${step}) then null else make_timestamp(f.t${step}::bigint) end`;
    return { name: `t${step}`, type: DOUBLE, of: (found) => found.times[step]!, shown };
  });
  const value: FoundColumn = { name: "value", type: UINTEGER, of: (found) => found.value, shown: o.value.shown };
  const bucket: FoundColumn = { name: "bucket", type: INTEGER, of: (found) => found.bucket, shown: "f.bucket" };
  return [
    { name: "actor", type: actorType, of: (found) => found.actor, shown: o.actor.shown },
    ...(program.attribution === null ? [] : [value]),
    ...(program.bucketStartsMs === null ? [] : [bucket]),
    { name: "reached", type: UTINYINT, of: (found) => found.reached, shown: "f.reached" },
    ...times,
  ];
}
