import { quoted } from "../columns.ts";
import { LOG_COLUMNS, LOG_ORDER, OP, VERSION } from "./logColumns.ts";

const COLUMNS = Object.keys(LOG_COLUMNS).map(quoted).join(", ");

/**
 * SQL text of what `fold` and the other readers hear of log rows, sorted: of one subject and key the newest set, the newest
 * unset, the oldest and the newest once; the first `seen`; the newest node. Each is a maximum or minimum by version, so
 * rows of any age may join later and nothing has been lost.
 */
export function reduced(log: string, condition: string): string {
  // Most speak alone of their subject and key. They are told from the others by a hash, since a window over all rows would
  // sort them by texts, which costs more than everything else.
  return `with said as materialized (
      select *, ${VERSION} as v, hash(team_id, class, subject, person_id, key, op) as place from ${log} where ${condition}),
    shared as (select place from said group by place having count(*) > 1)
    select ${COLUMNS} from (
      select * from said anti join shared using (place)
      union all
      select * from said semi join shared using (place)
      window same as (partition by team_id, class, subject, person_id, key, op)
      qualify (op in (${OP.seen}, ${OP.once}) and v = min(v) over same) or (op <> ${OP.seen} and v = max(v) over same))
    order by ${LOG_ORDER}`;
}
