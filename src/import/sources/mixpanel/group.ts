import type { Json, JsonObject } from "../../../types/mod.ts";
import type { Fields } from "../../fields.ts";
import { canonicalJson, eventOf, idOf, listOf, objectOf, Properties } from "../../mapping/mod.ts";
import { type Mapped, RowRejected } from "../../types.ts";
import { uuidOf } from "../../uuid.ts";
import { PROFILE } from "./fields.ts";
import type { MixpanelOptions } from "./options.ts";
import { profileTime } from "./profile.ts";

/**
 * A row of `/api/query/engage` for a group key: `{$distinct_id, $properties}`, with `$group_key` where it tells that. It becomes a
 * `$groupidentify` at the time when Mixpanel last saw the group, else when it was created.
 */
export function mapGroup(fields: Fields, { timezone, groupKeys }: MixpanelOptions): Mapped {
  const type = idOf(fields.take("$group_key")) ?? (groupKeys.length === 1 ? groupKeys[0]!.name : null);
  if (type === null) throw new RowRejected("no_id", "It does not tell its group key: name one with --group-keys");
  const key = idOf(fields.take("$group_id")) ?? idOf(fields.take("$distinct_id"));
  if (key === null) throw new RowRejected("no_id", "It does not tell whose profile it is");
  const row = objectOf(fields.take("$properties")) ?? {};
  const atMs = profileTime(row.$last_seen, timezone) ?? profileTime(row.$created, timezone);
  if (atMs === null) throw new RowRejected("no_time", "The profile has neither $last_seen nor $created");
  const set = new Properties(row);
  set.take("$last_seen");
  for (const [from, to] of PROFILE) set.rename(from, to);
  const uuid = uuidOf("weir/mixpanel/group", type, key, atMs, canonicalJson(row));
  const properties = new Properties({ $group_type: type, $group_key: key, $group_set: set.toObject() });
  return { event: eventOf(uuid, "$groupidentify", `$${type}_${key}`, atMs, properties) };
}

/** The groups that an event belongs to: properties that are group keys; of several groups the first. */
export function groupsOf(row: JsonObject, { groupKeys }: MixpanelOptions): Properties {
  const groups = new Properties();
  for (const { name } of groupKeys) groups.set(name, firstId(Object.hasOwn(row, name) ? row[name] : undefined));
  return groups;
}

function firstId(value: Json | undefined): string | null {
  return idOf(value) ?? idOf(listOf(value)[0]);
}
