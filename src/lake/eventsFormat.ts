import { EventFlag, type EventRow, jsonString } from "../types/mod.ts";
import { LANE_NUMBER, PERSON_MODE_NUMBER } from "./columns.ts";
import { FIELD } from "./rawFile.ts";
import type { RowsFormat } from "./rowsFile.ts";

/** Events in the order given. `properties` stand last, as the client wrote them; other texts are JSON strings. */
export const EVENTS_FORMAT: RowsFormat<EventRow> = {
  rawColumns: {
    team_id: "BIGINT",
    uuid: "UUID",
    event: "VARCHAR",
    distinct_id: "VARCHAR",
    person_id: "UUID",
    timestamp_ms: "BIGINT",
    created_at_ms: "BIGINT",
    lane: "UTINYINT",
    ordinal: "BIGINT",
    person_mode: "UTINYINT",
    elements_chain: "VARCHAR",
    properties: "VARCHAR",
  },
  select: (raw) => `select team_id, uuid, (event::json)->>'$' as event, (distinct_id::json)->>'$' as distinct_id,
    person_id, make_timestamp(timestamp_ms * 1000) as "timestamp", make_timestamp(created_at_ms * 1000) as created_at,
    lane, ordinal, properties,
    case when elements_chain = '""' then '' else (elements_chain::json)->>'$' end as elements_chain, person_mode
    from ${raw}`,
  lineWriter: () => (row) => rawHead(row) + row.properties,
  control(model) {
    const nil = "00000000-0000-0000-0000-000000000000";
    const texts = { event: "control", distinctId: "control", properties: "{}", elementsChain: "" };
    return { ...model, ...texts, teamId: 1, uuid: nil, personId: nil, timestampMs: 0, createdAtMs: 0, ordinal: 0 };
  },
};

function rawHead(row: EventRow): string {
  const { teamId, uuid, personId, timestampMs, createdAtMs, ordinal } = row;
  const event = jsonString(row.event);
  const distinctId = jsonString(row.distinctId);
  const lane = LANE_NUMBER[row.lane];
  const mode = row.flags & EventFlag.Personless ? PERSON_MODE_NUMBER.propertyless : PERSON_MODE_NUMBER.full;
  const elements = jsonString(row.elementsChain);
  return `${teamId}${FIELD}${uuid}${FIELD}${event}${FIELD}${distinctId}${FIELD}${personId}${FIELD}${timestampMs}${FIELD}${createdAtMs}${FIELD}${lane}${FIELD}${ordinal}${FIELD}${mode}${FIELD}${elements}${FIELD}`;
}
