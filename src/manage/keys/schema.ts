import { integer, nullable, object, TIME, text } from "../../openapi/mod.ts";
import { type Fields, shownFields } from "../http/fields.ts";

/** A personal API key; `fields`: what a client may set of it. */
export function keySchema(fields: Fields) {
  return object("PersonalApiKey", {
    ...shownFields(fields),
    id: text(),
    value: nullable(text("The key itself, right after it was made; null ever after.")),
    mask_value: text("Its beginning and end."),
    created_at: TIME,
    last_used_at: nullable(TIME),
    last_rolled_at: nullable(TIME),
    user_id: integer(),
  });
}
