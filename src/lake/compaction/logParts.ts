import { CLASS } from "../people/mod.ts";

/** Neighbouring keys of a class of a project's log, or all its rows without a key. */
export interface LogPart {
  /** As in the column `class`. */
  ofClass: number;
  /** The first and the last key; null: the rows without one. */
  keys: [from: string, to: string] | null;
  rows: number;
}

/**
 * SQL text that divides the log of a project into parts of about `maxRows` rows, in the order of the log: of each its `class`, whether its rows have no key, the
 * first key, the last, and the number of rows. A key is not divided.
 */
export function logPartsSql(log: string, condition: string, maxRows: number): string {
  const counts = `select class, key, count(*) as n from ${log} where ${condition} group by class, key`;
  const placed = `select *, (sum(n) over (partition by class, key is null order by key) - n) // ${maxRows} as part from (${counts})`;
  return `select class, key is null, min(key), max(key), sum(n) from (${placed}) group by class, key is null, part
    order by class, key is null, part`;
}

/** A row of `logPartsSql`. */
export function logPart([ofClass, isWithoutKey, from, to, rows]: readonly unknown[]): LogPart {
  const keys: LogPart["keys"] = isWithoutKey === true ? null : [String(from), String(to)];
  return { ofClass: Number(ofClass), keys, rows: Number(rows) };
}

export const isOfNodes = (part: LogPart): boolean => part.ofClass === CLASS.identity;

/** SQL text of a condition on the log, and what it binds. */
export function conditionOf({ ofClass, keys }: LogPart): { text: string; params: string[] } {
  if (keys === null) return { text: `class = ${ofClass} and key is null`, params: [] };
  return { text: `class = ${ofClass} and key between $1::varchar and $2::varchar`, params: keys };
}
