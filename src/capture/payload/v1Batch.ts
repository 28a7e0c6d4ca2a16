import { cutCharacters, membersOf, OPEN_OBJECT, printMembers, QUOTE } from "../../json/mod.ts";
import { DISTINCT_ID_MAX_CHARACTERS } from "../../persons/mod.ts";
import { type DropCause, type Json, parseUuid, TerminalError } from "../../types/mod.ts";
import { isGzip, textOf } from "../body/decode.ts";
import { type InflateLimits, inflate } from "../body/inflate.ts";
import { EVENT_NAME_MAX_UNITS } from "../event/normalise.ts";
import { parseRfc3339 } from "../event/timestamp.ts";
import { EVENT } from "../outline/keys.ts";
import { Members, type Outline } from "../outline/outline.ts";
import { laneOf, outlineOf } from "./payload.ts";
import { type HeadersV1, packingOf } from "./v1Headers.ts";

/** Why one event is not taken: the cause it is counted under, and the word for it in the answer. */
interface Refusal {
  cause: DropCause;
  details: string;
}

/** Why events are not taken; `BatchV1.refusals` names them by their place here. */
export const REFUSALS: readonly Refusal[] = [
  { cause: "missing_event_name", details: "missing_event_name" },
  { cause: "invalid_event", details: "event_name_too_long" },
  { cause: "missing_distinct_id", details: "missing_distinct_id" },
  { cause: "invalid_event", details: "distinct_id_too_large" },
  { cause: "invalid_event_timestamp", details: "invalid_event_timestamp" },
  { cause: "invalid_event", details: "malformed_event_properties" },
  { cause: "invalid_event", details: "invalid_options" },
];
/** In `BatchV1.refusals`: the event is taken. */
export const TAKEN = 255;

/** A batch, as plain data. */
export interface BatchV1 {
  isHistorical: boolean;
  /** As of `Payload`. */
  misread: string | null;
  /** The uuids of all its events, `UUID_BYTES` each. */
  uuids: Buffer;
  /** Of each event: `TAKEN`, or an index of `REFUSALS`. */
  refusals: Uint8Array;
  /** Those that are taken, as an array in the form of the other paths. */
  outline: Outline;
}

/**
 * A batch from its body as sent. Throws TerminalError `payload_too_large`, `empty_body`, `request_decoding_error`,
 * `request_parsing_error`, `invalid_batch`, `empty_batch`, `missing_event_uuid`, `duplicate_event_uuid`; TooMuchHere.
 */
export function readBatch(
  body: Buffer,
  o: { contentEncoding: string | null; maxDepth: number; headers: HeadersV1 } & InflateLimits,
): BatchV1 {
  if (body.byteLength === 0) throw new TerminalError("empty_body", "the request has no body");
  return parseBatch(unpack(body, o), o.maxDepth, o.headers);
}

/** A body packed with gzip is known without a header, as on the other paths. */
function unpack(
  body: Buffer,
  { contentEncoding, ...limits }: { contentEncoding: string | null } & InflateLimits,
): Buffer {
  const packing = packingOf(contentEncoding) ?? (isGzip(body) ? "gzip" : null);
  try {
    return textOf(packing === null ? body : inflate(body, packing, limits));
  } catch (error) {
    if (!(error instanceof TerminalError) || error.code !== "invalid_payload") throw error;
    throw new TerminalError("request_decoding_error", error.message);
  }
}

