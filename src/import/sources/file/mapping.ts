import { describeError, isJsonObject, type Json, type JsonObject, UsageError } from "../../../types/mod.ts";
import { formatProblem, type TimeRule } from "./time.ts";

/** Types that values of a column are read as. */
const TYPES = ["text", "number", "boolean", "json"] as const;
export type ColumnType = (typeof TYPES)[number];

/** A name, a constant, or a text with columns in it. */
export type EventRule = { column: string } | { constant: string } | { template: string };

/** Which columns become properties. */
export interface PropertyRule {
  /** Every column, but those in `without`. */
  all: boolean;
  names: readonly string[];
  /** Columns that hold objects, whose members become properties. */
  spread: readonly string[];
  without: readonly string[];
}

/** A row is left out where the column has (or does not have) one of these values, as texts. */
export interface DropRule {
  column: string;
  values: ReadonlySet<string>;
  isNot: boolean;
}

/** What the rows of a file mean. */
export interface Mapping {
  event: EventRule;
  /** The first that has a value. */
  distinctId: readonly string[];
  timestamp: TimeRule & { column: string };
  uuid: string | null;
  /** Null: the columns that nothing else uses. */
  properties: PropertyRule | null;
  rename: ReadonlyMap<string, string>;
  /** Columns by the names of the person's properties. */
  set: ReadonlyMap<string, string>;
  setOnce: ReadonlyMap<string, string>;
  /** Columns with keys, by types of groups. */
  groups: ReadonlyMap<string, string>;
  link: { anonymous: string; user: string } | null;
  drop: readonly DropRule[];
  types: ReadonlyMap<string, ColumnType>;
  /** Rows are events as clients send them: `$set` and `$set_once` may stand beside the properties, too. */
  isAsSent: boolean;
}

/** Of rows as clients send events. */
export const DEFAULT_MAPPING: JsonObject = {
  event: "event",
  distinct_id: "distinct_id",
  timestamp: "timestamp",
  uuid: "uuid",
  properties: "properties.*",
};

const MEMBERS = [
  ..."event distinct_id timestamp uuid properties rename set set_once groups link drop types".split(" "),
] as readonly string[];

/** Reads the text of a mapping file. Throws UsageError that names the member. */
export function readMapping(text: string, file: string): Mapping {
  let json: Json;
  try {
    json = JSON.parse(text) as Json;
  } catch (error) {
    throw new UsageError(`${file} is no JSON: ${describeError(error)}`);
  }
  if (!isJsonObject(json)) throw new UsageError(`${file} must hold a JSON object.`);
  try {
    return mappingIn(json);
  } catch (error) {
    if (error instanceof Problem) throw new UsageError(`${file}: ${error.message}`);
    throw error;
  }
}

class Problem extends Error {}

export function mappingIn(json: JsonObject): Mapping {
  onlyMembers("the mapping", json, MEMBERS);
  return {
    event: eventRule(json.event),
    distinctId: namesIn("distinct_id", json.distinct_id, "must be a column, or a list of columns"),
    timestamp: timeRule(json.timestamp),
    uuid: json.uuid === undefined || json.uuid === null ? null : name("uuid", json.uuid),
    properties: json.properties === undefined ? null : propertyRule(json.properties),
    rename: namesByName("rename", json.rename),
    set: columnsByName("set", json.set),
    setOnce: columnsByName("set_once", json.set_once),
    groups: namesByName("groups", json.groups),
    link: linkRule(json.link),
    drop: dropRules(json.drop),
    types: typesIn(json.types),
    isAsSent: json === DEFAULT_MAPPING,
  };
}

function onlyMembers(place: string, object: JsonObject, known: readonly string[]): void {
  const [unknown] = Object.keys(object).filter((member) => !known.includes(member));
  if (unknown !== undefined) throw new Problem(`${place} has no member "${unknown}" (it has ${known.join(", ")}).`);
}

function name(member: string, value: Json | undefined): string {
  if (typeof value === "string" && value !== "") return value;
  throw new Problem(`"${member}" must be the name of a column.`);
}

function namesIn(member: string, value: Json | undefined, problem: string): string[] {
  const list = typeof value === "string" ? [value] : value;
  if (Array.isArray(list) && list.length > 0 && list.every((item) => typeof item === "string" && item !== "")) {
    return list as string[];
  }
  throw new Problem(`"${member}" ${problem}.`);
}

