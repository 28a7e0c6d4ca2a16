import type { DuckDBPreparedStatement, DuckDBType, DuckDBValue } from "@duckdb/node-api";
import { duckdbClient } from "./duckdbClient.ts";

/** A parameter of a query. A list is bound as LIST of its elements' type; an empty one as LIST(VARCHAR). */
export type SqlValue = string | number | bigint | boolean | null | SqlValue[];

/** Binds the values of a statement to `$1`, `$2`, … */
export function bindAll(prepared: DuckDBPreparedStatement, params: readonly SqlValue[]): void {
  for (const [i, value] of params.entries()) prepared.bindValue(i + 1, toDuckDB(value), typeOf(value));
}

function toDuckDB(value: SqlValue): DuckDBValue {
  return Array.isArray(value) ? duckdbClient().listValue(value.map(toDuckDB)) : value;
}

const INT64_LIMIT = 2n ** 63n;

function typeOf(value: SqlValue): DuckDBType | undefined {
  const { BIGINT, BOOLEAN, DOUBLE, HUGEINT, LIST, VARCHAR } = duckdbClient();
  if (Array.isArray(value)) return LIST(elementType(value));
  switch (typeof value) {
    case "string":
      return VARCHAR;
    case "boolean":
      return BOOLEAN;
    case "number":
      return Number.isSafeInteger(value) ? BIGINT : DOUBLE;
    case "bigint":
      return value >= -INT64_LIMIT && value < INT64_LIMIT ? BIGINT : HUGEINT;
    default:
      return undefined;
  }
}

/** A list has one type: the widest of its elements'. */
function elementType(values: readonly SqlValue[]): DuckDBType {
  const { DOUBLE, HUGEINT, VARCHAR } = duckdbClient();
  const types = values.flatMap((value) => typeOf(value) ?? []);
  const [first = VARCHAR] = types;
  if (types.some((type) => type === VARCHAR)) return VARCHAR;
  for (const wide of [DOUBLE, HUGEINT]) if (types.includes(wide)) return wide;
  return first;
}