function parseBatch(text: Buffer, maxDepth: number, headers: HeadersV1): BatchV1 {
  const body = parseBody(text, maxDepth);
  const root = new Members();
  root.toRoot(body);
  if (!body.hasBatch) throw new TerminalError("invalid_batch", "batch must be an array of events");
  if (body.itemCount === 0) throw new TerminalError("empty_batch", "the batch holds no event");
  if (timeOf(root, EVENT.created_at) === null) {
    throw new TerminalError("invalid_batch", "created_at must be an RFC 3339 time");
  }
  const event = new Members();
  const seen = new Set<string>();
  const refusals = new Uint8Array(body.itemCount).fill(TAKEN);
  const taken: string[] = [];
  for (let index = 0; index < body.itemCount; index++) {
    const uuid = event.toItem(body, index) ? parseUuid(event.string(EVENT.uuid) ?? "") : null;
    if (uuid === null) throw new TerminalError("missing_event_uuid", `event ${index} has no valid uuid`);
    if (seen.has(uuid)) throw new TerminalError("duplicate_event_uuid", `two events have the uuid ${uuid}`);
    seen.add(uuid);
    const refusal = refusalOf(event);
    if (refusal === null) taken.push(rewrite(event, headers));
    else refusals[index] = REFUSALS.findIndex(({ details }) => details === refusal);
  }
  return {
    ...laneOf(root),
    uuids: Buffer.from([...seen].join(""), "latin1"),
    refusals,
    outline: outlineOf(Buffer.from(`[${taken.join(",")}]`), maxDepth + 1),
  };
}

function parseBody(text: Buffer, maxDepth: number): Outline {
  try {
    const body = outlineOf(text, maxDepth);
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

/** The `details` of why it is not taken, or null. */
function refusalOf(event: Members): string | null {
  const name = event.string(EVENT.event) ?? "";
  const id = event.string(EVENT.distinct_id) ?? "";
  if (name === "") return "missing_event_name";
  if (name.length > EVENT_NAME_MAX_UNITS) return "event_name_too_long";
  if (id.trim() === "") return "missing_distinct_id";
  if (cutCharacters(id, DISTINCT_ID_MAX_CHARACTERS) !== id) return "distinct_id_too_large";
  if (timeOf(event, EVENT.timestamp) === null) return "invalid_event_timestamp";
  if (event.isGiven(EVENT.properties) && event.typeOf(EVENT.properties) !== OPEN_OBJECT) {
    return "malformed_event_properties";
  }
  return optionsOf(event) === null ? "invalid_options" : null;
}

type Options = Record<string, Json>;

const isBoolean = (value: Json) => typeof value === "boolean";
const isString = (value: Json) => typeof value === "string";

/** Which property each option is on the other paths. */
const OPTIONS = new Map([
  ["cookieless_mode", { property: "$cookieless_mode", isValid: isBoolean }],
  ["disable_skew_correction", { property: "$ignore_sent_at", isValid: isBoolean }],
  ["process_person_profile", { property: "$process_person_profile", isValid: isBoolean }],
  ["product_tour_id", { property: "$product_tour_id", isValid: isString }],
]);

/** The options as properties, or null when they are none. */
function optionsOf(event: Members): Options | null {
  if (!event.isGiven(EVENT.options)) return {};
  if (event.typeOf(EVENT.options) !== OPEN_OBJECT) return null;
  const found: Options = {};
  for (const [name, value] of Object.entries(JSON.parse(event.raw(EVENT.options)) as Options)) {
    const option = OPTIONS.get(name);
    if (option === undefined || value === null) continue;
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
  for (const [name, value] of Object.entries(optionsOf(event) ?? {})) put(name, value);
  if (event.typeOf(EVENT.session_id) === QUOTE) put("$session_id", event.string(EVENT.session_id));
  if (event.typeOf(EVENT.window_id) === QUOTE) put("$window_id", event.string(EVENT.window_id));
  put("$lib", headers.lib);
  put("$lib_version", headers.libVersion);
  const own = [EVENT.event, EVENT.distinct_id, EVENT.uuid, EVENT.timestamp].map((key) => event.raw(key));
  const [name, id, uuid, timestamp] = own;
  return `{"event":${name},"distinct_id":${id},"uuid":${uuid},"timestamp":${timestamp},"properties":{${printMembers(properties)}}}`;
}
