/*
 * The roster of a project: every person in its compacted events, with a number from 0 without gaps. So many
 * persons can be told apart by a bit each, which is what makes counting them cheap. One file a project; it only grows.
 * Its columns: team_id BIGINT, person_id UUID, number INTEGER.
 */

/** A SELECT of a roster that has also the persons of `persons`, a SELECT of `id`; those that are known keep their numbers. */
export function grown(o: { teamId: number; known: { table: string; count: number } | null; persons: string }): string {
  const { teamId, known, persons } = o;
  const added = (from: string, first: number) =>
    `select ${teamId}::bigint as team_id, id as person_id, (${first - 1} + row_number() over (order by id))::integer as number
     from (select distinct id from ${persons}) p ${from}`;
  const all =
    known === null
      ? added("", 0)
      : `select team_id, person_id, number from ${known.table}
         union all ${added(`anti join ${known.table} k on k.person_id = p.id`, known.count)}`;
  return `select * from (${all}) order by person_id`;
}

/** Columns for readers: one of them is NULL. */
export const NUMBER_COLUMNS = { person_number: "INTEGER", person_unnumbered: "UUID" } as const;

interface Numbered {
  /** SQL text, with their names. */
  columns: string[];
  /** SQL text of the joins that they need. */
  join: string;
}

const columns = (number: string, id: string) => [`${number} as person_number`, `${id} as person_unnumbered`];

/** Persons told apart by their ids. */
export function unnumbered(person: string): Numbered {
  return { columns: columns("null::integer", person), join: "" };
}

/**
 * The columns that tell apart the persons of files `e`. `person`: SQL text of a row's person; `follows`: that person may
 * come from the merges `m`, not from the row; `roster`: the table.
 */
export function numbersOf(o: { person: string; isNumbered: boolean; follows: boolean; roster: string }): Numbered {
  const { person, isNumbered, follows, roster } = o;
  const join = (id: string) => `left join ${roster} r on r.person_id = ${id}`;
  if (!isNumbered) {
    return { columns: columns("r.number", `case when r.number is null then ${person} end`), join: join(person) };
  }
  if (!follows) return { columns: columns("e.person_number", "null::uuid"), join: "" };
  const number = "case when m.id is null then e.person_number else r.number end";
  const id = "case when m.id is not null and r.number is null then m.survivor_id end";
  return { columns: columns(number, id), join: join("m.survivor_id") };
}

/** The rows whose persons are counted. */
export interface PersonCount {
  /** The result has at most so many rows; each of them takes a bit for every number. */
  groups: number;
  /** Only rows that fulfil this condition count. */
  where?: string;
  /** The name of the events in FROM, where there are other events beside them. */
  alias?: string;
}

/** Bits that the groups of a statement may take; beyond it persons are counted without. */
const BITS_MAX_BYTES = 64 * 1024 * 1024;

/**
 * An aggregate: how many persons the rows have, exactly. A person has a number in all rows or in none, so the two sorts
 * are counted apart: `person_number` by a bit each, `person_unnumbered` by its id.
 */
export function countPersons(
  { count, hasUnnumbered }: { count: number; hasUnnumbered: boolean },
  { groups, where, alias }: PersonCount,
): string {
  const filter = where === undefined ? "" : ` filter (where ${where})`;
  const of = alias === undefined ? "" : `${alias}.`;
  const bits = `coalesce(bit_count(bitstring_agg(${of}person_number, 0, ${count - 1})${filter}), 0)`;
  const fits = (groups * count) / 8 <= BITS_MAX_BYTES;
  const counts = [
    ...(count > 0 ? [fits ? bits : `count(distinct ${of}person_number)${filter}`] : []),
    ...(hasUnnumbered ? [`count(distinct ${of}person_unnumbered)${filter}`] : []),
  ];
  return counts.length === 0 ? "0::bigint" : `(${counts.join(" + ")})::bigint`;
}

/** A value by which persons differ: a number where all have one, an id where none has, else both, of which one is NULL. */
export function whoIs({ count, hasUnnumbered }: { count: number; hasUnnumbered: boolean }, alias: string): string {
  const [number, id] = [`${alias}.person_number`, `${alias}.person_unnumbered`];
  if (!hasUnnumbered) return number;
  return count === 0 ? id : `struct_pack(number := ${number}, id := ${id})`;
}
