import { Type } from "@sinclair/typebox";
import { anyObject, anything, integer, nullable, object, TIME, text, URL_TEXT, UUID } from "../../openapi/mod.ts";

const ELEMENT = object("Element", {
  event: Type.Null(),
  text: nullable(text()),
  tag_name: nullable(text()),
  attr_class: nullable(Type.Array(text())),
  href: nullable(text()),
  attr_id: nullable(text()),
  nth_child: nullable(integer()),
  nth_of_type: nullable(integer()),
  attributes: anyObject(),
  order: integer(),
});

export const EVENT = object("Event", {
  id: UUID,
  distinct_id: text(),
  properties: anyObject(),
  event: text("Its name."),
  timestamp: TIME,
  person: nullable(
    object("EventPerson", {
      is_identified: Type.Boolean(),
      distinct_ids: Type.Array(text(), { description: "That of the event alone." }),
      properties: anyObject("Those that name a person: `email`, `name`, `username`."),
    }),
  ),
  elements: Type.Array(ELEMENT),
  elements_chain: text(),
});

export const EVENTS_PAGE = object("EventsPage", {
  next: nullable(URL_TEXT),
  results: Type.Array(EVENT),
});

/** The same with `select`. */
export const EVENT_ROWS = object("EventRows", {
  next: nullable(URL_TEXT),
  results: Type.Array(Type.Array(anything())),
  columns: Type.Array(text()),
  types: Type.Array(text("ClickHouse's name.")),
  hasMore: Type.Boolean(),
});

export const LIVE_EVENTS = object("LiveEvents", {
  cursor: text("`since` of the next request."),
  results: Type.Array(Type.Array(anything())),
  columns: Type.Array(text()),
  count: integer("Events that came and meet the conditions. `results` has the last of them, `limit` at most."),
  missed: integer("Events that came and can no longer be told from older ones, whatever the conditions: begin anew."),
});

export const PROPERTY_VALUES = Type.Array(object("PropertyValue", { name: text() }));

/** Not in the form of the other errors, because clients know this one so. */
export const INVALID_UUID = object("InvalidUuid", { type: text(), code: text(), detail: text() });
