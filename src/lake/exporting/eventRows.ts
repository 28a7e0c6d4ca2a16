import type { Relations } from "../reading/mod.ts";
import type { Parameter } from "../typed/mod.ts";
import type { RowsText } from "./rowsText.ts";

/** Which events. */
export interface EventsWish {
  /** When they were accepted, epoch milliseconds; the end is not part of it. Null: from the beginning. */
  fromMs: number | null;
  toMs: number;
  /** Names; where it is empty, all. */
  include: readonly string[];
  exclude: readonly string[];
}

/** The condition on the rows of `events`, whose name in FROM is `e`. `names`: binds a list of texts. */
export function isWanted(wish: EventsWish, names: (list: readonly string[]) => string): string {
  const { include, exclude } = wish;
  return [
    accepted("e.created_at", wish),
    ...(include.length > 0 ? [`list_contains(${names(include)}, e.event)`] : []),
    ...(exclude.length > 0 ? [`not list_contains(${names(exclude)}, e.event)`] : []),
  ].join(" and ");
}

/** Whether a time is in the interval. */
export function accepted(column: string, { fromMs, toMs }: Pick<EventsWish, "fromMs" | "toMs">): string {
  const time = (ms: number) => `make_timestamp(${Math.trunc(ms) * 1000})`;
  return `${fromMs === null ? "" : `${column} >= ${time(fromMs)} and `}${column} < ${time(toMs)}`;
}

/** The rows of the events model. `persons`: the text of a table of `id` and `properties` that has every person of the events. */
export function eventRows(
  relations: Relations,
  wish: { condition: string; persons: string; parameter: Parameter },
): RowsText {
  const events = relations.events({ persons: true, properties: true, keys: [] }, wish.parameter);
  return {
    columns: {
      uuid: { sql: "e.uuid::varchar", as: "text" },
      event: { sql: "e.event", as: "text" },
      distinct_id: { sql: "e.distinct_id", as: "text" },
      person_id: { sql: "e.person_id::varchar", as: "text" },
      properties: { sql: "e.properties", as: "json" },
      person_properties: { sql: "coalesce(p.properties, '{}')", as: "json" },
      elements_chain: { sql: "e.elements_chain", as: "text" },
      timestamp: { sql: `e."timestamp"`, as: "time" },
      created_at: { sql: "e.created_at", as: "time" },
      _inserted_at: { sql: "e.created_at", as: "time" },
    },
    from: `(select * from ${events} e where ${wish.condition}) e left join ${wish.persons} p on p.id = e.person_id`,
  };
}
