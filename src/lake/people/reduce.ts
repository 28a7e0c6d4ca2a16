import { MAX_ONCES } from "../../types/mod.ts";
import { quoted } from "../engine/mod.ts";
import { ALONE, CLASS, LOG_COLUMNS, LOG_ORDER, OP, VERSION } from "./logColumns.ts";

const COLUMNS = Object.keys(LOG_COLUMNS);

/** Which rows of a log `reduced` gives. */
interface Wanted {
  /** Holds for all rows of a subject and key or for none; and for all nodes of a project, where `nodes` is not given. */
  condition: string;
  /** The reduced nodes, as a table, where the condition leaves them out. */
  nodes?: string | undefined;
}

/**
 * SQL text of the log rows that matter to `fold` and the other readers, sorted: the first `seen` of a subject, the newest node of
 * an id, and of one subject and key the newest set or unset, what one event both sets and unsets after it, and the first
 * values after it: of those with equal values in a row the oldest and the newest, at most the first `MAX_ONCES` and the
 * last. Rows left out can never hold again, even if older rows join later (protocol rule 20). Rows that are `ALONE` are marked.
 */
export function reduced(log: string, { condition, nodes = "heard" }: Wanted): string {
  // Most are alone with their subject and key. They are told from the others by a hash, since a window over all rows would
  // sort them by texts, which costs more than everything else.
  return `with said as materialized (
      select *, ${VERSION} as v, hash(team_id, class, subject, person_id, key) as place from ${log} where ${condition}),
    shared as (select place from said group by place having count(*) > 1),
    turned as (select place, v from (select place, v from said where op = ${OP.unset}) u
      semi join (select place, v from said where op in (${OP.set}, ${OP.once})) s using (place, v)),
    several as (select s.*, t.v is not null as is_turned from (select * from said semi join shared using (place)) s
      left join turned t using (place, v)),
    newer as (select *, case when op = ${OP.once} and not is_turned then value end as first_value from several
      window same as (partition by team_id, class, subject, person_id, key order by v, op
        rows between unbounded preceding and unbounded following)
      qualify case op when ${OP.seen} then v = min(v) over same when ${OP.identity} then v = max(v) over same
        else v >= coalesce(max(v) filter (where op <> ${OP.once} and not is_turned) over same, v)
          and not coalesce(first_value = lag(first_value) over same and first_value = lead(first_value) over same, false) end),
    crowded as (select place from newer where op = ${OP.once} group by place having count(*) > ${MAX_ONCES}),
    heard as materialized (
      select * from said anti join shared using (place)
      union all
      select * exclude (is_turned, first_value) from newer anti join crowded using (place)
      union all
      select * exclude (is_turned, first_value) from newer semi join crowded using (place)
      window same as (partition by team_id, class, subject, person_id, key order by v, op)
      qualify op <> ${OP.once} or row_number() over same <= ${MAX_ONCES} or lead(v) over same is null),
    ${marked(nodes)}
    order by ${LOG_ORDER}`;
}

const MADE: Record<string, string> = {
  op: `case when a.spot is null then op else op + ${ALONE} end::utinyint`,
  survivor_id: `case when class = ${CLASS.identity} then survivor_id when a.spot is not null then root end`,
};
const IS_PROPERTY = `class = ${CLASS.person} and op >= ${OP.set}`;

/**
 * Two properties may share a spot: then neither is marked as alone, which only costs time. A row that is alone also has
 * its person, where that is not the person of its own id.
 */
const marked = (nodes: string) => `persons as (select team_id, person_id, any_value(survivor_id) as root
      from ${nodes} where class = ${CLASS.identity} and survivor_id <> person_id group by team_id, person_id),
    placed as (select h.*, p.root, case when ${IS_PROPERTY} then hash(h.team_id, coalesce(p.root, h.person_id), h.key) end as spot
      from heard h left join persons p on p.team_id = h.team_id and p.person_id = h.person_id),
    alone as (select spot from placed where spot is not null group by spot having count(*) = 1 and max(op) <> ${OP.unset})
    select ${COLUMNS.map((name) => (name in MADE ? `${MADE[name]} as ${name}` : quoted(name))).join(", ")}
    from placed left join alone a using (spot)`;