function eventRule(value: Json | undefined): EventRule {
  if (typeof value !== "string" || value === "" || value === "=") {
    throw new Problem(
      `"event" must be a column ("Name"), a constant ("=purchase") or a text with columns ("{kind}_{action}").`,
    );
  }
  if (value.startsWith("=")) return { constant: value.slice(1) };
  return /\{[^{}]+\}/.test(value) ? { template: value } : { column: value };
}

function timeRule(value: Json | undefined): Mapping["timestamp"] {
  if (typeof value === "string" && value !== "") return { column: value, format: null, zone: "UTC" };
  if (!isJsonObject(value))
    throw new Problem(`"timestamp" must be a column, or {"column": …, "format": …, "zone": …}.`);
  onlyMembers(`"timestamp"`, value, ["column", "format", "zone"]);
  const column = name("timestamp.column", value.column);
  const { format = null, zone = "UTC" } = value;
  if (format !== null && typeof format !== "string") throw new Problem(`"timestamp.format" must be text.`);
  const problem = format === null || format === "iso" ? null : formatProblem(format);
  if (problem !== null) throw new Problem(`"timestamp.format": ${problem}.`);
  if (typeof zone !== "string" || !isZone(zone))
    throw new Problem(`"timestamp.zone" must be a zone such as "Europe/Berlin".`);
  return { column, format: format === "iso" ? null : format, zone };
}

function isZone(zone: string): boolean {
  try {
    Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(zone);
    return true;
  } catch {
    return false;
  }
}

/** `* -ts -user_id`, `page plan`, `properties.*`; or the same as a list, for names with blanks. */
function propertyRule(value: Json): PropertyRule {
  const tokens = typeof value === "string" ? value.split(/\s+/).filter((token) => token !== "") : value;
  if (!Array.isArray(tokens) || !tokens.every((token) => typeof token === "string" && token !== "")) {
    throw new Problem(`"properties" must be text such as "* -ts -user_id", or a list of such words.`);
  }
  const words = tokens as string[];
  const without = words.filter((word) => /^-./.test(word)).map((word) => word.slice(1));
  const wanted = words.filter((word) => !/^-./.test(word));
  return {
    all: wanted.includes("*"),
    names: wanted.filter((word) => word !== "*" && !word.endsWith(".*")),
    spread: wanted.filter((word) => word.endsWith(".*")).map((word) => word.slice(0, -2)),
    without,
  };
}

function namesByName(member: string, value: Json | undefined): Map<string, string> {
  if (value === undefined) return new Map();
  if (isJsonObject(value) && Object.values(value).every((item) => typeof item === "string" && item !== "")) {
    return new Map(Object.entries(value as Record<string, string>));
  }
  throw new Problem(`"${member}" must be an object of names.`);
}

function columnsByName(member: string, value: Json | undefined): Map<string, string> {
  if (Array.isArray(value))
    return new Map(namesIn(member, value, "must be a list of columns").map((column) => [column, column]));
  return namesByName(member, value);
}

function linkRule(value: Json | undefined): Mapping["link"] {
  if (value === undefined || value === null) return null;
  if (!isJsonObject(value)) throw new Problem(`"link" must be {"anonymous": …, "user": …}.`);
  onlyMembers(`"link"`, value, ["anonymous", "user"]);
  return { anonymous: name("link.anonymous", value.anonymous), user: name("link.user", value.user) };
}

function dropRules(value: Json | undefined): DropRule[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) throw new Problem(`"drop" must be a list.`);
  return value.map((rule) => {
    if (!isJsonObject(rule)) throw new Problem(`"drop" must be a list of {"column": …, "is": …}.`);
    onlyMembers(`a rule of "drop"`, rule, ["column", "is", "is_not"]);
    const isNot = rule.is_not !== undefined;
    const wanted = isNot ? rule.is_not : rule.is;
    if (wanted === undefined || (isNot && rule.is !== undefined)) {
      throw new Problem(`a rule of "drop" must have one of "is" and "is_not".`);
    }
    const values = (Array.isArray(wanted) ? wanted : [wanted]).map((item) => (item === null ? "" : String(item)));
    return { column: name("drop.column", rule.column), values: new Set(values), isNot };
  });
}

function typesIn(value: Json | undefined): Map<string, ColumnType> {
  const types = namesByName("types", value);
  for (const [column, type] of types) {
    if (!TYPES.some((known) => known === type))
      throw new Problem(`"types.${column}" must be one of ${TYPES.join(", ")}.`);
  }
  return types as Map<string, ColumnType>;
}
