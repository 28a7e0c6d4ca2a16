import type { PersonHistory, Relations } from "../reading/mod.ts";
import { accepted, type EventsWish } from "./eventRows.ts";
import type { RowsText } from "./rowsText.ts";

/**
 * The rows of the persons model: one for each distinct_id of a person that something was accepted of in the interval, an event or a
 * person itself. From the beginning: of all. Versions grow with every change, so that of several rows of a distinct_id the one
 * with the greatest `person_distinct_id_version` is right, and of a person the one with the greatest `person_version`.
 */
export function personRows(
  relations: Relations & PersonHistory,
  teamId: number,
  wish: Pick<EventsWish, "fromMs" | "toMs">,
): RowsText {
  const only = wish.fromMs === null ? undefined : changedIn(relations, { ...wish, fromMs: wish.fromMs });
  const asked = only === undefined ? {} : { only };
  return {
    columns: {
      team_id: { sql: `${teamId}::bigint`, as: "number" },
      distinct_id: { sql: "d.distinct_id", as: "text" },
      person_id: { sql: "d.person_id::varchar", as: "text" },
      properties: { sql: "coalesce(p.properties, '{}')", as: "json" },
      person_distinct_id_version: { sql: "coalesce(v.moves, 0)::bigint", as: "number" },
      person_version: { sql: "coalesce(c.version_ms, 0)::bigint", as: "number" },
      created_at: { sql: "p.created_at", as: "time" },
      _inserted_at: { sql: "make_timestamp(coalesce(c.version_ms, 0) * 1000)", as: "time" },
      is_deleted: { sql: "false", as: "boolean" },
    },
    from: `${relations.distinctIds(asked)} d
      left join ${relations.persons({ properties: true, ...asked })} p on p.id = d.person_id
      left join ${relations.personVersions()} c on c.person_id = d.person_id
      left join ${relations.movesOfIds()} v on v.distinct_id = d.distinct_id`,
  };
}

/** Ids of the persons that something was accepted of. */
function changedIn(relations: Relations & PersonHistory, wish: { fromMs: number; toMs: number }): string {
  const events = relations.events({ persons: true, properties: false, keys: [] }, () => "");
  return `select e.person_id from ${events} e where ${accepted("e.created_at", wish)}
    union select person_id from ${relations.personsChanged(wish)}`;
}
