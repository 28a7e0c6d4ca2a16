import type { Fields } from "../../fields.ts";
import { canonicalJson, eventOf, firstTime, identifies, idOf, needId, Properties } from "../../mapping/mod.ts";
import type { Mapped } from "../../types.ts";
import { uuidOf } from "../../uuid.ts";
import { readValue } from "./eventData.ts";
import type { UmamiOptions } from "./options.ts";

/**
 * A row of `session_data`: one property that `umami.identify` gave to a visitor. It becomes a `$set`. Umami has a row for each session and key,
 * in which a new value replaces the old one, and not everywhere an id of the row: so the uuid is of all that the row says.
 */
export function mapSessionData(fields: Fields, { website }: UmamiOptions): Mapped {
  const own = fields.text("website_id");
  if (website !== null && own !== website) return { leftOut: "of another website" };
  const key = fields.text("data_key");
  const value = readValue((name) => fields.take(name));
  if (key === null || value === null) return { leftOut: "says nothing" };
  fields.take("session_data_id");
  const user = idOf(fields.take("distinct_id"));
  const session = idOf(fields.take("session_id"));
  const atMs = firstTime([fields.take("created_at")]);
  const set = new Properties();
  set.set(key, value);
  const owner = needId(session ?? user);
  const uuid = uuidOf("weir/umami/session_data", owner, key, atMs, canonicalJson(value));
  const properties = new Properties({ $set: set.toObject() });
  properties.set("$umami_website_id", own);
  return {
    event: eventOf(uuid, "$set", needId(user ?? session), atMs, properties),
    firsts: identifies(user, session, atMs),
  };
}
