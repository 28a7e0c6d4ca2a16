import type { PersonHistory, Relations } from "../reading/mod.ts";
import { accepted, type EventsWish } from "./eventRows.ts";
import type { RowsText } from "./rowsText.ts";

/**
 * The rows of the persons model: one for each distinct_id of the persons in the table `persons`, which has `id`, `created_at`,
 * `is_identified` and `properties`; their ids are in the table `wanted`. Versions grow with every change, so that of several rows of a distinct_id the
 * one with the greatest `person_distinct_id_version` is right, and of a person the one with the greatest `person_version`.
 */
export function personRows(relations: Relations & PersonHistory, teamId: number, persons: string): RowsText {
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
      is_identified: { sql: "coalesce(p.is_identified, false)", as: "boolean" },
    },
    from: `${relations.distinctIds()} d semi join wanted w on w.id = d.person_id
      left join ${persons} p on p.id = d.person_id
      left join ${relations.personVersions()} c on c.person_id = d.person_id
      left join ${relations.movesOfIds()} v on v.distinct_id = d.distinct_id`,
  };
}

/**
 * A SELECT of `id`, each once: the persons that something was accepted of in the interval, an event or a person itself, or that were created in it; from the beginning
 * all of them.
 */
export function personsAsked(
  relations: Relations & PersonHistory,
  { fromMs, toMs }: Pick<EventsWish, "fromMs" | "toMs">,
): string {
  if (fromMs === null) return `select id from ${relations.persons({ properties: false })}`;
  const events = relations.events({ persons: true, properties: false, keys: [] }, () => "");
  return `select e.person_id as id from ${events} e where ${accepted("e.created_at", { fromMs, toMs })}
    union select person_id from ${relations.personsChanged({ fromMs, toMs })}`;
}
