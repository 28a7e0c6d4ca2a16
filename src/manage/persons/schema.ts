import { Type } from "@sinclair/typebox";
import { anyObject, integer, nullable, object, TIME, text, UUID } from "../../openapi/mod.ts";
import { displayName, type ListedPerson, type QueryContext } from "../../query/mod.ts";
import { shape } from "../resource/shape.ts";

/** Its id is its uuid: there is no other. */
export const PERSON = shape<ListedPerson, QueryContext>("Person", {
  id: UUID,
  uuid: [UUID, "id"],
  name: [
    text("What names it best."),
    (person, context) => displayName(person, context) ?? person.distinctIds[0] ?? person.id,
  ],
  distinct_ids: Type.Array(text()),
  properties: anyObject(),
  is_identified: Type.Boolean(),
  created_at: [nullable(TIME), "createdAt"],
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
