import type { Fields } from "../../fields.ts";
import { canonicalJson, eventOf, firstTime, identifies, idOf, needId, Properties } from "../../mapping/mod.ts";
import { type Mapped, RowRejected } from "../../types.ts";
import { uuidOf } from "../../uuid.ts";
import { readValue } from "./eventData.ts";
import type { UmamiOptions } from "./options.ts";

/**
 * A row of `session_data`: one property that `umami.identify` gave to a visitor. It becomes a `$set`. Umami writes a new value over the old one
 * in the same row, so the uuid is of all that the row says.
 */
export function mapSessionData(fields: Fields, { website }: UmamiOptions): Mapped {
  const own = fields.text("website_id");
  if (website !== null && own !== website) return { leftOut: "of another website" };
  const id = fields.text("session_data_id");
  if (id === null) throw new RowRejected("bad_id", "It has no session_data_id");
  const key = fields.text("data_key");
  const value = readValue((name) => fields.take(name));
  if (key === null || value === null) return { leftOut: "says nothing" };
  const user = idOf(fields.take("distinct_id"));
  const session = idOf(fields.take("session_id"));
  const atMs = firstTime([fields.take("created_at")]);
  const set = new Properties();
  set.set(key, value);
  const uuid = uuidOf("weir/umami/session_data", id, atMs, key, canonicalJson(value));
  const properties = new Properties({ $set: set.toObject() });
  properties.set("$umami_website_id", own);
  return {
    event: eventOf(uuid, "$set", needId(user ?? session), atMs, properties),
    firsts: identifies(user, session, atMs),
  };
}
