import { ALONE, CLASS, LOG_COLUMNS, OP, VERSION } from "./logColumns.ts";

/**
 * The rows of log files one by one, as a table: those of flushes hold first values of persons together (`FirstRow`).
 * A condition on `op` alone reads only what it needs.
 */
export function logRows(fresh: string | null, compacted: string | null): string {
  const parts = compacted === null ? [] : [`select * replace ((op % ${ALONE})::utinyint as op) from ${compacted}`];
  if (fresh !== null)
    parts.push(
      `select * from ${fresh} where op not in (${OP.first}, ${OP.earlier})`,
      first(fresh, OP.set, `op = ${OP.first}`),
      first(fresh, OP.once, `op in (${OP.first}, ${OP.earlier})`),
    );
  return `(${parts.join(" union all ")})`;
}

function first(fresh: string, op: typeof OP.set | typeof OP.once, rows: string): string {
  const made: Record<string, string> = {
    op: `${op}::utinyint`,
    key:
      op === OP.set ? "m.key" : `'$initial_' || case when starts_with(m.key, '$') then substr(m.key, 2) else m.key end`,
    value: "m.value::varchar",
  };
  const columns = Object.keys(LOG_COLUMNS).map((name) => (name in made ? `${made[name]} as ${name}` : name));
  return `select ${columns.join(", ")}
    from (select *, unnest(map_entries(json_transform(value, '"MAP(VARCHAR, JSON)"'))) as m
      from ${fresh} where ${rows})`;
}

/** The log of a project (or several) as table functions. */
export interface LogTables {
  /**
   * A compacted file: it has one node and one `seen` of each id, and its rows say where they are `ALONE`. Most of the log lies
   * in one such file.
   */
  base: string | null;
  /** All other files. */
  rest: string | null;
  /** Both. */
  all: string;
}

/**
 * The person of every distinct_id that took part in a merge: `team_id`, `id` (the person in its event rows),
 * `distinct_id`, `survivor_id`, `is_identified`, `moves`. `rows` is a condition on the log that holds for all rows of an
 * id or for none.
 */
export function nodesOf(log: LogTables, rows: string): string {
  return oneEach(log, `${rows} and class = ${CLASS.identity}`, "arg_max", {
    distinct_id: "subject",
    survivor_id: "survivor_id",
    is_identified: "is_identified",
    moves: "moves",
  });
}

/** Of the nodes only those whose events belong to another person now. */
export function movedOf(log: LogTables, rows: string): string {
  return `(select * from ${nodesOf(log, rows)} where survivor_id <> id)`;
}

/** Every distinct_id that was seen: `team_id`, `id`, `distinct_id`, `at_ms` as the first row says. */
export function seenOf(log: LogTables, rows: string): string {
  const condition = `${rows} and class = ${CLASS.person} and op = ${OP.seen}`;
  return oneEach(log, condition, "arg_min", { distinct_id: "subject", at_ms: "at_ms" });
}

/**
 * One row of each id: that with the greatest or smallest version. Grouping millions of ids costs more than all else, so
 * the base is taken as it is, but for the ids that the rest has rows of.
 */
function oneEach(
  { base, rest, all }: LogTables,
  rows: string,
  pick: "arg_max" | "arg_min",
  columns: Record<string, string>,
): string {
  const chosen = (value: (column: string) => string) =>
    Object.entries(columns)
      .map(([name, column]) => `${value(column)} as ${name}`)
      .join(", ");
  const grouped = (from: string) =>
    `select team_id, person_id as id, ${chosen((column) => `${pick}(${column}, ${VERSION})`)} from ${from} group by team_id, person_id`;
  if (base === null) return `(${grouped(`(select * from ${all} where ${rows})`)})`;
  const single = `select team_id, person_id as id, ${chosen((column) => column)} from`;
  if (rest === null) return `(${single} ${base} where ${rows})`;
  const told = `(select distinct person_id from ${rest} where ${rows})`;
  const again = `(select * from ${rest} where ${rows}
    union all select b.* from (select * from ${base} where ${rows}) b semi join ${told} t on t.person_id = b.person_id)`;
  return `(${single} (select * from ${base} where ${rows}) b anti join ${told} t on t.person_id = b.person_id
    union all ${grouped(again)})`;
}
