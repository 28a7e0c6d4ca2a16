import { Type } from "@sinclair/typebox";
import { anyObject, integer, nullable, object, TIME, text, URL_TEXT, UUID } from "../../openapi/mod.ts";

export const PERSON = object("Person", {
  id: UUID,
  uuid: UUID,
  name: text("What names it best."),
  distinct_ids: Type.Array(text()),
  properties: anyObject(),
  is_identified: Type.Boolean(),
  created_at: nullable(TIME),
});

export const PERSONS_PAGE = object("PersonsPage", {
  next: nullable(URL_TEXT),
  previous: nullable(URL_TEXT),
  results: Type.Array(PERSON),
});

export const NAMED_PERSON = object("NamedPerson", { distinct_ids: Type.Array(text()) });

const DAY = Type.String({ format: "date" });
const COUNTS = {
  billable: integer(),
  historical: integer("Sent with `historical_migration`: never charged."),
  historical_recent: integer("Those of them that were younger than 48 hours."),
};

export const USAGE = object("Usage", {
  date_from: DAY,
  date_to: DAY,
  total: Type.Object(COUNTS),
  results: Type.Array(object("UsageDay", { date: DAY, ...COUNTS })),
});
