import { type FunnelProgram, walkerOf } from "../../../walk/mod.ts";
import { errorAt } from "../../shape/errors.ts";
import { either, join, name, type Sql, sql, walked } from "../../sql/sql.ts";
import { TIME } from "../../value/columnTypes.ts";
import { optional, type Type, typeOf } from "../../value/types.ts";
import type { OutputColumn } from "../schema/source.ts";
import type { Expression, Join, Query, Select } from "../syntax/tree.ts";
import { readProgram, WALK_FUNNEL } from "../syntax/walkFunnel.ts";
import { compileQuery } from "./compile.ts";
import { withDefinitions } from "./ctes.ts";
import { journeyedRows } from "./journeyRows.ts";
import { type Compilation, type CompiledQuery, Scope } from "./scope.ts";

const COUNT: Type = { ...typeOf("int"), clickhouse: "UInt8" };
const BUCKET: Type = { ...typeOf("int"), clickhouse: "UInt32" };

/** The walk over a query's rows, and the columns of what it finds. Errors: HogqlError. */
export function compileWalk(part: Join, scope: Scope): { sql: Sql; columns: OutputColumn[] } {
  const [rows, ...rest] = part.table_args ?? [];
  if (rows === undefined || !isQuery(rows)) {
    throw errorAt(
      part,
      `\`${WALK_FUNNEL}\` needs a SELECT of its rows: ${WALK_FUNNEL}((SELECT …), 'ordered', 3, 86400).`,
    );
  }
  const program = readProgram(rest);
  const compiled = compileQuery(rows, scope.compilation, scope.ctes);
  const wanted = columnsOfRows(program);
  const columns = wanted.map(({ key, kind }) => {
    const index = compiled.columns.findIndex((column) => column.name === key);
    if (index < 0) throw errorAt(rows, `The rows of \`${WALK_FUNNEL}\` need a column \`${key}\`.`);
    const { type } = compiled.columns[index]!;
    if (kind !== null && type.kind !== kind && type.kind !== "null") {
      throw errorAt(rows, `The column \`${key}\` of the rows of \`${WALK_FUNNEL}\` must be of the kind ${kind}.`);
    }
    return { sql: sql`${name(`c${index}`)} AS ${name(key)}`, type };
  });
  const extra = compiled.columns.find((column) => !wanted.some(({ key }) => key === column.name));
  if (extra !== undefined) throw errorAt(rows, `\`${WALK_FUNNEL}\` has no use for the column \`${extra.name}\`.`);
  const list = join(
    columns.map((column) => column.sql),
    ", ",
  );
  const definitions = [...scope.ctes.values()].flatMap((cte) => ("definition" in cte ? [cte.definition] : []));
  const text = withDefinitions(definitions, sql`SELECT ${list} FROM (${compiled.sql})`);
  const journeys = definitions.length > 0 ? null : journeyedRows(rows, scope);
  return {
    sql: walked(text, program, journeys),
    columns: columnsOfFound(program, columns[0]!.type, columns.at(-1)!.type),
  };
}

/**
 * The same rows as `plain`, by a walk where journeys hold events. But of paths, their names and times alone must tell the rows that it reads.
 * The walk's table has all columns of `plain` by name.
 */
export function orByWalk(
  plain: CompiledQuery,
  { rows, program, made }: NonNullable<Select["instead"]>,
  compilation: Compilation,
): CompiledQuery {
  const journeys = journeyedRows(rows, new Scope(compilation, new Map()), made);
  // By place all rows are read, too: that does not pay where the events by day would tell as much.
  if (journeys === null || (journeys.places !== null && program.kind === "active")) return plain;
  const found = walkerOf(program, () => {}).found.columns.map((column) => column.name);
  const columns = plain.columns.map((column, i) => sql`${name(`c${found.indexOf(column.name)}`)} AS ${name(`c${i}`)}`);
  const byWalk = sql`SELECT ${join(columns, ", ")} FROM ${walked(plain.sql, program, journeys)}`;
  return { ...plain, sql: either(plain.sql, byWalk) };
}

function columnsOfRows({ exclusions, attribution }: FunnelProgram): { key: string; kind: Type["kind"] | null }[] {
  return [
    { key: "actor", kind: null },
    { key: "timestamp", kind: "datetime" },
    { key: "steps", kind: "int" },
    ...(exclusions.length === 0 ? [] : [{ key: "excluded", kind: "int" as const }]),
    ...(attribution === null ? [] : [{ key: "value", kind: null }]),
  ];
}

function columnsOfFound(
  { steps, attribution, bucketStartsMs }: FunnelProgram,
  actor: Type,
  value: Type,
): OutputColumn[] {
  return [
    { name: "actor", type: { ...actor, nullable: false } },
    ...(attribution === null ? [] : [{ name: "value", type: optional(value) }]),
    ...(bucketStartsMs === null ? [] : [{ name: "bucket", type: BUCKET }]),
    { name: "reached", type: COUNT },
    ...Array.from({ length: steps }, (_, step) => ({ name: `t${step}`, type: step === 0 ? TIME : optional(TIME) })),
  ];
}

const isQuery = (node: Expression): node is Query => node.node === "SelectQuery" || node.node === "SelectSetQuery";
