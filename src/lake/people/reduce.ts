import { quoted } from "../columns.ts";
import { ALONE, CLASS, LOG_COLUMNS, LOG_ORDER, OP, VERSION } from "./logColumns.ts";

const COLUMNS = Object.keys(LOG_COLUMNS);

/**
 * SQL text of what `fold` and the other readers hear of log rows, sorted: of one subject and key the newest set, the newest
 * unset, the oldest and the newest once; the first `seen`; the newest node. Each is a maximum or minimum by version, so
 * rows of any age may join later and nothing has been lost. Rows that stand `ALONE` then say so.
 */
export function reduced(log: string, condition: string): string {
  // Most speak alone of their subject and key. They are told from the others by a hash, since a window over all rows would
  // sort them by texts, which costs more than everything else.
  return `with said as materialized (
      select *, ${VERSION} as v, hash(team_id, class, subject, person_id, key, op) as place from ${log} where ${condition}),
    shared as (select place from said group by place having count(*) > 1),
    heard as materialized (
      select * from said anti join shared using (place)
      union all
      select * from said semi join shared using (place)
      window same as (partition by team_id, class, subject, person_id, key, op)
      qualify (op in (${OP.seen}, ${OP.once}) and v = min(v) over same) or (op <> ${OP.seen} and v = max(v) over same)),
    ${MARKED}
    order by ${LOG_ORDER}`;
}

const MADE: Record<string, string> = {
  op: `case when a.spot is null then op else op + ${ALONE} end::utinyint`,
  survivor_id: `case when class = ${CLASS.identity} then survivor_id when a.spot is not null then root end`,
};
const IS_PROPERTY = `class = ${CLASS.person} and op >= ${OP.set}`;

/**
 * Two properties may share a spot: then neither is said to be alone, which costs its reader time and no more. Who is alone
 * also has the person, where that is not its own id's.
 */
const MARKED = `persons as (select team_id, person_id, any_value(survivor_id) as root
      from heard where class = ${CLASS.identity} and survivor_id <> person_id group by team_id, person_id),
    placed as (select h.*, p.root, case when ${IS_PROPERTY} then hash(h.team_id, coalesce(p.root, h.person_id), h.key) end as spot
      from heard h left join persons p on p.team_id = h.team_id and p.person_id = h.person_id),
    alone as (select spot from placed where spot is not null group by spot having count(*) = 1 and max(op) <> ${OP.unset})
    select ${COLUMNS.map((name) => (name in MADE ? `${MADE[name]} as ${name}` : quoted(name))).join(", ")}
    from placed left join alone a using (spot)`;
