import { CLASS, VERSION } from "./logColumns.ts";

/**
 * Who is who, of every distinct_id that took part in a merge: `id` (the person in its event rows), `distinct_id`,
 * `survivor_id`, `is_identified`, `moves`. `log` is a table function; columns that nobody reads cost nothing.
 */
export function nodesOf(log: string, rows: string): string {
  const newest = (column: string) => `arg_max(${column}, ${VERSION})`;
  return `(select team_id, person_id as id, ${newest("subject")} as distinct_id, ${newest("survivor_id")} as survivor_id,
      ${newest("is_identified")} as is_identified, ${newest("moves")} as moves
    from ${log} where ${rows} and class = ${CLASS.identity} group by team_id, person_id)`;
}

/**
 * Only those whose events belong to somebody else now: `team_id`, `id`, `survivor_id`. `rows` is a condition on the log
 * that holds for all rows of a node or for none.
 */
export function movedOf(log: string, rows: string): string {
  return `(select team_id, id, survivor_id from ${nodesOf(log, rows)} where survivor_id <> id)`;
}
