import { cutCharacters, DISTINCT_ID_MAX_CHARACTERS, membersOf, printMembers } from "../../properties/mod.ts";
import { type DropCause, type Json, parseUuid, TerminalError } from "../../types/mod.ts";
import { EVENT } from "../keys.ts";
import { EVENT_NAME_MAX_UNITS } from "../normalise.ts";
import { Members, OPEN_OBJECT, type Outline, QUOTE } from "../outline.ts";
import { outline } from "../scan.ts";
import { parseRfc3339 } from "../timestamp.ts";
import type { HeadersV1 } from "./headers.ts";

/** Why one event is not taken: the cause it is counted under, and the word for it in the answer. */
export interface Refusal {
  cause: DropCause;
  details: string;
}

/** One event of a batch, by its uuid; its text in the form of the other paths, or why it is not taken. */
export interface ItemV1 {
  uuid: string;
  event: string | Refusal;
}

export interface BatchV1 {
  isHistorical: boolean;
  items: ItemV1[];
}

/** Throws TerminalError `request_parsing_error`, `invalid_batch`, `empty_batch`, `missing_event_uuid`, `duplicate_event_uuid`. */
export function parseBatch(payload: Buffer, maxDepth: number, headers: HeadersV1): BatchV1 {
  const body = parseBody(payload, maxDepth);
  const root = new Members();
  root.toRoot(body);
  if (!body.hasBatch) throw new TerminalError("invalid_batch", "batch must be an array of events");
  if (body.itemCount === 0) throw new TerminalError("empty_batch", "the batch holds no event");
  if (timeOf(root, EVENT.created_at) === null) {
    throw new TerminalError("invalid_batch", "created_at must be an RFC 3339 time");
  }
  const isHistorical = root.is(EVENT.historical_migration, "true");
  const event = new Members();
  const seen = new Set<string>();
  const items = Array.from({ length: body.itemCount }, (_, index): ItemV1 => {
    const uuid = event.toItem(body, index) ? parseUuid(event.string(EVENT.uuid) ?? "") : null;
    if (uuid === null) throw new TerminalError("missing_event_uuid", `event ${index} has no valid uuid`);
    if (seen.has(uuid)) throw new TerminalError("duplicate_event_uuid", `two events have the uuid ${uuid}`);
    seen.add(uuid);
    const refusal = refusalOf(event);
    return { uuid, event: refusal ?? rewrite(event, headers) };
  });
  return { isHistorical, items };
}

function parseBody(payload: Buffer, maxDepth: number): Outline {
  try {
    const body = outline(payload, maxDepth);
    JSON.parse(payload.toString());
    if (body.rootIs === "object") return body;
  } catch (cause) {
    throw new TerminalError("request_parsing_error", "the body is not JSON, or nested too deep", { cause });
  }
  throw new TerminalError("request_parsing_error", "the body must be an object");
}

function timeOf(members: Members, key: number): number | null {
  const text = members.string(key);
  return text === null ? null : parseRfc3339(text);
}

function refusalOf(event: Members): Refusal | null {
  const name = event.string(EVENT.event) ?? "";
  const id = event.string(EVENT.distinct_id) ?? "";
  if (name === "") return same("missing_event_name");
  if (name.length > EVENT_NAME_MAX_UNITS) return { cause: "invalid_event", details: "event_name_too_long" };
  if (id.trim() === "") return same("missing_distinct_id");
  if (cutCharacters(id, DISTINCT_ID_MAX_CHARACTERS) !== id)
    return { cause: "invalid_event", details: "distinct_id_too_large" };
  if (timeOf(event, EVENT.timestamp) === null) return same("invalid_event_timestamp");
  if (event.isGiven(EVENT.properties) && event.typeOf(EVENT.properties) !== OPEN_OBJECT) {
    return { cause: "invalid_event", details: "malformed_event_properties" };
  }
  return optionsOf(event) === null ? { cause: "invalid_event", details: "invalid_options" } : null;
}

function same(cause: DropCause): Refusal {
  return { cause, details: cause };
}

type Options = Record<string, Json>;

const isBoolean = (value: Json) => typeof value === "boolean";
const isString = (value: Json) => typeof value === "string";

/** Which property each option is on the other paths. */
const OPTIONS: Record<string, { property: string; isValid(value: Json): boolean }> = {
  cookieless_mode: { property: "$cookieless_mode", isValid: isBoolean },
  disable_skew_correction: { property: "$ignore_sent_at", isValid: isBoolean },
  process_person_profile: { property: "$process_person_profile", isValid: isBoolean },
  product_tour_id: { property: "$product_tour_id", isValid: isString },
};

/** The options as properties, or null when they are none. */
function optionsOf(event: Members): Options | null {
  if (!event.isGiven(EVENT.options)) return {};
  if (event.typeOf(EVENT.options) !== OPEN_OBJECT) return null;
  const found: Options = {};
  for (const [name, value] of Object.entries(JSON.parse(event.raw(EVENT.options)) as Options)) {
    const option = Object.hasOwn(OPTIONS, name) ? OPTIONS[name]! : null;
    if (option === null || value === null) continue;
    if (!option.isValid(value)) return null;
    found[option.property] = value;
  }
  return found;
}

/** The event as the other paths know it: options, session and library are properties again. */
function rewrite(event: Members, headers: HeadersV1): string {
  const given = event.typeOf(EVENT.properties) === OPEN_OBJECT ? event.raw(EVENT.properties) : "{}";
  const properties = membersOf(given);
  const put = (name: string, value: Json) => properties.set(name, JSON.stringify(value));
  for (const [name, value] of Object.entries(optionsOf(event)!)) put(name, value);
  if (event.typeOf(EVENT.session_id) === QUOTE) put("$session_id", event.string(EVENT.session_id));
  if (event.typeOf(EVENT.window_id) === QUOTE) put("$window_id", event.string(EVENT.window_id));
  put("$lib", headers.lib);
  put("$lib_version", headers.libVersion);
  const own = [EVENT.event, EVENT.distinct_id, EVENT.uuid, EVENT.timestamp].map((key) => event.raw(key));
  const [name, id, uuid, timestamp] = own;
  return `{"event":${name},"distinct_id":${id},"uuid":${uuid},"timestamp":${timestamp},"properties":{${printMembers(properties)}}}`;
}
