import type { EventsTable } from "../../source/events.ts";
import { GROUP_INDEXES } from "../../source/lookups.ts";
import { type Sql, sql } from "../../sql/sql.ts";
import { JSON_TEXT, STRING, TIME, UUID } from "../../value/columnTypes.ts";
import { arrayOf, optional, type Type, typeOf } from "../../value/types.ts";
import { elementsHref, elementsIds, elementsTags, elementsTexts } from "./elements.ts";
import { type Column, type Fields, fieldsOf } from "./fields.ts";
import { groupFields, personFields } from "./peopleFields.ts";
import { sessionFields } from "./sessionFields.ts";

/**
 * A personless event of someone who has become a person more than a minute before it counts as that person's own
 * (docs/persons.md#personless-events).
 */
function personMode(e: EventsTable): Sql {
  const isUpgraded = sql`${e.personMode()} = 1 AND ${e.column("timestamp")} > ${e.person.createdAt()} + INTERVAL 1 MINUTE`;
  return sql`CASE WHEN ${isUpgraded} THEN 'force_upgrade' WHEN ${e.personMode()} = 1 THEN 'propertyless' ELSE 'full' END`;
}

/** Read from the properties: left out of `*`. */
const nullable = (key: string): Column<EventsTable> => ({
  type: optional(STRING),
  read: (e) => e.property(key),
  isVirtual: true,
});

const blankWhereMissing = (key: string): Column<EventsTable> => ({
  type: STRING,
  read: (e) => sql`coalesce(${e.property(key)}, '')`,
  isVirtual: true,
});

const ofElements = (type: Type, read: (chain: Sql) => Sql): Column<EventsTable> => ({
  type,
  read: (e) => read(e.column("elements_chain")),
  isVirtual: true,
});

const SESSION_OF_EVENT = fieldsOf<EventsTable>({
  ...sessionFields((e, key) => e.session.field(key, "session").value, false),
  id: nullable("$session_id"),
  session_id: nullable("$session_id"),
});

const PERSON_ID: Column<EventsTable> = {
  type: UUID,
  read: (e) => e.personId(),
  countPersons: (e, o) => e.countPersons(o),
  identity: (e) => e.who(),
};

const PERSON_OF_EVENT: Fields<EventsTable> = new Map([
  ...personFields<EventsTable>((e) => e.person),
  ["id", PERSON_ID],
]);

/** In the order of `*`. */
export const EVENTS: Fields<EventsTable> = fieldsOf({
  uuid: { type: UUID, read: (e) => e.column("uuid") },
  event: { type: STRING, read: (e) => e.column("event") },
  properties: {
    type: JSON_TEXT,
    read: (e) => e.column("properties"),
    property: { read: (e, key) => e.propertyJson(key), owner: { type: "event" } },
  },
  timestamp: { type: TIME, read: (e) => e.column("timestamp"), ofDay: (e) => e.when() },
  distinct_id: { type: STRING, read: (e) => e.column("distinct_id") },
  elements_chain: { type: STRING, read: (e) => e.column("elements_chain") },
  elements_chain_href: ofElements(STRING, elementsHref),
  elements_chain_texts: ofElements(arrayOf(STRING), elementsTexts),
  elements_chain_ids: ofElements(arrayOf(STRING), elementsIds),
  elements_chain_elements: ofElements(arrayOf(STRING), elementsTags),
  created_at: { type: TIME, read: (e) => e.column("created_at") },
  person_id: PERSON_ID,
  person_mode: { type: STRING, read: personMode },
  // Its own: PostHog tells it by `person_mode`, which looks persons up.
  personless: { type: typeOf("bool"), read: (e) => sql`(${e.personMode()} = 1)`, isVirtual: true },
  $session_id: nullable("$session_id"),
  $window_id: nullable("$window_id"),
  ...Object.fromEntries(GROUP_INDEXES.map((index) => [`$group_${index}`, blankWhereMissing(`$group_${index}`)])),
  session: { fields: SESSION_OF_EVENT },
  person: { fields: PERSON_OF_EVENT },
  pdi: {
    fields: fieldsOf<EventsTable>({
      distinct_id: { type: STRING, read: (e) => e.column("distinct_id") },
      person_id: PERSON_ID,
      person: { fields: PERSON_OF_EVENT },
    }),
  },
  ...Object.fromEntries(
    GROUP_INDEXES.map((index) => [
      `group_${index}`,
      { fields: groupFields<EventsTable>(index, (e) => e.groups[index]) },
    ]),
  ),
});
