import { fold } from "./fold.ts";
import { ALONE, CLASS, OP, VERSION } from "./logColumns.ts";
import { type LogTables, movedOf } from "./logTables.ts";

/** The rows of a log table that `fold` reads, under a condition; `id`: SQL text of the owner of the property. */
export function propertyRows(from: string, id: string, condition: string): string {
  return `select ${id} as id, key, op, value, ${VERSION} as v from ${from} where ${condition} and op >= ${OP.set}`;
}

/**
 * The properties of persons that hold now, as `fold` gives them. `rows`: a condition on the log that holds for all rows of a
 * person's key or for none; `isMerged`: persons were merged.
 *
 * Folding millions of rows costs more than reading them, and nearly all are alone in the base. Those hold as they are, but
 * for the few persons of whom the rest of the log has rows or nodes, too: only these are folded.
 */
export function valuesOf(log: LogTables, o: { ofTeam: string; rows: string; isMerged: boolean }): string {
  const { base, rest, all } = log;
  const { ofTeam, isMerged } = o;
  const ofPersons = `${ofTeam} and class = ${CLASS.person} ${o.rows}`;
  if (base === null) return fold(propertyRows(all, "person_id", ofPersons), isMerged ? movedOf(log, ofTeam) : null);
  const alone = `(select *, coalesce(survivor_id, person_id) as root from ${base} where ${ofPersons} and op >= ${ALONE})`;
  const several = propertyRows(base, "person_id", `${ofPersons} and op < ${ALONE}`);
  // GROUP BY, and the planner knows that they are few.
  const ofMixed = `${ofTeam} and person_id in (select id from mixed group by id)`;
  const moved = isMerged ? `, moved as materialized (select * from ${movedOf(log, ofMixed)})` : "";
  const held = "select root as id, key, value from";
  const folded = `union all select * from ${fold("select * from mixed", isMerged ? "moved" : null)}`;
  if (rest === null) return `(with mixed as materialized (${several}) ${moved} ${held} ${alone} ${folded})`;
  const nodes = `where ${ofTeam} and class = ${CLASS.identity}`;
  const spoken = `select id from said ${isMerged ? `union all select person_id from ${rest} ${nodes}` : ""}`;
  // Every person that an id was part of at some time: by the base, and now.
  const persons = isMerged
    ? `union select survivor_id from ${all} ${nodes} and person_id in (select id from spoken)`
    : "";
  const again = `select person_id as id, key, (op - ${ALONE})::utinyint as op, value, ${VERSION} as v
    from ${alone} a semi join told t on t.id = a.root`;
  return `(with said as materialized (${propertyRows(rest, "person_id", ofPersons)}),
    spoken as materialized (select distinct id from (${spoken})),
    told as materialized (select id from spoken ${persons}),
    mixed as materialized (select * from said union all ${several} union all ${again}) ${moved}
    ${held} ${alone} a anti join told t on t.id = a.root ${folded})`;
}
