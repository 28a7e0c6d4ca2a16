import { CLASS, VERSION } from "./logColumns.ts";

/**
 * Who is who, of every distinct_id that took part in a merge: `id` (the person in its event rows), `distinct_id`,
 * `survivor_id`, `is_identified`, `moves`. `log` is a table function; columns that nobody reads cost nothing.
 */
export function nodesOf(log: string, teams: string): string {
  const newest = (column: string) => `arg_max(${column}, ${VERSION})`;
  return `(select team_id, person_id as id, ${newest("subject")} as distinct_id, ${newest("survivor_id")} as survivor_id,
      ${newest("is_identified")} as is_identified, ${newest("moves")} as moves
    from ${log} where ${teams} and class = ${CLASS.identity} group by team_id, person_id)`;
}

/** Only those whose events belong to somebody else now: `team_id`, `id`, `survivor_id`. */
export function movedOf(log: string, teams: string): string {
  return `(select team_id, id, survivor_id from ${nodesOf(log, teams)} where survivor_id <> id)`;
}
