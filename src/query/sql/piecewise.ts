import { integer, type Sql, sql } from "./sql.ts";

/** A result from a number on, until the next piece. */
export interface Piece {
  from: number;
  result: Sql;
}

/** The result of the last piece that begins at or before `value`, found by binary search; the first piece has no beginning. */
export function piecewise(value: Sql, pieces: readonly Piece[]): Sql {
  const within = (low: number, high: number): Sql => {
    if (low === high) return pieces[low]!.result;
    const middle = (low + high + 1) >> 1;
    const split = integer(pieces[middle]!.from);
    return sql`CASE WHEN ${value} < ${split} THEN ${within(low, middle - 1)} ELSE ${within(middle, high)} END`;
  };
  return within(0, pieces.length - 1);
}
