import type { JsonObject } from "../../../types/mod.ts";
import type { Fields } from "../../fields.ts";
import {
  canonicalJson,
  eventOf,
  firstTime,
  identifies,
  idOf,
  needId,
  needName,
  needObject,
  objectOf,
  Properties,
  textOf,
} from "../../mapping/mod.ts";
import { type Mapped, RowRejected } from "../../types.ts";
import { uuidFrom, uuidOf } from "../../uuid.ts";
import { addContext, addGroup, addPageOf } from "./context.ts";
import type { SegmentOptions } from "./options.ts";

/** A call as its type has it: the event's name, and properties beside those of the context. */
interface Call {
  event: string;
  properties: Properties;
  /** Ids that the event connects by itself. */
  anonymous?: string | null;
}

/** A line of Segment's log: a whole call. */
export function mapCall(fields: Fields, { groupType }: SegmentOptions): Mapped {
  const type = needName(fields.text("type"));
  const user = idOf(fields.take("userId"));
  const anonymous = idOf(fields.take("anonymousId"));
  const call = callOf(type, fields, { user, anonymous, groupType });
  if (call === null) return { leftOut: "a call of a type that is none of Segment's" };
  const distinctId = needId(user ?? anonymous);
  const atMs = firstTime([fields.take("timestamp"), fields.take("originalTimestamp"), fields.take("receivedAt")]);
  const { properties } = call;
  const context = fields.object("context") ?? {};
  addContext(properties, context, groupType);
  const traits = new Properties(objectOf(context.traits));
  if (call.event !== "$groupidentify") properties.merge("$set", traits);
  if (call.anonymous) properties.set("$anon_distinct_id", call.anonymous);
  const id = textOf(fields.take("messageId"));
  const uuid = id === null ? uuidOf("weir/segment", canonicalJson(fields.row)) : uuidFrom("weir/segment", id);
  const event = eventOf(uuid, call.event, distinctId, atMs, properties);
  const firsts = call.event === "$identify" ? [] : identifies(user, anonymous, atMs);
  return { event, firsts, isNumbered: id === null };
}

interface Who {
  user: string | null;
  anonymous: string | null;
  groupType: string;
}

function callOf(type: string, fields: Fields, who: Who): Call | null {
  if (type === "track") return track(fields);
  if (type === "page") return page(fields);
  if (type === "screen") return screen(fields);
  if (type === "identify") return identify(fields, who);
  if (type === "group") return group(fields, who.groupType);
  return type === "alias" ? alias(fields) : null;
}

function track(fields: Fields): Call {
  return { event: needName(fields.text("event")), properties: new Properties(needObject(fields, "properties")) };
}

function page(fields: Fields): Call {
  const own: JsonObject = needObject(fields, "properties");
  const properties = new Properties(own);
  for (const name of ["url", "path", "referrer", "search"]) properties.take(name);
  addPageOf(properties, own);
  addNames(fields, properties);
  return { event: "$pageview", properties };
}

function screen(fields: Fields): Call {
  const properties = new Properties(needObject(fields, "properties"));
  properties.add("$screen_name", fields.text("name"));
  addNames(fields, properties);
  return { event: "$screen", properties };
}

/** Pages and screens have a name and a category beside their properties. */
function addNames(fields: Fields, properties: Properties): void {
  properties.add("name", fields.text("name"));
  properties.add("category", fields.text("category"));
}

/** Without a user it only sets properties. */
function identify(fields: Fields, { user, anonymous }: Who): Call {
  const properties = new Properties();
  properties.merge("$set", new Properties(needObject(fields, "traits")));
  if (user === null) return { event: "$set", properties };
  return { event: "$identify", properties, anonymous: user === anonymous ? null : anonymous };
}

function group(fields: Fields, groupType: string): Call {
  const key = idOf(fields.take("groupId"));
  if (key === null) throw new RowRejected("no_id", "`groupId` is missing");
  const properties = new Properties();
  properties.set("$group_type", groupType);
  properties.set("$group_key", key);
  properties.set("$group_set", needObject(fields, "traits"));
  addGroup(properties, key, groupType);
  return { event: "$groupidentify", properties };
}

/** The new id and the old one are one person's. */
function alias(fields: Fields): Call {
  const previous = idOf(fields.take("previousId"));
  if (previous === null) throw new RowRejected("no_id", "`previousId` is missing");
  return { event: "$identify", properties: new Properties(), anonymous: previous };
}
